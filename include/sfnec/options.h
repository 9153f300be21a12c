// options.h: option sets as data.
//
// Every option set of the library (the agent's, each environment's) is one table. The table feeds the defaults, the
// setting by text ("key=value"), the range checks, the help and the dump of resolved options, so that they cannot
// disagree. Pointers are not NULL unless a comment says that they may be.
#ifndef SFNEC_OPTIONS_H
#define SFNEC_OPTIONS_H

#include <stddef.h>

#include "sfnec/export.h"
#include "sfnec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sfnec_option_type {
  SFNEC_OPTION_INT,    // stored as int64_t
  SFNEC_OPTION_REAL,   // stored as double
  SFNEC_OPTION_CHOICE, // stored as int: an index into choices
  SFNEC_OPTION_TEXT,   // stored as sfnec_option_text: printable, without spaces
} sfnec_option_type;

// A text that an option holds, with its NUL.
enum { SFNEC_OPTION_TEXT_SIZE = 64 };
typedef char sfnec_option_text[SFNEC_OPTION_TEXT_SIZE];

typedef struct sfnec_option {
  const char *name; // of the option, and of its field
  sfnec_option_type type;
  size_t offset;              // of the field in the struct that the table describes
  double initial;             // the default: a number, or the index of a choice
  double least, most;         // closed range of numbers; unused for choices
  int below_most;             // 1: the value must be strictly less than most
  const char *const *choices; // NULL-terminated names; of a text its default, then what it takes in words; else NULL
  const char *help;           // one line, no full stop
  const char *former;         // name in an earlier version, which is still understood; NULL: it had none
  int internal;               // 1: for studies of the agent itself; `sfnec list options` shows it with --all only
} sfnec_option;

// A table; the last row has name NULL.
typedef struct sfnec_option_set {
  const char *title; // "agent", "four_rooms", ...: what a refusal calls it
  const sfnec_option *rows;
} sfnec_option_set;

// Fills a struct with the defaults of its table.
SFNEC_API void sfnec_options_default(const sfnec_option_set *set, void *options);

// The row of that name, or of that former name; NULL if there is none.
SFNEC_API const sfnec_option *sfnec_options_find(const sfnec_option_set *set, const char *name);

// Sets one option from text. Fails with SFNEC_ERROR_OPTION and leaves the struct alone when the name is unknown (the
// sentence names the nearest one) or the value is refused (the sentence says what is allowed).
SFNEC_API sfnec_status sfnec_options_set(const sfnec_option_set *set, void *options, const char *name,
                                         const char *value);

// The same for one "name=value"; fails with SFNEC_ERROR_OPTION too if it is not of this form.
SFNEC_API sfnec_status sfnec_options_assign(const sfnec_option_set *set, void *options, const char *assignment);

// Checks every field of a struct against its table. Fails with SFNEC_ERROR_OPTION at the first that is out of range.
SFNEC_API sfnec_status sfnec_options_check(const sfnec_option_set *set, const void *options);

// Writes the value of one option as text that sfnec_options_set reads back to the same value. Always ends with a NUL;
// 32 bytes are enough for numbers and for every choice of this library, SFNEC_OPTION_TEXT_SIZE for all.
SFNEC_API void sfnec_options_get_text(const sfnec_option *row, const void *options, char *text, size_t size);

// The same for the default of an option.
SFNEC_API void sfnec_options_get_default_text(const sfnec_option *row, char *text, size_t size);

// What an option accepts, as text: "a whole number from 1 to 100", "a number from 0 to below 1", "given|sgd|rls". 512
// bytes are enough for every option of this library.
SFNEC_API void sfnec_options_get_range_text(const sfnec_option *row, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
