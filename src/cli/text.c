// text.c: lists of texts, and texts for people and shells; see text.h.
#include "cli/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

char *text_print(const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const size_t room = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
  char *text = must_alloc(room, 1);
  vsnprintf(text, room, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

static void push_part(text_list *list, const char *text, size_t length) {
  list->items = must_realloc(list->items, list->count + 2, sizeof *list->items);
  char *copy = must_alloc(length + 1, 1);
  memcpy(copy, text, length);
  list->items[list->count++] = copy;
  list->items[list->count] = NULL;
}

void text_push(text_list *list, const char *text) {
  push_part(list, text, strlen(text));
}

void text_split(text_list *list, const char *text, char separator) {
  for (;;) {
    const char *end = strchr(text, separator);
    if (!end) break;
    push_part(list, text, (size_t)(end - text));
    text = end + 1;
  }
  text_push(list, text);
}

void text_clear(text_list *list) {
  for (size_t i = 0; i < list->count; i++) free(list->items[i]);
  free(list->items);
  *list = (text_list){0};
}

char *text_weights(const double *w, size_t count) {
  char *text = must_alloc(count + 1, TEXT_NUMBER + 1), *end = text;
  char number[TEXT_NUMBER];
  for (size_t i = 0; i < count; i++) {
    sfnec_real_to_text(w[i], number, sizeof number);
    end += sprintf(end, "%s%s", i ? "," : "", number);
  }
  return text;
}

char *text_quoted(const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+:,@%-";
  if (word[0] && !word[strspn(word, plain)]) return must_copy(word);
  char *text = must_alloc(4 * strlen(word) + 3, 1), *end = text;
  *end++ = '\'';
  for (; *word; word++) {
    if (*word == '\'') end += sprintf(end, "'\\''");
    else *end++ = *word;
  }
  *end = '\'';
  return text;
}

void text_print_quoted(FILE *stream, const char *before, const char *word) {
  char *quoted = text_quoted(word);
  fprintf(stream, "%s%s", before, quoted);
  free(quoted);
}

const char *text_duration(double seconds, char text[TEXT_NUMBER]) {
  if (seconds < 10) {
    snprintf(text, TEXT_NUMBER, "%.1f s", seconds);
    return text;
  }
  // beyond that the guess of an end is no guess
  const int64_t whole = seconds < 1e9 ? (int64_t)(seconds + 0.5) : 1000000000;
  const int64_t hours = whole / 3600;
  const int minutes = (int)(whole / 60 % 60), rest = (int)(whole % 60);
  if (hours) snprintf(text, TEXT_NUMBER, "%" PRId64 ":%02d:%02d", hours, minutes, rest);
  else snprintf(text, TEXT_NUMBER, "%d:%02d", minutes, rest);
  return text;
}

void text_print_wrapped(FILE *stream, int column, const char *text) {
  for (int at = column; *text;) {
    // a word, and the blank before it
    const size_t blanks = strspn(text, " "), bytes = strcspn(text + blanks, " ");
    if (at > column && at + (int)(blanks + bytes) > TEXT_WIDTH) {
      fprintf(stream, "\n%*s", column, "");
      at = column;
    } else {
      fprintf(stream, "%*s", (int)blanks, "");
      at += (int)blanks;
    }
    fwrite(text + blanks, 1, bytes, stream);
    at += (int)bytes;
    text += blanks + bytes;
  }
}

char *text_sparkline(const double *values, size_t count, double low, double high) {
  static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  char *text = must_alloc(3 * count + 1, 1), *end = text;
  for (size_t i = 0; i < count; i++) {
    const double share = high > low ? (values[i] - low) / (high - low) : 0;
    const int level = share > 0 ? (int)(share * 7 + 0.5) : 0;
    end += sprintf(end, "%s", isnan(values[i]) ? " " : bars[level < 7 ? level : 7]);
  }
  return text;
}

char *text_bar(double share) {
  static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double size = fabs(share) < 1 ? fabs(share) : 1;
  const int eighths = (int)(8 * TEXT_BAR * size + 0.5);
  char *text = must_alloc(3 * TEXT_BAR + 1, 1), *end = text;
  int columns = 0;
  // there are no light parts of a character: below zero a bar has whole ones
  const int whole = share < 0 ? (eighths + 4) / 8 : eighths / 8;
  for (; columns < whole; columns++) end += sprintf(end, "%s", share < 0 ? "░" : "█");
  if (share > 0 && eighths % 8) end += sprintf(end, "%s", parts[eighths % 8]), columns++;
  sprintf(end, "%*s", TEXT_BAR - columns, "");
  return text;
}

const char *plural(size_t count) {
  return count == 1 ? "" : "s";
}

const char *text_hint(const char *dashes, const char *nearest, char text[TEXT_HINT]) {
  text[0] = '\0';
  if (nearest) snprintf(text, TEXT_HINT, "; did you mean '%s%s'?", dashes, nearest);
  return text;
}
