// worker.c: the jobs of a study in worlds that Python holds; the contract is in python.h.
//
// A worker is a process of its own with one study in it, so that the kind of its worlds is one variable.
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "python.h"
#include "study/work/frame.h"
#include "study/work/job.h"
#include "study/work/python.h"

static const sfnec_env_kind *study_kind;
static const sfnec_component_space *study_components; // NULL: not known

// ---- the kind ----

typedef struct state {
  sfnec_python_world *world; // Python keeps it; NULL: before the first episode, or it could not be made
  char failure[512];         // why not
} state;

static sfnec_status open_world(state *s, const void *options) {
  char *settings = sfnec_gym_settings(study_kind, options);
  if (!settings) return sfnec_fail_memory("a world");
  s->world = sfnec_python_open(settings);
  free(settings);
  if (!s->world) return SFNEC_ERROR_STATE; // Python has set the sentence
  const sfnec_env_shape is = s->world->shape, wanted = study_kind->shape(options);
  if (is.observation_size == wanted.observation_size && is.action_count == wanted.action_count &&
      is.feature_count == wanted.feature_count) {
    return SFNEC_OK;
  }
  sfnec_python_close(s->world->number);
  s->world = NULL;
  return sfnec_fail(SFNEC_ERROR_STATE, "these options change the shape of %s, and a study has one shape",
                    study_kind->name);
}

static void destroy(void *self, const void *options) {
  (void)options;
  const state *s = self;
  if (s->world) sfnec_python_close(s->world->number);
}

static void copy_observation(const state *s, float *observation) {
  memcpy(observation, s->world->observation, (size_t)s->world->shape.observation_size * sizeof *observation);
}

// A world is made here and not by init, so that planning makes none. What fails is told by the first step.
static void reset(void *self, const void *options, sfnec_random *world, float *observation) {
  state *s = self;
  const bool first = !s->world;
  if (first && open_world(s, options)) {
    snprintf(s->failure, sizeof s->failure, "%s", sfnec_last_error());
    memset(observation, 0, (size_t)study_kind->shape(options).observation_size * sizeof *observation);
    return;
  }
  // a failure is told by the first step, and until then there is nothing to see
  if (sfnec_python_reset(s->world->number, first, world->seed)) copy_observation(s, observation);
  else memset(observation, 0, (size_t)s->world->shape.observation_size * sizeof *observation);
}

static sfnec_env_outcome step(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                              double *features) {
  (void)options, (void)world;
  const state *s = self;
  if (!s->world) return (sfnec_env_outcome){.status = sfnec_set_error(SFNEC_ERROR_STATE, s->failure)};
  const int outcome = sfnec_python_step(s->world->number, action);
  if (outcome & SFNEC_PYTHON_FAILED) return (sfnec_env_outcome){.status = SFNEC_ERROR_STATE}; // Python has said why
  copy_observation(s, observation);
  memcpy(features, s->world->features, (size_t)s->world->shape.feature_count * sizeof *features);
  return (sfnec_env_outcome){.terminated = outcome & SFNEC_PYTHON_TERMINATED,
                             .truncated = outcome & SFNEC_PYTHON_TRUNCATED};
}

static void sample_task(const void *options, sfnec_random *tasks, double *w) {
  // the stream of a task begins at its number (sfnec_env_get_task_weights); weights that are no numbers are refused
  if (sfnec_python_weights((uint32_t)(tasks->counter >> 32), tasks, w)) return;
  for (int32_t i = 0; i < study_kind->shape(options).feature_count; i++) w[i] = (double)NAN;
}

static void mask(const void *self, const void *options, uint8_t *allowed) {
  (void)options;
  const state *s = self;
  if (s->world) memcpy(allowed, s->world->mask, (size_t)s->world->shape.action_count);
}

static void describe_components(const void *options, sfnec_component_space *components) {
  const size_t count = (size_t)study_kind->shape(options).observation_size;
  if (study_components) memcpy(components, study_components, count * sizeof *components);
}

static const sfnec_env_kind functions = {.state_size = sizeof(state),
                                         .reset = reset,
                                         .step = step,
                                         .sample_task = sample_task,
                                         .destroy = destroy,
                                         .mask = mask,
                                         .describe = describe_components};

// ---- the worker ----

typedef struct worker {
  int socket;
  bool stopping;
} worker;

static void send_message(void *context, const sfnec_message *message) {
  worker *worker = context;
  unsigned char *bytes = NULL;
  size_t size;
  const bool told = !sfnec_message_pack(message, &bytes, &size) &&
                    sfnec_frame_send(worker->socket, SFNEC_FRAME_MESSAGE, bytes, size, NULL, NULL);
  free(bytes);
  // nobody waits for this job any more
  if (!told) worker->stopping = true;
}

static bool stop(void *context) {
  worker *worker = context;
  struct pollfd news = {.fd = worker->socket, .events = POLLIN};
  // while a job runs there is nothing to say but to stop, or the other side is gone
  if (!worker->stopping) worker->stopping = poll(&news, 1, 0) > 0;
  return worker->stopping;
}

static void serve(worker *worker, const sfnec_job_options *options) {
  const sfnec_job_hooks hooks = {send_message, stop, worker};
  sfnec_frame_tag tag;
  unsigned char *bytes;
  size_t size;
  while (!worker->stopping && sfnec_frame_receive(worker->socket, SFNEC_FRAME_MOST, NULL, NULL, &tag, &bytes, &size)) {
    uint32_t numbers[2] = {0};
    const bool assigned = tag == SFNEC_FRAME_ASSIGN && size == sizeof numbers;
    if (assigned) memcpy(numbers, bytes, sizeof numbers);
    free(bytes);
    // a command with another plan than ours
    if (!assigned || numbers[0] >= options->plan->job_count) return;
    sfnec_job_run(options, numbers[0], numbers[1], &hooks);
  }
}

static sfnec_status describe(void *context, const char *request, sfnec_env_shape *shape) {
  (void)request;
  *shape = *(const sfnec_env_shape *)context;
  return SFNEC_OK;
}

static sfnec_status plan(const sfnec_python_study *study, sfnec_env_shape *shape, sfnec_spec **spec,
                         sfnec_plan **plan) {
  const sfnec_gym_host host = {.describe = describe, .context = shape, .functions = &functions};
  const sfnec_overrides overrides = {.gym_host = &host};
  sfnec_status status = sfnec_spec_parse("the study", study->spec, strlen(study->spec), &overrides, spec);
  if (status) return status;
  study_kind = (*spec)->world.kind;
  return sfnec_plan_create(*spec, plan);
}

sfnec_status sfnec_python_serve(int socket, const unsigned char *bytes, size_t size, sfnec_env_shape shape,
                                const sfnec_component_space *components) {
  study_components = components;
  sfnec_python_study study;
  sfnec_spec *spec = NULL;
  sfnec_plan *jobs = NULL;
  sfnec_status status = sfnec_python_study_unpack(bytes, size, &study);
  if (status) return status;
  status = plan(&study, &shape, &spec, &jobs);
  if (!status) {
    const sfnec_job_options options = {.plan = jobs,
                                       .folder = study.folder[0] ? study.folder : NULL,
                                       .checkpoint_seconds = study.checkpoint_seconds,
                                       .agent_path = study.agent_path[0] ? study.agent_path : NULL,
                                       .log_path = study.log_path[0] ? study.log_path : NULL};
    worker worker = {.socket = socket};
    serve(&worker, &options);
  }
  sfnec_plan_destroy(jobs);
  sfnec_spec_destroy(spec);
  sfnec_python_study_clear(&study);
  return status;
}
