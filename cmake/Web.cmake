# The page of `sfnec report` (web/), built by npm when it is there, and put into the binary.
#
# Everything happens in the build tree: npm never writes beside the sources. Without npm, or when it fails (offline, for
# example), the rest is built all the same, and `sfnec report` tells what is missing; unless the page is required.
set(SFNEC_WEB AUTO CACHE STRING "Build the page of the report: ON (npm is required), OFF, or AUTO (if npm is there and works)")
set_property(CACHE SFNEC_WEB PROPERTY STRINGS AUTO ON OFF)
find_program(SFNEC_NPM npm DOC "npm, to build the page of the report")
mark_as_advanced(SFNEC_NPM)

set(web_folder ${PROJECT_BINARY_DIR}/web)
set(web_npm "")
if(SFNEC_WEB AND SFNEC_NPM)
  set(web_npm ${SFNEC_NPM})
endif()
if(SFNEC_WEB AND NOT SFNEC_NPM)
  message(STATUS "npm was not found: sfnec report will not work (install nodejs and npm)")
endif()
file(GLOB web_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/web/*.json ${PROJECT_SOURCE_DIR}/web/*.ts ${PROJECT_SOURCE_DIR}/web/*.html
  ${PROJECT_SOURCE_DIR}/web/src/*.ts ${PROJECT_SOURCE_DIR}/web/src/*.css ${PROJECT_SOURCE_DIR}/web/src/playground/*.ts)

# a change of npm's place (or of the option) makes the page again
file(CONFIGURE OUTPUT ${web_folder}/settings.txt CONTENT "npm=${web_npm}\noption=${SFNEC_WEB}\n")
add_custom_command(
  OUTPUT ${web_folder}/page.c
  COMMAND ${CMAKE_COMMAND} -D NPM=${web_npm} -D OPTION=${SFNEC_WEB} -D SOURCE=${PROJECT_SOURCE_DIR}/web
          -D FOLDER=${web_folder} -P ${PROJECT_SOURCE_DIR}/cmake/WebPage.cmake
  DEPENDS ${web_sources} ${PROJECT_SOURCE_DIR}/cmake/WebPage.cmake ${PROJECT_SOURCE_DIR}/cmake/Npm.cmake
          ${web_folder}/settings.txt
  COMMENT "Building the page of the report"
  VERBATIM)
target_sources(sfnec_show PRIVATE ${web_folder}/page.c)
