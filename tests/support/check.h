// check.h: what all tests of this tree include: cmocka with what it needs, and a few checks that say more when they
// fail.
#ifndef SFNEC_TESTS_SUPPORT_CHECK_H
#define SFNEC_TESTS_SUPPORT_CHECK_H

// cmocka.h needs these four before it
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sfnec/status.h"

// The call succeeds; if not, its sentence is shown.
#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    const sfnec_status ok_status = (call);                                                                             \
    if (ok_status != SFNEC_OK) fail_msg("%s: %s: %s", #call, sfnec_status_name(ok_status), sfnec_last_error());        \
  } while (0)

// The call fails with this status, and its sentence holds this text.
#define REFUSED(call, status, text)                                                                                    \
  do {                                                                                                                 \
    const sfnec_status refused_status = (call);                                                                        \
    if (refused_status != (status)) fail_msg("%s: status %s", #call, sfnec_status_name(refused_status));               \
    if (!strstr(sfnec_last_error(), (text))) fail_msg("%s: '%s' lacks '%s'", #call, sfnec_last_error(), (text));       \
  } while (0)

// Two numbers differ by at most `tolerance` times the larger of 1 and the expected one.
#define NEAR(found, expected, tolerance)                                                                               \
  do {                                                                                                                 \
    const double near_found = (found), near_expected = (expected);                                                     \
    if (!(fabs(near_found - near_expected) <= (tolerance)*fmax(1.0, fabs(near_expected))))                             \
      fail_msg("%s is %.17g, not %.17g", #found, near_found, near_expected);                                           \
  } while (0)

// A whole file, which the caller frees.
static inline unsigned char *file_bytes(const char *path, size_t *size) {
  FILE *stream = fopen(path, "rb");
  if (!stream) fail_msg("cannot open %s", path);
  fseek(stream, 0, SEEK_END);
  *size = (size_t)ftell(stream);
  rewind(stream);
  unsigned char *bytes = malloc(*size + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *size, stream), *size);
  fclose(stream);
  return bytes;
}

// A new file; removing the old one first spares the flush that some file systems do for a file that is overwritten.
static inline void write_file(const char *path, const void *bytes, size_t size) {
  remove(path);
  FILE *stream = fopen(path, "wb");
  if (!stream) fail_msg("cannot write %s", path);
  assert_int_equal(fwrite(bytes, 1, size, stream), size);
  assert_int_equal(fclose(stream), 0);
}

// Do two files hold the same bytes?
static inline bool same_files(const char *a, const char *b) {
  size_t na, nb;
  unsigned char *pa = file_bytes(a, &na), *pb = file_bytes(b, &nb);
  const bool same = na == nb && memcmp(pa, pb, na) == 0;
  free(pa);
  free(pb);
  return same;
}

#endif
