# The toolchain of the wheels: clang as `zig cc`, for x86_64 or aarch64 and an old glibc, on any machine.
#
#   cmake --toolchain cmake/Zig.cmake -D SFNEC_ZIG=.../zig -D SFNEC_ARCH=aarch64 -D SFNEC_LIBRARIES=folder
#
# SFNEC_LIBRARIES holds what cmake/libraries installed. Nothing of the machine that builds is found: neither its headers nor
# its libraries would fit. scripts/wheels.sh uses it.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SFNEC_ZIG SFNEC_ARCH SFNEC_LIBRARIES)
foreach(name IN ITEMS SFNEC_ZIG SFNEC_ARCH SFNEC_LIBRARIES)
  if(NOT ${name})
    message(FATAL_ERROR "cmake/Zig.cmake needs -D ${name}=...; scripts/wheels.sh gives it.")
  endif()
endforeach()

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${SFNEC_ARCH})

# glibc 2.17 is manylinux2014; with a target given, the processor is the oldest of its kind
set(CMAKE_C_COMPILER ${SFNEC_ZIG} cc -target ${SFNEC_ARCH}-linux-gnu.2.17)
set(CMAKE_C_ARCHIVE_CREATE "\"${SFNEC_ZIG}\" ar qcD <TARGET> <OBJECTS>")
set(CMAKE_C_ARCHIVE_APPEND "\"${SFNEC_ZIG}\" ar qD <TARGET> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "\"${SFNEC_ZIG}\" ranlib -D <TARGET>")
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -s)
endforeach()

set(CMAKE_FIND_ROOT_PATH ${SFNEC_LIBRARIES})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${SFNEC_LIBRARIES}/lib/pkgconfig)
