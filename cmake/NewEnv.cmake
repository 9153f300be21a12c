# The files of examples/corridor as C source, NEW_ENV_SOURCE: what `sfnec new-env` writes.
include(${CMAKE_CURRENT_LIST_DIR}/Bytes.cmake)
file(GLOB corridor_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/corridor/*)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${corridor_files})

set(NEW_ENV_SOURCE ${PROJECT_BINARY_DIR}/new_env_files.c)
set(arrays "")
set(rows "")
foreach(path IN LISTS corridor_files)
  cmake_path(GET path FILENAME name)
  string(MAKE_C_IDENTIFIER ${name} array)
  file_bytes(${path} bytes size)
  string(APPEND arrays "static const unsigned char ${array}[] = {\n  ${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", ${array}, ${size}},\n")
endforeach()
# written anew only when something changed
file(CONFIGURE OUTPUT ${NEW_ENV_SOURCE} CONTENT "// new_env_files.c: examples/corridor; made by cmake/NewEnv.cmake.
#include \"cli/new_env.h\"

@arrays@
const new_env_file new_env_files[] = {
@rows@    {0},
};
" @ONLY)
