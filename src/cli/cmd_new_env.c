// cmd_new_env.c: `sfnec new-env`: a folder to start a world of one's own from.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output.h"
#include "cli/cli.h"
#include "cli/new_env.h"

// the name in the files, which the new one takes the place of
static const char old_name[] = "corridor";

static int run_new_env(const void *values, const text_list *operands);

static const arg table[] = {{0}};

const command command_new_env = {
    .name = "new-env",
    .summary = "write a folder to start an environment of your own from",
    .operands = "NAME",
    .about = "Writes the folder NAME: a small environment in C (NAME.c), its test, a CMakeLists.txt that makes the\n"
             "plugin NAME.so, and a study (NAME.yaml). NAME is a word of a-z, 0-9 and _. Change the environment,\n"
             "build it, and run it: sfnec run NAME/NAME.yaml, or sfnec train --env NAME/build/NAME.so.",
    .args = table,
    .values_size = 1,
    .run = run_new_env,
};

// it becomes part of names in C
static bool is_name(const char *text) {
  enum { LONGEST = 40 };
  const size_t length = strlen(text);
  return islower((unsigned char)text[0]) && length <= LONGEST &&
         strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

// writes a text with the new name in the place of the old one
static void write_renamed(FILE *file, const char *text, const char *name) {
  for (const char *at; (at = strstr(text, old_name)); text = at + sizeof old_name - 1) {
    fwrite(text, 1, (size_t)(at - text), file);
    fputs(name, file);
  }
  fputs(text, file);
}

static int write_file(const new_env_file *source, const char *name) {
  char *base = NULL;
  size_t size;
  FILE *renamed = open_memstream(&base, &size);
  if (!renamed) return fail("out of memory");
  write_renamed(renamed, source->name, name);
  if (!sfnec_output_close_text(renamed, &base)) return fail("out of memory");
  char *path = text_print("%s/%s", name, base);
  sfnec_output output;
  sfnec_status status = sfnec_output_open_inside(&output, path);
  if (!status) {
    write_renamed(output.file, (const char *)source->bytes, name);
    status = sfnec_output_close(&output, true);
  }
  free(path);
  free(base);
  return code_of(status);
}

static int run_new_env(const void *values, const text_list *operands) {
  (void)values;
  const char *name = operands->items[0];
  if (!is_name(name)) return misuse("new-env: '%s' is refused; it takes a word of a-z, 0-9 and _", name);
  if (sfnec_env_kind_find(name)) return misuse("new-env: %s is a built-in environment; take another name", name);
  if (mkdir(name, 0777)) return fail("cannot make the folder %s: %s", name, strerror(errno));
  int code = EXIT_OK;
  for (const new_env_file *file = new_env_files; file->name && !code; file++) code = write_file(file, name);
  if (code) return code;
  printf("wrote the folder %s; next:\n"
         "  cmake -S %s -B %s/build && cmake --build %s/build\n"
         "  sfnec run %s/%s.yaml\n",
         name, name, name, name, name, name);
  return EXIT_OK;
}
