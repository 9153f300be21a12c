# Builds the page of the playground, one HTML file with the WebAssembly module in it: PAGE. Run by Playground.cmake.
#
#   cmake -D NPM=npm -D SOURCE=web -D FOLDER=build-wasm/web -D MODULE=playground.wasm -D PAGE=playground.html -P PlaygroundPage.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/Npm.cmake)
build_page(playground ${MODULE})
if(missing)
  file(READ ${log} text)
  message(FATAL_ERROR "${text}\n${missing}")
endif()
file(COPY_FILE ${work}/dist/playground.html ${PAGE})
