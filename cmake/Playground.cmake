# The playground: the library as WebAssembly, and its page (web/playground.html) as one file that holds it.
#
# No JavaScript of emscripten's is needed: the few functions that the module imports are in web/src/playground/engine.ts.

add_executable(playground web/playground/playground.c $<TARGET_OBJECTS:sfnec_objects>)
set_target_properties(playground PROPERTIES SUFFIX .wasm)
target_include_directories(playground PRIVATE include)
target_link_options(playground PRIVATE
  -sSTANDALONE_WASM --no-entry -sEXPORTED_FUNCTIONS=_malloc,_free -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=32MB
  -sTOTAL_STACK=1MB)

find_program(SFNEC_NPM npm REQUIRED NO_CMAKE_FIND_ROOT_PATH DOC "npm, to build the page")
file(GLOB web_sources CONFIGURE_DEPENDS
  web/*.json web/*.ts web/*.html web/src/*.ts web/src/*.css web/src/playground/*.ts web/src/playground/*.css)
set(page ${PROJECT_BINARY_DIR}/playground.html)
add_custom_command(
  OUTPUT ${page}
  COMMAND ${CMAKE_COMMAND} -D NPM=${SFNEC_NPM} -D SOURCE=${PROJECT_SOURCE_DIR}/web -D FOLDER=${PROJECT_BINARY_DIR}/web
          -D MODULE=$<TARGET_FILE:playground> -D PAGE=${page} -P ${PROJECT_SOURCE_DIR}/cmake/PlaygroundPage.cmake
  DEPENDS playground ${web_sources} cmake/PlaygroundPage.cmake cmake/Npm.cmake
  COMMENT "Building the page of the playground"
  VERBATIM)
add_custom_target(playground_page ALL DEPENDS ${page})

# the test of the levels, for this one (tests/web/playground.sh runs it by node)
add_executable(test_simd tests/simd/test_simd.c $<TARGET_OBJECTS:sfnec_objects>)
set_target_properties(test_simd PROPERTIES SUFFIX .wasm)
target_include_directories(test_simd PRIVATE include src tests/web/wasm)
target_link_options(test_simd PRIVATE -sSTANDALONE_WASM)
