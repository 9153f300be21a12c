// export.h: marks the functions that the shared library exports; everything else stays hidden.
#ifndef SFNEC_EXPORT_H
#define SFNEC_EXPORT_H

#if defined(__GNUC__)
#define SFNEC_VISIBLE __attribute__((visibility("default")))
#else
#define SFNEC_VISIBLE
#endif
#define SFNEC_API SFNEC_VISIBLE

#endif
