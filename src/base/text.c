// text.c: numbers as text and the nearest name; see text.h.
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// strtoll and strtod skip blanks and take "+5"; a number here begins with a digit, a minus sign or a point
static bool begins_as_number(const char *text) {
  return isdigit((unsigned char)text[0]) || text[0] == '-' || text[0] == '.';
}

// The power of ten that a whole number ends with: "e4", "k", "M" or "G"; -1 if that is not how it ends.
static int ending_power(const char *text) {
  static const char letters[] = "kMG";
  const char *letter = text[0] && !text[1] ? strchr(letters, text[0]) : NULL;
  if (letter) return 3 * (int)(letter - letters + 1);
  if (text[0] != 'e' && text[0] != 'E') return -1;
  text += 1 + (text[1] == '+');
  if (!isdigit((unsigned char)text[0])) return -1;
  int power = 0;
  for (; isdigit((unsigned char)text[0]); text++) power = power < 100 ? 10 * power + (text[0] - '0') : power;
  return *text ? -1 : power;
}

// One more digit, which has the number's sign; false beyond the range.
static bool append(long long *number, int digit) {
  if (*number > 0 && *number > (INT64_MAX - digit) / 10) return false;
  if (*number < 0 && *number < (INT64_MIN - digit) / 10) return false;
  *number = 10 * *number + digit;
  return true;
}

// "1e4", "2.5e3", "10k", "1.5M": a number with a point needs an ending that makes it whole again
bool sfnec_text_to_int(const char *text, int64_t *value) {
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (!begins_as_number(text) || !isdigit((unsigned char)(text[0] == '-' ? text[1] : text[0])) || errno) return false;
  const char *fraction = *end == '.' ? end + 1 : end, *ending = fraction;
  if (*end == '.') ending += strspn(fraction, "0123456789");
  if (*end && ending == end + 1) return false;
  int power = *ending ? ending_power(ending) : fraction < ending ? -1 : 0;
  for (; power >= 0 && fraction < ending; fraction++) {
    const int digit = text[0] == '-' ? -(*fraction - '0') : *fraction - '0';
    // zeros behind the point need no power
    if (power == 0 && digit) return false;
    if (power > 0 && !append(&number, digit)) return false;
    power -= power > 0;
  }
  for (; power > 0 && number; power--)
    if (!append(&number, 0)) return false;
  if (power < 0) return false;
  *value = number;
  return true;
}

// The C locale for this thread, so that 0.5 is a half in every country: what was before, for leave_c.
static locale_t enter_c(locale_t *c) {
  *c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  return *c ? uselocale(*c) : (locale_t)0;
}

static void leave_c(locale_t c, locale_t host) {
  if (!c) return;
  uselocale(host);
  freelocale(c);
}

bool sfnec_text_to_real(const char *text, double *value) {
  char *end;
  locale_t c;
  const locale_t host = enter_c(&c);
  const double number = strtod(text, &end);
  leave_c(c, host);
  if (!begins_as_number(text) || end == text || *end != '\0' || !isfinite(number)) return false;
  *value = number;
  return true;
}

bool sfnec_text_to_seed(const char *text, uint64_t *value) {
  char *end;
  errno = 0;
  const unsigned long long number = strtoull(text, &end, 10);
  // strtoull takes "-1" for the greatest number
  if (!isdigit((unsigned char)text[0]) || *end || errno) return false;
  *value = number;
  return true;
}

void sfnec_real_to_text(double value, char *text, size_t size) {
  locale_t c;
  const locale_t host = enter_c(&c);
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, size, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  leave_c(c, host);
}

int sfnec_text_character(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  const int length = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : (at[0] & 0xf0) == 0xe0 ? 3 : 4;
  if (!at[0] || (at[0] >= 0x80 && (at[0] < 0xc2 || at[0] > 0xf4))) return 0;
  for (int i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  // overlong forms, surrogates, and what is past the last character
  if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f)) return 0;
  if ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)) return 0;
  return length;
}

static bool is_printable(const unsigned char *at, int length) {
  if (length == 1) return at[0] >= 0x20 && at[0] != 0x7f;
  if (length == 2) return at[0] != 0xc2 || at[1] >= 0xa0; // U+0080 to U+009F
  if (length != 3 || at[0] != 0xe2) return length > 0;
  // U+2028 to U+202E, U+2066 to U+2069
  return !(at[1] == 0x80 && at[2] >= 0xa8 && at[2] <= 0xae) && !(at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9);
}

void sfnec_text_clean(char *text) {
  while (*text) {
    const int length = sfnec_text_character(text), bytes = length ? length : 1;
    if (!is_printable((const unsigned char *)text, length)) memset(text, '?', (size_t)bytes);
    text += bytes;
  }
}

int sfnec_text_columns(const char *text) {
  int columns = 0;
  // continuation bytes of UTF-8 take no room
  for (; *text; text++) columns += ((unsigned char)*text & 0xc0) != 0x80;
  return columns;
}

size_t sfnec_text_distance(const char *a, const char *b) {
  // one row of the edit-distance table at a time; option names are short, longer texts are far from all of them
  enum { LONGEST = 63 };
  const size_t m = strlen(a), n = strlen(b);
  if (m > LONGEST || n > LONGEST) return m > n ? m : n;
  size_t row[LONGEST + 1];
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      const size_t change = diagonal + (a[i - 1] != b[j - 1]);
      const size_t skip = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      diagonal = row[j];
      row[j] = change < skip ? change : skip;
    }
  }
  return row[n];
}

const char *sfnec_text_nearer(const char *text, const char *best, const char *candidate) {
  const size_t distance = sfnec_text_distance(text, candidate);
  if (2 * distance > strlen(candidate)) return best;
  return best && sfnec_text_distance(text, best) <= distance ? best : candidate;
}
