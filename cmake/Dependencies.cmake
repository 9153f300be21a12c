# What the build needs from outside; docs/dependencies.md says why each one.

# for WebAssembly only two headers, apart from those of this machine's C library
if(EMSCRIPTEN)
  set(RANDOM123_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
  file(MAKE_DIRECTORY ${RANDOM123_INCLUDE_DIR})
  foreach(header IN ITEMS Random123 xxhash.h)
    find_path(folder_of_${header} ${header} PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH)
    if(NOT folder_of_${header})
      message(FATAL_ERROR "${header} was not found: install librandom123-dev and libxxhash-dev.")
    endif()
    file(CREATE_LINK ${folder_of_${header}}/${header} ${RANDOM123_INCLUDE_DIR}/${header} SYMBOLIC)
  endforeach()
  add_library(PkgConfig::xxhash INTERFACE IMPORTED)
  target_compile_definitions(PkgConfig::xxhash INTERFACE XXH_INLINE_ALL)
  add_library(Threads::Threads INTERFACE IMPORTED)
  return()
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

find_package(PkgConfig REQUIRED)
pkg_check_modules(xxhash QUIET IMPORTED_TARGET libxxhash>=0.8)
if(NOT xxhash_FOUND)
  message(FATAL_ERROR "libxxhash 0.8 or newer was not found by pkg-config: install libxxhash-dev.")
endif()

# $<name> $<pkg-config module> $<Debian package>: one that the machinery of experiments needs
function(require_module name module package)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${module} was not found by pkg-config: install ${package}.")
  endif()
endfunction()
require_module(sqlite3 sqlite3>=3.35 libsqlite3-dev)
require_module(yaml yaml-0.1 libyaml-dev)
require_module(zstd libzstd>=1.4 libzstd-dev)

# optional: the same command under mpirun
set(SFNEC_MPI AUTO CACHE STRING "Run experiments under MPI: ON (MPI is required), OFF, or AUTO (if MPI is there)")
set_property(CACHE SFNEC_MPI PROPERTY STRINGS AUTO ON OFF)
set(SFNEC_MPI_FOUND OFF)
if(SFNEC_MPI)
  find_package(MPI QUIET COMPONENTS C)
  set(SFNEC_MPI_FOUND ${MPI_C_FOUND})
  if(NOT MPI_C_FOUND AND NOT SFNEC_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "MPI was not found: install libopenmpi-dev and openmpi-bin, or set SFNEC_MPI to OFF.")
  endif()
endif()

# optional: films of an agent
pkg_check_modules(cairo QUIET IMPORTED_TARGET GLOBAL cairo)
set(SFNEC_CAIRO_FOUND ${cairo_FOUND})

find_path(RANDOM123_INCLUDE_DIR Random123/philox.h DOC "The folder that holds Random123/philox.h")
if(NOT RANDOM123_INCLUDE_DIR)
  message(FATAL_ERROR "Random123/philox.h was not found: install librandom123-dev, or set RANDOM123_INCLUDE_DIR to the "
                      "folder that holds Random123/.")
endif()

if(SFNEC_TESTS)
  pkg_check_modules(cmocka QUIET IMPORTED_TARGET cmocka)
  if(NOT cmocka_FOUND AND SFNEC_TESTS STREQUAL "AUTO")
    message(STATUS "cmocka was not found: the tests are left out")
    set(SFNEC_TESTS OFF)
  elseif(NOT cmocka_FOUND)
    message(FATAL_ERROR "cmocka was not found by pkg-config: install libcmocka-dev, or set SFNEC_TESTS to OFF.")
  endif()
endif()
