# The playground: the library as WebAssembly, and its page (web/playground.html) as one file that holds it.
#
# No JavaScript of emscripten's is needed: the few functions that the module imports are in web/src/playground/engine.ts.

add_executable(playground web/playground/playground.c $<TARGET_OBJECTS:sfnec_objects>)
set_target_properties(playground PROPERTIES SUFFIX .wasm)
target_include_directories(playground PRIVATE include)
target_link_options(playground PRIVATE
  -sSTANDALONE_WASM --no-entry -sEXPORTED_FUNCTIONS=_malloc,_free -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=32MB
  -sTOTAL_STACK=1MB)

# the test of the levels, for this one (tests/web/playground.sh runs it by node)
add_executable(test_simd tests/simd/test_simd.c $<TARGET_OBJECTS:sfnec_objects>)
set_target_properties(test_simd PROPERTIES SUFFIX .wasm)
target_include_directories(test_simd PRIVATE include src tests/web/wasm)
target_compile_options(test_simd PRIVATE -Wno-unused-parameter)
target_link_options(test_simd PRIVATE -sSTANDALONE_WASM)
