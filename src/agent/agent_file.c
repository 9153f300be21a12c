// agent_file.c: the whole agent in a file (container: base/file.h).
//
// Order: shape, seed, options as text, note, streams, tasks (w, counters, psi), the episode, the learner, what the
// components of observations are (where that is known). Options are stored by name, so a file says what it was made
// with, and a name that this program does not know is refused instead of guessed. Where keys may be kept apart
// (agent_file.h), their digest stands before each psi; 0: the keys are here.
#include "agent/agent_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/switches.h"
#include "base/error.h"
#include "base/fields.h"
#include "base/file.h"
#include "base/vector.h"
#include "env/picture.h"

static const char magic[] = "SFNECAGT";
enum { VERSION = 1 };

// ---- saving ----

static void save_options(const sfnec_agent_options *options, sfnec_writer *writer) {
  const sfnec_option_set *set = sfnec_agent_option_set();
  uint32_t count = 0;
  while (set->rows[count].name) count++;
  sfnec_write_u32(writer, count);
  for (uint32_t i = 0; i < count; i++) {
    char value[64];
    sfnec_options_get_text(&set->rows[i], options, value, sizeof value);
    sfnec_write_text(writer, set->rows[i].name);
    sfnec_write_text(writer, value);
  }
}

// What a frame holds; a mask is written only where there is one, so that agents without masks have the same bytes.
enum { FRAME_VALID = 1, FRAME_MASKED = 2 };

static void save_frame(const sfnec_agent *agent, const sfnec_frame *frame, sfnec_writer *writer) {
  const bool masked = frame->valid && frame->masked;
  sfnec_write_u32(writer, (frame->valid ? (uint32_t)FRAME_VALID : 0) | (masked ? (uint32_t)FRAME_MASKED : 0));
  if (frame->valid) {
    sfnec_write_bytes(writer, frame->observation, agent->policies.config.observation_size * sizeof(float));
  }
  if (masked) sfnec_write_bytes(writer, frame->mask, (size_t)agent->shape.action_count);
}

static const sfnec_fields episode_fields = SFNEC_FIELDS(
    "its episode", {SFNEC_ANY(sfnec_agent, in_episode)}, {SFNEC_ANY(sfnec_agent, acted)},
    {SFNEC_ANY(sfnec_agent, has_choice)}, {SFNEC_ANY(sfnec_agent, choice.action)},
    {SFNEC_ANY(sfnec_agent, choice.policy)}, {SFNEC_WITHIN(sfnec_agent, choice.value, -HUGE_VAL, HUGE_VAL)},
    {SFNEC_ANY(sfnec_agent, choice.explored)});

// The look-ups of the two frames are not saved: they follow from the observations and the memories.
static void save_episode(const sfnec_agent *agent, sfnec_writer *writer) {
  sfnec_fields_save(&episode_fields, agent, writer);
  save_frame(agent, &agent->here, writer);
  save_frame(agent, &agent->next, writer);
  sfnec_ring_save(&agent->waiting, writer);
}

uint64_t sfnec_agent_keys_apart(const sfnec_agent *agent, uint32_t task) {
  sfnec_psi *psi = agent->policies.list[task].psi;
  return !psi || agent->active == (int32_t)task ? 0 : psi->ops->digest(psi);
}

void sfnec_agent_write_keys(const sfnec_agent *agent, uint32_t task, sfnec_writer *writer) {
  sfnec_psi_save_keys(agent->policies.list[task].psi, writer);
}

static const sfnec_fields policy_fields =
    SFNEC_FIELDS("a task", {SFNEC_ANY(sfnec_policy, steps)}, {SFNEC_ANY(sfnec_policy, chosen)});

static void save_task(const sfnec_agent *agent, uint32_t task, sfnec_writer *writer, bool apart) {
  const sfnec_policy *policy = &agent->policies.list[task];
  sfnec_reward_save(&policy->reward, writer);
  sfnec_fields_save(&policy_fields, policy, writer);
  const uint64_t digest = apart ? sfnec_agent_keys_apart(agent, task) : 0;
  if (apart) sfnec_write_u64(writer, digest);
  if (policy->psi) policy->psi->ops->save(policy->psi, writer, digest == 0);
}

// At the end of the file, where they are known.
static void save_components(const sfnec_agent *agent, sfnec_writer *writer) {
  for (int32_t i = 0; i < agent->shape.observation_size; i++) {
    const sfnec_component_space *component = &agent->components[i];
    sfnec_write_text(writer, component->name);
    sfnec_write_u32(writer, (uint32_t)component->kind);
    sfnec_write_u32(writer, (uint32_t)component->values);
  }
}

// A picture follows the sizes, and a bit of the first one, which none has, says so: agents without one keep their
// bytes.
#define SHAPE_PICTURE (UINT32_C(1) << 31)

static const sfnec_fields size_fields =
    SFNEC_FIELDS("its shape", {SFNEC_ANY(sfnec_env_shape, action_count)}, {SFNEC_ANY(sfnec_env_shape, feature_count)});

static const sfnec_fields picture_fields =
    SFNEC_FIELDS("its picture", {SFNEC_ANY(sfnec_picture_shape, frames)}, {SFNEC_ANY(sfnec_picture_shape, height)},
                 {SFNEC_ANY(sfnec_picture_shape, width)}, {SFNEC_ANY(sfnec_picture_shape, channels)},
                 {SFNEC_ANY(sfnec_picture_shape, levels)});

static void save_shape(const sfnec_env_shape *shape, sfnec_writer *writer) {
  const bool is_picture = sfnec_picture_is(&shape->picture);
  sfnec_write_u32(writer, (uint32_t)shape->observation_size | (is_picture ? SHAPE_PICTURE : 0));
  sfnec_fields_save(&size_fields, shape, writer);
  if (is_picture) sfnec_fields_save(&picture_fields, &shape->picture, writer);
}

// What sfnec_agent_create checks.
static sfnec_env_shape load_shape(sfnec_reader *reader) {
  const uint32_t first = sfnec_read_u32(reader);
  sfnec_env_shape shape = {.observation_size = (int32_t)(first & ~SHAPE_PICTURE)};
  (void)sfnec_fields_load(&size_fields, &shape, NULL, 0, reader);
  if (first & SHAPE_PICTURE) (void)sfnec_fields_load(&picture_fields, &shape.picture, NULL, 0, reader);
  return shape;
}

void sfnec_agent_write(const sfnec_agent *agent, sfnec_writer *writer, bool apart) {
  save_shape(&agent->shape, writer);
  sfnec_write_u64(writer, agent->seed);
  save_options(&agent->policies.config.options, writer);
  sfnec_write_text(writer, agent->note);
  sfnec_write_u64(writer, agent->exploration.counter);
  sfnec_write_u64(writer, agent->init.counter);
  sfnec_write_u64(writer, agent->replay.counter);
  sfnec_write_u64(writer, agent->evaluation.counter);

  sfnec_write_u32(writer, agent->policies.count);
  sfnec_write_u32(writer, (uint32_t)agent->active);
  for (uint32_t i = 0; i < agent->policies.count; i++) save_task(agent, i, writer, apart);
  save_episode(agent, writer);
  if (agent->learner->save) agent->learner->save(agent, writer);
  if (agent->evidence) sfnec_evidence_save(agent->evidence, agent->policies.config.psi_size, writer);
  sfnec_basis_save(agent, writer);
  if (agent->components) save_components(agent, writer);
}

sfnec_status sfnec_agent_save(const sfnec_agent *agent, const char *path) {
  if (!agent || !path) return sfnec_fail_null(__func__);
  sfnec_writer *writer;
  const sfnec_status status = sfnec_writer_open(path, magic, VERSION, &writer);
  if (status) return status;
  sfnec_agent_write(agent, writer, false);
  return sfnec_writer_commit(writer);
}

sfnec_status sfnec_agent_save_bytes(const sfnec_agent *agent, unsigned char **bytes, size_t *size) {
  if (!agent || !bytes || !size) return sfnec_fail_null(__func__);
  sfnec_writer *writer;
  const sfnec_status status = sfnec_writer_open_memory(magic, VERSION, &writer);
  if (status) return status;
  sfnec_agent_write(agent, writer, false);
  return sfnec_writer_take(writer, bytes, size);
}

void sfnec_agent_free_bytes(unsigned char *bytes) {
  free(bytes);
}

// ---- loading ----

// Refuses the file with the sentence of the failure that its content led to.
static sfnec_status refuse_with_reason(const sfnec_reader *reader) {
  char why[400];
  snprintf(why, sizeof why, "%s", sfnec_last_error());
  return sfnec_reader_refuse(reader, why);
}

// The failure of a text that could not be had: it is not there, or there was no memory for it.
static sfnec_status refuse_text(const sfnec_reader *reader, const char *why) {
  return sfnec_reader_good(reader) ? sfnec_fail_memory("a text of an agent file") : sfnec_reader_refuse(reader, why);
}

static sfnec_status load_options(sfnec_agent_options *options, sfnec_reader *reader) {
  sfnec_agent_options_default(options);
  const uint32_t count = sfnec_read_u32(reader);
  sfnec_status status = SFNEC_OK;
  for (uint32_t i = 0; i < count && !status; i++) {
    char *name = sfnec_read_text(reader, 63), *value = sfnec_read_text(reader, 63);
    if (!name || !value) {
      status = refuse_text(reader, "its options cannot be read");
    } else if (sfnec_options_set(sfnec_agent_option_set(), options, name, value)) {
      status = refuse_with_reason(reader);
    }
    free(name);
    free(value);
  }
  return status;
}

// Loads a psi (NULL: there is none) whose keys may be kept apart.
static sfnec_status load_psi(sfnec_psi *psi, sfnec_reader *reader, const sfnec_keys_source *source) {
  const uint64_t digest = source ? sfnec_read_u64(reader) : 0;
  if (!psi) return digest == 0 ? SFNEC_OK : sfnec_reader_refuse(reader, "a task that holds no keys names some");
  if (digest == 0) return psi->ops->load(psi, reader, reader);
  sfnec_reader *keys = NULL;
  sfnec_status status = source->open(source->context, digest, &keys);
  if (status) return status;
  status = psi->ops->load(psi, reader, keys);
  if (!status && (sfnec_reader_left(keys) > 0 || psi->ops->digest(psi) != digest)) {
    status = sfnec_reader_refuse(keys, "its keys are not those that its name stands for");
  }
  sfnec_reader_close(keys);
  return status;
}

// The least bytes of a task: its weights, two counters and its psi.
static size_t task_least_bytes(const sfnec_psi_config *config) {
  return sizeof(uint32_t) + config->psi_size * sizeof(double) + 2 * sizeof(int64_t) + sfnec_psi_least_bytes(config);
}

static sfnec_status load_policy(sfnec_agent *agent, sfnec_reader *reader, const sfnec_keys_source *source) {
  sfnec_policies *policies = &agent->policies;
  // a task is believed only as far as there are bytes for it
  if (!sfnec_reader_holds(reader, 1, task_least_bytes(&policies->config))) {
    return sfnec_reader_refuse(reader, "its tasks end early");
  }
  sfnec_status status = sfnec_policies_reserve(policies);
  if (status) return status;

  // what is drawn or copied here is overwritten by the load; the stream's counter was read from the file
  sfnec_random unused = agent->init;
  const sfnec_psi *previous = policies->count ? policies->list[policies->count - 1].psi : NULL;
  sfnec_policy policy = {0};
  status = sfnec_psi_create(&policies->config, previous, &unused, &policy.psi);
  if (!status) {
    status = sfnec_reward_load(&policy.reward, &policies->config.options, policies->config.psi_size, reader);
  }
  if (!status) status = sfnec_fields_load(&policy_fields, &policy, NULL, 0, reader);
  if (!status) status = load_psi(policy.psi, reader, source);
  if (status) {
    sfnec_policy_clear(&policy);
    return status;
  }
  sfnec_policies_push(policies, &policy);
  return SFNEC_OK;
}

static sfnec_status load_tasks(sfnec_agent *agent, sfnec_reader *reader, const sfnec_keys_source *source) {
  const uint32_t count = sfnec_read_u32(reader);
  const uint32_t active = sfnec_read_u32(reader);
  sfnec_status status = SFNEC_OK;
  for (uint32_t i = 0; i < count && !status; i++) {
    status = load_policy(agent, reader, source);
    if (!status && !sfnec_reader_good(reader)) status = sfnec_reader_refuse(reader, "its tasks end early");
  }
  if (status) return status;
  if (active != (uint32_t)SFNEC_NO_POLICY && active >= count) {
    return sfnec_reader_refuse(reader, "its active task does not exist");
  }
  agent->active = (int32_t)active;
  for (uint32_t i = 0; i < count; i++) {
    if (i != active && agent->learner->leave_task) agent->learner->leave_task(agent, i);
  }
  return SFNEC_OK;
}

// Reads the mask of a frame; the other one gets room, as frames change places.
static sfnec_status load_mask(sfnec_agent *agent, sfnec_frame *frame, sfnec_reader *reader) {
  const size_t actions = (size_t)agent->shape.action_count;
  if (!agent->here.mask) agent->here.mask = sfnec_read_room(reader, actions, 1, 1);
  if (!agent->next.mask) agent->next.mask = sfnec_read_alloc(reader, 1, actions);
  if (!agent->here.mask || !agent->next.mask) {
    return sfnec_reader_starved(reader) ? sfnec_fail_memory("a mask of actions")
                                        : sfnec_reader_refuse(reader, "a mask of actions ends early");
  }
  sfnec_read_bytes(reader, frame->mask, actions);
  bool good = memchr(frame->mask, 1, actions) != NULL;
  for (size_t a = 0; a < actions; a++) good &= frame->mask[a] <= 1;
  frame->masked = true;
  return good ? SFNEC_OK : sfnec_reader_refuse(reader, "a mask of actions is none");
}

static sfnec_status load_frame(sfnec_agent *agent, sfnec_frame *frame, sfnec_reader *reader) {
  const size_t size = agent->policies.config.observation_size;
  const uint32_t flags = sfnec_read_u32(reader);
  if (flags == 0) return SFNEC_OK;
  if (flags != FRAME_VALID && flags != (FRAME_VALID | FRAME_MASKED)) {
    return sfnec_reader_refuse(reader, "an observation of its episode is none");
  }
  sfnec_read_bytes(reader, frame->observation, size * sizeof(float));
  frame->valid = true;
  const int32_t levels = agent->shape.picture.levels;
  if (!sfnec_all_finite_f32(frame->observation, size) ||
      (levels && sfnec_picture_whole(levels, frame->observation, size) < size)) {
    return sfnec_reader_refuse(reader, "an observation is not finite, or not of the levels of its picture");
  }
  return flags & FRAME_MASKED ? load_mask(agent, frame, reader) : SFNEC_OK;
}

static sfnec_status load_episode(sfnec_agent *agent, sfnec_reader *reader) {
  sfnec_status status = sfnec_fields_load(&episode_fields, agent, NULL, 0, reader);
  if (status) return status;
  const bool choice_fits = isfinite(agent->choice.value) && agent->choice.action >= 0 &&
                           agent->choice.action < agent->shape.action_count && agent->choice.policy >= 0 &&
                           (uint32_t)agent->choice.policy < agent->policies.count;
  if ((agent->acted && !agent->has_choice) || (agent->has_choice && !choice_fits) ||
      (agent->in_episode && agent->active == SFNEC_NO_POLICY) || (agent->acted && !agent->in_episode)) {
    return sfnec_reader_refuse(reader, "its episode contradicts itself");
  }
  status = load_frame(agent, &agent->here, reader);
  if (!status) status = load_frame(agent, &agent->next, reader);
  if (!status)
    status = sfnec_ring_load(&agent->waiting, agent->shape.action_count, "a transition of its episode", reader);
  if (status) return status;
  const sfnec_agent_options *options = &agent->policies.config.options;
  const size_t waiting = agent->waiting.count;
  if ((agent->acted || waiting > 0) && !agent->here.valid) {
    return sfnec_reader_refuse(reader, "its episode has no observation");
  }
  if (waiting > 0 && !agent->in_episode) return sfnec_reader_refuse(reader, "transitions wait without an episode");
  if (waiting >= sfnec_collector_limit(options)) {
    return sfnec_reader_refuse(reader, "more transitions wait than its horizon allows");
  }
  return SFNEC_OK;
}

// Are there bytes for what an agent makes room for when it is created? One that plans holds the weights of its plan,
// the greatest features and, learning weights, what is not known of each pair of them. Of each component of the
// observation it knows some 70 numbers, and its file at least 4 (older ones of an agent that has seen nothing have
// none, so a few thousand components need none).
static bool holds_learner(sfnec_reader *reader, const sfnec_env_shape *shape, const sfnec_agent_options *options) {
  enum { COMPONENTS_FREE = 1 << 16 };
  if (options->psi != SFNEC_PSI_PLANNED) return true;
  if (shape->observation_size > COMPONENTS_FREE &&
      !sfnec_reader_holds(reader, (uint32_t)shape->observation_size, 4 * sizeof(float)))
    return false;
  const uint64_t n = sfnec_basis_size(options, shape);
  return sfnec_reader_holds(reader, n, sizeof(double) + sizeof(float)) &&
         (options->w != SFNEC_W_RLS || sfnec_reader_holds(reader, n * n, sizeof(double)));
}

static sfnec_status load_components(sfnec_agent *agent, sfnec_reader *reader) {
  const size_t count = agent->policies.config.observation_size, least = 3 * sizeof(uint32_t);
  agent->components = sfnec_read_room(reader, count, least, sizeof *agent->components);
  if (!agent->components) {
    return sfnec_reader_starved(reader) ? sfnec_fail_memory("the components of an observation")
                                        : sfnec_reader_refuse(reader, "its content has another length than it claims");
  }
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    sfnec_component_space *component = &agent->components[i];
    char *name = sfnec_read_text(reader, SFNEC_COMPONENT_NAME - 1);
    if (!name) return refuse_text(reader, "a component of its observations has no name");
    snprintf(component->name, sizeof component->name, "%s", name);
    free(name);
    const uint32_t kind = sfnec_read_u32(reader), values = sfnec_read_u32(reader);
    good = sfnec_reader_good(reader) && kind <= SFNEC_SPACE_PIXEL && values <= INT32_MAX;
    component->kind = good ? (sfnec_space_kind)kind : SFNEC_SPACE_NUMBER;
    component->values = good ? (int32_t)values : 0;
    good = good && sfnec_component_space_is_good(component);
  }
  return good ? SFNEC_OK : sfnec_reader_refuse(reader, "a component of its observations is none");
}

static sfnec_status load_content(sfnec_reader *reader, const sfnec_keys_source *source, sfnec_agent **out) {
  // shape, seed and options make an agent, if the file is as long as such an agent's must be
  const sfnec_env_shape shape = load_shape(reader);
  const uint64_t seed = sfnec_read_u64(reader);
  sfnec_agent_options options;
  sfnec_status status = load_options(&options, reader);
  if (!status && !holds_learner(reader, &shape, &options)) {
    status = sfnec_reader_refuse(reader, "it ends before what its shape and options ask for");
  }
  if (!status) {
    status = sfnec_agent_create(&shape, &options, seed, out);
    if (status && status != SFNEC_ERROR_MEMORY) status = refuse_with_reason(reader);
  }
  if (status) return status;

  // the note, and where the random streams stand
  sfnec_agent *agent = *out;
  char *note = sfnec_read_text(reader, UINT16_MAX);
  if (!note) return refuse_text(reader, "its note cannot be read");
  free(agent->note);
  agent->note = note;
  agent->exploration.counter = sfnec_read_u64(reader);
  agent->init.counter = sfnec_read_u64(reader);
  agent->replay.counter = sfnec_read_u64(reader);
  agent->evaluation.counter = sfnec_read_u64(reader);
  // what it has learned
  status = load_tasks(agent, reader, source);
  if (!status) status = load_episode(agent, reader);
  if (!status) status = agent->learner->load(agent, reader);
  if (!status && agent->evidence) status = sfnec_evidence_load(agent, reader);
  if (!status) status = sfnec_basis_load(agent, reader);
  if (!status && sfnec_reader_left(reader) > 0) status = load_components(agent, reader);
  if (!status && (!sfnec_reader_good(reader) || sfnec_reader_left(reader) > 0)) {
    status = sfnec_reader_refuse(reader, "its content has another length than it claims");
  }
  // the look-ups of all tasks, which are many times the least bytes of a task: only for a file that is whole
  return status ? status : sfnec_agent_make_room(agent, agent->policies.count);
}

sfnec_status sfnec_agent_read(sfnec_reader *reader, const sfnec_keys_source *source, sfnec_agent **out) {
  *out = NULL;
  const sfnec_status status = load_content(reader, source, out);
  if (!status) return SFNEC_OK;
  sfnec_agent_destroy(*out);
  *out = NULL;
  return status;
}

// Reads the agent of a reader, if that could be opened, and closes it.
static sfnec_status load_from(sfnec_status opened, sfnec_reader *reader, sfnec_agent **out) {
  if (opened) return opened;
  sfnec_agent *agent;
  const sfnec_status status = sfnec_agent_read(reader, NULL, &agent);
  sfnec_reader_close(reader);
  if (!status) *out = agent;
  return status;
}

sfnec_status sfnec_agent_load(const char *path, sfnec_agent **out) {
  if (!path || !out) return sfnec_fail_null(__func__);
  sfnec_reader *reader = NULL;
  const sfnec_status opened = sfnec_reader_open(path, magic, VERSION, "an agent file", &reader);
  return load_from(opened, reader, out);
}

sfnec_status sfnec_agent_load_bytes(const unsigned char *bytes, size_t size, sfnec_agent **out) {
  if (!bytes || !out) return sfnec_fail_null(__func__);
  sfnec_reader *reader = NULL;
  const sfnec_status opened = sfnec_reader_open_memory(bytes, size, magic, VERSION, "an agent", &reader);
  return load_from(opened, reader, out);
}

// Through the content of its file, so that there is one list of what an agent is made of.
sfnec_status sfnec_agent_clone(const sfnec_agent *agent, sfnec_agent **out) {
  if (!agent || !out) return sfnec_fail_null(__func__);
  sfnec_writer *writer;
  unsigned char *bytes = NULL;
  size_t size;
  sfnec_status status = sfnec_writer_open_memory(NULL, 0, &writer);
  if (status) return status;
  sfnec_agent_write(agent, writer, false);
  status = sfnec_writer_take(writer, &bytes, &size);
  if (status) return status;
  sfnec_reader *reader = NULL;
  status = sfnec_reader_open_memory(bytes, size, NULL, 0, "an agent", &reader);
  status = load_from(status, reader, out);
  free(bytes);
  return status;
}
