// cmd_export_c.c: `sfnec export-c`: what a saved agent does, as one C file.
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/limit.h"
#include "cli/output.h"

typedef struct export_c_args {
  const char *out, *w, *name;
  int64_t time_limit;
} export_c_args;

static int run_export_c(const void *values, const text_list *operands);

static const arg table[] = {
    {"out", ARG_TEXT, offsetof(export_c_args, out), "FILE", NULL, 0, 0, "the C file to write"},
    {"w", ARG_TEXT, offsetof(export_c_args, w), "A,B,...", NULL, 0, 0,
     "reward weights, one per feature (default: those of the task learned last)"},
    {"name", ARG_TEXT, offsetof(export_c_args, name), "NAME", "policy", 0, 0, "prefix of all names in it"},
    ARG_TIME_LIMIT(export_c_args, time_limit),
    {0},
};

const command command_export_c = {
    .name = "export-c",
    .summary = "export a saved agent as one C file without dependencies",
    .operands = "AGENT",
    .about = "Freezes a saved agent: its memories with GPI over all policies, or its plan for one reward, become\n"
             "one C99 file that needs nothing but libc's mathematics and allocates nothing, for a robot or a\n"
             "microcontroller. Its answers are those of the library, to the bit. The head of the file has the\n"
             "functions to call, the worst case of a call, and the memory that it takes.",
    .args = table,
    .values_size = sizeof(export_c_args),
    .run = run_export_c,
};

static int export(const export_c_args *args, const sfnec_agent *agent) {
  double *w = NULL;
  int code = EXIT_OK;
  if (args->w) {
    w = must_alloc((size_t)sfnec_agent_get_shape(agent).feature_count, sizeof *w);
    code = weights_parse_of(args->w, agent, w);
  }
  if (!code) code = code_of(sfnec_agent_export_c(agent, w, args->name, args->out));
  free(w);
  return code;
}

static int run_export_c(const void *values, const text_list *operands) {
  const export_c_args *args = values;
  if (!args->out) return misuse("export-c needs --out FILE.c");
  limit_time(args->time_limit);
  int code = check_writable(args->out, "out");
  if (code) return code;
  sfnec_agent *agent = NULL;
  code = code_of(sfnec_agent_load(operands->items[0], &agent));
  if (!code) limit_plans(agent, operands->items[0]);
  if (!code) code = export(args, agent);
  if (!code) printf("wrote %s\n", args->out);
  sfnec_agent_destroy(agent);
  return code ? code : flush_output();
}
