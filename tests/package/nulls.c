// nulls.c: makes the calls that nulls.sh wrote to calls.h, each in a process of its own:
//   STATUS(function, parameter that is NULL, arguments...) for a function that returns a status, else OTHER(...).
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sfnec/sfnec.h"

// ---- a value of each type that parameters have ----

static sfnec_agent *agent;
static sfnec_env *env;
static sfnec_scratch *scratch;
static sfnec_run *run;
static sfnec_run_options run_options = {.tasks = 1, .steps = 10};
static sfnec_evaluate_options evaluate_options = {.every = 5, .episodes = 1, .episode_steps = 5};
static sfnec_agent_options options;
static sfnec_env_shape shape;
static sfnec_transition transition;
static sfnec_transitions transitions = {.count = 1};
static sfnec_choice choice;
static sfnec_task_info info;
static sfnec_model_info model;
static sfnec_component_info component;
static sfnec_learned_info learned;
static sfnec_plan_coverage coverage;
static sfnec_response responses[1];
static sfnec_place_view places[4];
static sfnec_memory_view views[4];
static sfnec_env_outcome outcome;
static sfnec_look look;
static sfnec_evaluation evaluation;
static sfnec_finding findings[SFNEC_FINDINGS_MOST];
static float floats[512];
static double numbers[4096];
static const double *number_pointer;
static char text[4096];
static const char *settings[] = {NULL};
static sfnec_agent *new_agent;
static sfnec_env *new_env;
static sfnec_scratch *new_scratch;
static sfnec_reward_expression *new_reward;
static sfnec_run *new_run;
static unsigned char *bytes;
static size_t size;
static uint32_t number;
static int32_t action;
static int64_t made;
static sfnec_component_space spaces[512];
static uint8_t mask[] = {1, 1, 1, 1, 1, 1, 1, 1};

#define V_sfnec_agent_p agent
#define V_sfnec_env_p env
#define V_sfnec_scratch_p scratch
#define V_sfnec_run_p run
#define V_sfnec_agent_p_p &new_agent
#define V_sfnec_env_p_p &new_env
#define V_sfnec_scratch_p_p &new_scratch
#define V_sfnec_run_p_p &new_run
#define V_sfnec_run_options_p &run_options
#define V_sfnec_evaluate_options_p &evaluate_options
#define V_sfnec_agent_options_p &options
#define V_sfnec_env_shape_p &shape
#define V_sfnec_env_kind_p sfnec_env_kind_at(0)
#define V_sfnec_option_set_p sfnec_agent_option_set()
#define V_sfnec_option_p sfnec_agent_option_set()->rows
#define V_sfnec_transition_p &transition
#define V_sfnec_transitions_p &transitions
#define V_sfnec_reward_expression_p_p &new_reward
#define V_sfnec_reward_function sfnec_reward_evaluate
#define V_sfnec_choice_p &choice
#define V_sfnec_task_info_p &info
#define V_sfnec_model_info_p &model
#define V_sfnec_component_info_p &component
#define V_sfnec_learned_info_p &learned
#define V_sfnec_plan_coverage_p &coverage
#define V_sfnec_response_p responses
#define V_sfnec_place_view_p places
#define V_sfnec_memory_view_p views
#define V_sfnec_env_outcome_p &outcome
#define V_sfnec_look_p &look
#define V_sfnec_evaluation_p &evaluation
#define V_sfnec_finding_p findings
#define V_float_p floats
#define V_uint8_t_p mask
#define V_sfnec_component_space_p spaces
#define V_double_p numbers
#define V_double_p_p &number_pointer
#define V_char_p text
#define V_char_p_p settings
#define V_unsignedchar_p (unsigned char *)text
#define V_unsignedchar_p_p &bytes
#define V_void_p numbers
#define V_size_t_p &size
#define V_uint32_t_p &number
#define V_int32_t_p &action
#define V_size_t 1
#define V_uint32_t 0
#define V_uint64_t 1
#define V_int32_t 0
#define V_int64_t 1
#define V_int64_t_p &made
#define V_double 0.5
#define V_sfnec_status SFNEC_ERROR_ARGUMENT

// ---- the calls ----

typedef struct call {
  const char *function, *parameter;
  sfnec_status (*make)(void); // NULL: it returns no status
  void (*make_other)(void);
} call;

#define STATUS(function, parameter, ...)                                                                               \
  static sfnec_status function##_without_##parameter(void) {                                                           \
    return function(__VA_ARGS__);                                                                                      \
  }
#define OTHER(function, parameter, ...)                                                                                \
  static void function##_without_##parameter(void) {                                                                   \
    (void)function(__VA_ARGS__);                                                                                       \
  }
#include "calls.h"
#undef STATUS
#undef OTHER

#define STATUS(function, parameter, ...) {#function, #parameter, function##_without_##parameter, NULL},
#define OTHER(function, parameter, ...) {#function, #parameter, NULL, function##_without_##parameter},
static const call calls[] = {
#include "calls.h"
};

// Those whose header says that they may be NULL.
static const char *const allowed[] = {
    "sfnec_agent_begin_task w",
    "sfnec_agent_begin_task task",
    "sfnec_agent_add_task w",
    "sfnec_agent_add_task task",
    "sfnec_agent_replace_task w",
    "sfnec_agent_choose w",
    "sfnec_agent_ask_places w",
    "sfnec_agent_ask_path w",
    "sfnec_agent_ask_coverage w",
    "sfnec_agent_ask_q w",
    "sfnec_env_create settings",
    "sfnec_set_error sentence",
    "sfnec_agent_choose_many w",
    "sfnec_reward_parse kind",
    "sfnec_scratch_set_reward context",
    "sfnec_agent_export_c w",
    "sfnec_agent_export_c name",
    "sfnec_agent_act_masked mask",
    "sfnec_agent_choose_masked mask",
    "sfnec_agent_choose_masked w",
    "sfnec_agent_set_components components",
    "sfnec_agent_diagnose scratch",
    "sfnec_agent_begin_reward context",
    "sfnec_agent_begin_reward task",
    "sfnec_agent_set_reward context",
    "sfnec_agent_choose_many_masked masks",
    "sfnec_agent_choose_many_masked w",
};

static int is_allowed(const call *c) {
  char name[128];
  snprintf(name, sizeof name, "%s %s", c->function, c->parameter);
  for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
    if (strcmp(allowed[i], name) == 0) return 1;
  }
  return 0;
}

// In the child: 0 if the answer is as it should be.
static int make(const call *c) {
  sfnec_set_error(SFNEC_OK, "");
  if (!c->make) {
    c->make_other();
    return 0;
  }
  const sfnec_status status = c->make();
  if (is_allowed(c)) return 0;
  if (status != SFNEC_ERROR_ARGUMENT || !sfnec_last_error()[0]) {
    fprintf(stderr, "status %s, sentence '%s'\n", sfnec_status_name(status), sfnec_last_error());
    return 1;
  }
  return 0;
}

int main(void) {
  const double w[] = {1, 1, 1, 1};
  if (sfnec_env_create(sfnec_env_kind_at(0), NULL, 1, &env)) return 2;
  shape = sfnec_env_get_shape(env);
  sfnec_agent_options_default(&options);
  if (sfnec_agent_create(&shape, &options, 1, &agent) || sfnec_run_create(agent, env, &run_options, &run) ||
      sfnec_agent_begin_task(agent, w, NULL) || sfnec_scratch_create(agent, &scratch)) {
    fprintf(stderr, "%s\n", sfnec_last_error());
    return 2;
  }
  transition = (sfnec_transition){.features = numbers, .next_observation = floats};
  strcpy(text, "missing");
  const size_t count = sizeof calls / sizeof calls[0];
  int failures = 0;
  for (size_t i = 0; i < count; i++) {
    const pid_t child = fork();
    if (child == 0) _exit(make(&calls[i]));
    int result = 0;
    waitpid(child, &result, 0);
    if (result == 0) continue;
    failures++;
    fprintf(stderr, "%s with NULL for %s: %s\n", calls[i].function, calls[i].parameter,
            WIFSIGNALED(result) ? "crashes" : "is not refused");
  }
  printf("%zu calls with a NULL each, %d of them answered badly\n", count, failures);
  sfnec_run_destroy(run);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
  return failures > 0 || count < 100;
}
