# The runtime of exported policies as C source, RUNTIME_SOURCE: the texts of src/agent/deploy/runtime, and the constants
# of the planner, which those share with the library.
include(${CMAKE_CURRENT_LIST_DIR}/Bytes.cmake)
file(GLOB runtime_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/agent/deploy/runtime/*.in)
list(APPEND runtime_files ${PROJECT_SOURCE_DIR}/src/agent/plan/constants.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${runtime_files})

set(RUNTIME_SOURCE ${PROJECT_BINARY_DIR}/runtime_texts.c)
set(arrays "")
set(rows "")
foreach(path IN LISTS runtime_files)
  cmake_path(GET path FILENAME name)
  string(REGEX REPLACE "\\.in$" "" name ${name})
  string(MAKE_C_IDENTIFIER ${name} array)
  file_bytes(${path} bytes size)
  string(APPEND arrays "static const unsigned char ${array}[] = {\n  ${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", ${array}},\n")
endforeach()
# written again only when something changed
file(CONFIGURE OUTPUT ${RUNTIME_SOURCE} CONTENT "// runtime_texts.c: src/agent/deploy/runtime; made by cmake/Runtime.cmake.
#include \"agent/deploy/source.h\"

@arrays@
const sfnec_runtime_text sfnec_runtime_texts[] = {
@rows@    {0},
};
" @ONLY)
