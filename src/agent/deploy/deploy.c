// deploy.c: sfnec_agent_export_c: checks, the head of the file, and its parts in their order.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "agent/deploy/deploy.h"
#include "base/error.h"
#include "base/output.h"

// Whether it can begin names in C: a-z, 0-9 and _, with a letter first.
static bool is_name(const char *name) {
  enum { LONGEST = 40 };
  const size_t length = strlen(name);
  return islower((unsigned char)name[0]) && length <= LONGEST &&
         strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static sfnec_status check(const sfnec_agent *agent, const double *w, const char *name) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  if (!is_name(name)) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "the name of a policy in C must be a word of a-z, 0-9 and _, with a letter first, not '%.60s'",
                      name);
  }
  if (agent->policies.count == 0 || (!w && agent->active == SFNEC_NO_POLICY)) {
    return sfnec_fail(SFNEC_ERROR_STATE, "the agent has no %stask to act by: %s",
                      agent->policies.count ? "active " : "",
                      agent->policies.count ? "give reward weights" : "train it first");
  }
  if (w && options->predict != SFNEC_PREDICT_FEATURES) {
    return sfnec_fail(
        SFNEC_ERROR_ARGUMENT,
        "an agent with predict=reward or learned acts by what it learned of its own rewards alone: export it without "
        "weights, or train one with predict=features");
  }
  return w ? sfnec_agent_check_weights(agent, w) : SFNEC_OK;
}

// ---- the head of the file ----

static void write_weights(const sfnec_agent *agent, const double *w, FILE *file) {
  w = sfnec_agent_weights(agent, w);
  const size_t n = agent->policies.config.psi_size;
  for (size_t i = 0; i < n && i < 16; i++) fprintf(file, "%s%.6g", i ? ", " : "", w[i]);
  if (n > 16) fputs(", ...", file);
}

static void write_head(const sfnec_agent *agent, const double *w, const sfnec_source *source,
                       const sfnec_deploy_cost *cost, size_t key, FILE *file) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  const bool plans = options->psi == SFNEC_PSI_PLANNED;
  fprintf(file, "// An agent of sfnec %s, frozen: %s, %" PRId32 " observations, %" PRId32 " actions.\n",
          sfnec_version(), plans ? "a plan over its model" : "successor features and GPI",
          agent->shape.observation_size, agent->shape.action_count);
  fputs("// Reward weights: ", file);
  write_weights(agent, w, file);
  fputs(".\n//\n// C99 without dependencies but libc's mathematics (link with -lm), no allocation, no files, no locale,"
        " nothing global\n// that changes: every caller has a state of its own. Its answers are those of the library,"
        " to the bit, if the compiler\n// contracts no products and sums (gcc and clang: -std=c99 or"
        " -ffp-contract=off; never -ffast-math).\n//\n",
        file);
  sfnec_source_copy(source,
                    "//   static policy_state state;\n"
                    "//   policy_begin(&state);\n"
                    "//   action = policy_act(&state, observation, NULL);\n",
                    file);
  if (plans)
    sfnec_source_copy(source, "//   policy_tell(&state, observation, action, reward, next, NULL, ended);\n", file);
  sfnec_source_copy(source,
                    "//\n// Either include this file, or compile it and include it elsewhere with"
                    " POLICY_DECLARATIONS_ONLY defined.\n//\n",
                    file);
  fprintf(file, "// Worst case of a call of %s:\n//   %.0f distances of keys, each %zu", cost->per, cost->distances,
          key);
  if (cost->embedding > 0) fprintf(file, ", and embeddings, %.0f", cost->embedding);
  fprintf(file,
          " fused multiply-adds: %.0f in all\n"
          "//   about %.0f other multiply-adds\n"
          "// Memory: %zu bytes of constant data, a state of at most %zu bytes, less than 16,384 bytes of stack.\n",
          cost->distances * (double)key + cost->embedding, cost->multiplies, source->bytes, cost->state_bytes);
}

// ---- the file ----

// The parts of the runtime that an agent needs.
typedef struct parts {
  const char *state, *interface, *constants;
  const char *code[7];
} parts;

static const parts memories = {"memories.h",
                               "gpi.h",
                               NULL,
                               {"arithmetic.c", "distance.c", "ties.c", "mask.c", "identity.c", "memories.c", "gpi.c"}};
static const parts embedded = {
    "memories.h",
    "gpi.h",
    NULL,
    {"arithmetic.c", "distance.c", "ties.c", "mask.c", "embedding.c", "memories.c", "gpi.c"}};
static const parts matrices = {"linear.h", "gpi.h", NULL, {"arithmetic.c", "ties.c", "mask.c", "linear.c", "gpi.c"}};
static const parts planned = {
    "planned.h", NULL, "constants.h", {"arithmetic.c", "distance.c", "ties.c", "mask.c", "planned.c"}};

static const parts *parts_of(const sfnec_agent *agent) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  switch (options->psi) {
  case SFNEC_PSI_PLANNED:
    return &planned;
  case SFNEC_PSI_LINEAR:
    return &matrices;
  default:
    return options->embedding == SFNEC_EMBEDDING_IDENTITY ? &memories : &embedded;
  }
}

static void write_file(const sfnec_agent *agent, const sfnec_source *source, const sfnec_deploy_cost *cost,
                       FILE *file) {
  const parts *all = parts_of(agent);
  sfnec_source_copy(source,
                    "#ifndef POLICY_DECLARED\n#define POLICY_DECLARED\n\n"
                    "#include <float.h>\n#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n"
                    "#include <string.h>\n\n",
                    file);
  fputs(source->constants_text, file);
  sfnec_source_copy(source, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", file);
  if (all->constants) sfnec_source_copy_runtime(source, all->constants, file);
  fputc('\n', file);
  sfnec_source_copy_runtime(source, all->state, file);
  if (all->interface) fputc('\n', file);
  if (all->interface) sfnec_source_copy_runtime(source, all->interface, file);
  sfnec_source_copy(source, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n\n#ifndef POLICY_DECLARATIONS_ONLY\n\n", file);
  fprintf(file, "// the state has no more bytes than the head says\n");
  sfnec_source_copy(source, "typedef char policy_state_fits[sizeof(policy_state) <= ", file);
  fprintf(file, "%zu ? 1 : -1];\n\n", cost->state_bytes);
  fputs(source->data_text, file);
  for (size_t i = 0; i < sizeof all->code / sizeof all->code[0] && all->code[i]; i++) {
    fputc('\n', file);
    sfnec_source_copy_runtime(source, all->code[i], file);
  }
  fputs("\n#endif\n", file);
}

// What all kinds have: sizes, and the stream that breaks ties.
static void write_common(const sfnec_agent *agent, sfnec_source *source) {
  const sfnec_random *ties = &agent->evaluation;
  sfnec_source_count(source, "OBSERVATION", agent->shape.observation_size);
  sfnec_source_count(source, "ACTIONS", agent->shape.action_count);
  sfnec_source_count(source, "FEATURES", (int64_t)agent->policies.config.psi_size);
  sfnec_source_count(source, "TIES_RANDOM", agent->policies.config.options.ties == SFNEC_TIES_RANDOM);
  sfnec_source_bits(source, "SEED", ties->seed);
  sfnec_source_bits(source, "PURPOSE", ties->purpose);
  sfnec_source_bits(source, "DRAWN", ties->counter);
}

static size_t key_size_of(const sfnec_agent *agent) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  if (options->psi == SFNEC_PSI_PLANNED) return sfnec_planner_model(agent->planner)->key_size;
  return options->psi == SFNEC_PSI_LINEAR ? 0 : sfnec_psi_key_size(&agent->policies.config);
}

sfnec_status sfnec_agent_export_c(const sfnec_agent *agent, const double *w, const char *name, const char *path) {
  if (!agent || !path) return sfnec_fail_null(__func__);
  if (!name) name = "policy";
  sfnec_status status = check(agent, w, name);
  if (status) return status;
  sfnec_source source;
  sfnec_deploy_cost cost = {0};
  status = sfnec_source_begin(&source, name);
  if (!status) {
    write_common(agent, &source);
    status =
        agent->planner ? sfnec_deploy_plan(agent, w, &source, &cost) : sfnec_deploy_policies(agent, w, &source, &cost);
  }
  const sfnec_status ended = sfnec_source_end(&source);
  if (!status) status = ended;
  sfnec_output output;
  if (!status) status = sfnec_output_open(&output, path);
  if (!status) {
    write_head(agent, w, &source, &cost, key_size_of(agent), output.file);
    write_file(agent, &source, &cost, output.file);
    status = sfnec_output_close(&output, true);
  }
  sfnec_source_clear(&source);
  return status;
}
