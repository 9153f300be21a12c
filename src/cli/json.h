// json.h: writing JSON: commas, indentation and quoting are taken care of.
//
// Every function takes the key, which is NULL inside of an array. Numbers that JSON does not have are null.
#ifndef SFNEC_CLI_JSON_H
#define SFNEC_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
  FILE *file;
  int depth;
  int flat;   // the depth from which on everything is on one line; 0: none is
  bool inner; // something was written at this depth
} json;

// Begins an object '{' or an array '['; one that is flat is written on one line.
void json_begin(json *json, const char *key, char bracket);
void json_begin_flat(json *json, const char *key, char bracket);
// Ends it with '}' or ']'; after the outermost one comes a newline.
void json_end(json *json, char bracket);

void json_text(json *json, const char *key, const char *text); // NULL: null; bytes that are no UTF-8 become U+FFFD
void json_real(json *json, const char *key, double value);
void json_int(json *json, const char *key, int64_t value);
void json_seed(json *json, const char *key, uint64_t value);
void json_bool(json *json, const char *key, bool value);

#endif
