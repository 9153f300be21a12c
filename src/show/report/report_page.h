// report_page.h: the page in the binary; its source is made by cmake/Web.cmake.
#ifndef SFNEC_SHOW_REPORT_REPORT_PAGE_H
#define SFNEC_SHOW_REPORT_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char sfnec_report_page[]; // HTML; where SFNEC_REPORT_DATA stands, the data go
extern const size_t sfnec_report_page_size;     // 0: the page could not be built
extern const char sfnec_report_page_missing[];  // why, "" if it is there

#endif
