// json.h: writing JSON: commas, indentation and quoting are taken care of.
//
// Every function takes the key, which is NULL inside of an array. Numbers that JSON does not have are null.
#ifndef SFNEC_BASE_JSON_H
#define SFNEC_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct sfnec_json {
  FILE *file;
  int depth;
  int flat;     // the depth from which on everything is on one line; 0: none is
  bool inner;   // something was written at this depth
  bool compact; // no blanks and no line ends at all
} sfnec_json;

// Begins an object '{' or an array '['; one that is flat is written on one line.
void sfnec_json_begin(sfnec_json *json, const char *key, char bracket);
void sfnec_json_begin_flat(sfnec_json *json, const char *key, char bracket);
// Ends it with '}' or ']'; after the outermost one comes a newline (unless it is compact).
void sfnec_json_end(sfnec_json *json, char bracket);

// NULL: null; bytes that are no UTF-8 become U+FFFD.
void sfnec_json_text(sfnec_json *json, const char *key, const char *text);
void sfnec_json_real(sfnec_json *json, const char *key, double value);
void sfnec_json_int(sfnec_json *json, const char *key, int64_t value);
void sfnec_json_seed(sfnec_json *json, const char *key, uint64_t value);
void sfnec_json_bool(sfnec_json *json, const char *key, bool value);
// A value that is JSON already, as it stands.
void sfnec_json_raw(sfnec_json *json, const char *key, const char *text);

#endif
