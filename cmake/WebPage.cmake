# Builds web/ in a folder of the build tree and writes the page as C source: FOLDER/page.c. Run by Web.cmake.
#
#   cmake -D NPM=npm -D OPTION=AUTO -D SOURCE=web -D FOLDER=build/web -P WebPage.cmake
#
# It does not fail: a page that cannot be built becomes an empty one with the reason beside it.
cmake_minimum_required(VERSION 3.25)
set(work ${FOLDER}/work)
set(log ${FOLDER}/npm.log)
set(missing "")

# run(WHAT COMMAND...): unless something failed before
function(run what)
  if(missing)
    return()
  endif()
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${work} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  file(APPEND ${log} "== ${what}\n${output}\n")
  if(NOT result EQUAL 0)
    set(missing "${what} failed (see web/npm.log in the build folder). With a network and nodejs 18 or newer, remove the \
folder web in the build folder and build again" PARENT_SCOPE)
  endif()
endfunction()

# packages are installed again only when the lock file changed
function(install_packages)
  set(stamp ${work}/node_modules/.sfnec-lock)
  file(SHA256 ${SOURCE}/package-lock.json wanted)
  set(there "")
  if(EXISTS ${stamp})
    file(READ ${stamp} there)
  endif()
  if(NOT there STREQUAL wanted)
    run("npm ci" ${NPM} ci --ignore-scripts --no-audit --no-fund --fetch-retries=1)
    if(NOT missing)
      file(WRITE ${stamp} ${wanted})
    endif()
  endif()
  set(missing "${missing}" PARENT_SCOPE)
endfunction()

function(build_page)
  file(MAKE_DIRECTORY ${work})
  file(REMOVE_RECURSE ${work}/src ${work}/dist)
  file(WRITE ${log} "")
  file(GLOB sources ${SOURCE}/*.json ${SOURCE}/*.ts ${SOURCE}/*.html ${SOURCE}/src)
  file(COPY ${sources} DESTINATION ${work})
  install_packages()
  run("npm run build" ${NPM} run build)
  set(missing "${missing}" PARENT_SCOPE)
endfunction()

if(NPM)
  build_page()
elseif(OPTION)
  set(missing "npm was not found. Install nodejs (18 or newer) and npm, then build again")
else()
  set(missing "the build has SFNEC_WEB=OFF. Configure with -DSFNEC_WEB=AUTO and build again")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/Bytes.cmake)
if(missing)
  message(WARNING "sfnec report will not work: ${missing}")
  set(bytes "0")
  set(size 0)
else()
  file_bytes(${work}/dist/index.html bytes size)
endif()
file(WRITE ${FOLDER}/page.c "// page.c: the page of the report; made by cmake/WebPage.cmake.
#include \"show/report/report.h\"

const unsigned char sfnec_report_page[] = {
  ${bytes}
};
const size_t sfnec_report_page_size = ${size};
const char sfnec_report_page_missing[] = \"${missing}\";
")
