# Builds web/ in a folder of the build tree and writes the page as C source: FOLDER/page.c. Run by Web.cmake.
#
#   cmake -D NPM=npm -D OPTION=AUTO -D SOURCE=web -D FOLDER=build/web -P WebPage.cmake
#
# With OPTION=AUTO it does not fail: a page that cannot be built becomes an empty one with the reason beside it.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/Npm.cmake)

if(NPM)
  build_page(build)
elseif(OPTION)
  set(missing "npm was not found. Install nodejs (18 or newer) and npm, then build again")
else()
  set(missing "the build has SFNEC_WEB=OFF. Configure with -DSFNEC_WEB=AUTO and build again")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/Bytes.cmake)
if(missing AND OPTION AND NOT OPTION STREQUAL "AUTO")
  message(FATAL_ERROR "the page of the report cannot be built: ${missing}")
elseif(missing)
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
