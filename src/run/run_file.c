// run_file.c: a run in a file; see run_file.h.
//
// Order: sequence number; identity (label, environment, limits, finished tasks); progress; results; uses; episodes;
// bins (since edition 3 of the records); evaluations (since edition 4); the environment's state; the agent, up to the
// end of the file. The environment is identified by the name of its kind, its shape, its options by name (but
// max_episode_steps, a number after them), and the weights of its first task, which stand for the seed.
#include "run/run_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/error.h"
#include "base/fields.h"
#include "base/vector.h"
#include "run/record.h"

enum { LONGEST_VALUE = 64 };

// ---- writing ----

// The options of an environment that a file holds by name; past the last its name is NULL.
static const sfnec_option *named_option(const sfnec_option *row) {
  while (row->name && row->offset == offsetof(sfnec_env_common, max_episode_steps)) row++;
  return row;
}

static void write_env(const sfnec_env *env, const double *first_w, sfnec_writer *writer) {
  const sfnec_env_kind *kind = sfnec_env_get_kind(env);
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_write_text(writer, kind->name);
  sfnec_write_u32(writer, (uint32_t)shape.observation_size);
  sfnec_write_u32(writer, (uint32_t)shape.action_count);
  sfnec_write_u32(writer, (uint32_t)shape.feature_count);
  const sfnec_option *row = sfnec_env_kind_option_set(kind)->rows;
  for (row = named_option(row); row->name; row = named_option(row + 1)) {
    char value[LONGEST_VALUE];
    sfnec_options_get_text(row, sfnec_env_get_options(env), value, sizeof value);
    sfnec_write_text(writer, row->name);
    sfnec_write_text(writer, value);
  }
  sfnec_write_text(writer, ""); // ends the options
  sfnec_write_i64(writer, sfnec_env_get_max_episode_steps(env));
  sfnec_write_bytes(writer, first_w, (size_t)shape.feature_count * sizeof *first_w);
}

static const sfnec_fields progress_fields =
    SFNEC_FIELDS("its progress", {SFNEC_ANY(sfnec_run, play.in_episode)}, {SFNEC_ANY(sfnec_run, policy)},
                 {SFNEC_ANY(sfnec_run, play.steps)}, {SFNEC_ANY(sfnec_run, play.total)});

static void write_progress(const sfnec_run *run, sfnec_writer *writer) {
  const sfnec_env_shape shape = sfnec_env_get_shape(run->play.env);
  sfnec_fields_save(&progress_fields, run, writer);
  sfnec_write_bytes(writer, run->play.observation, (size_t)shape.observation_size * sizeof(float));
  sfnec_write_bytes(writer, run->w, (size_t)shape.feature_count * sizeof(double));
  for (uint32_t i = 0; i <= run->task; i++) sfnec_record_write(sfnec_task_record_set(), &run->results[i], writer);
  for (uint32_t i = 0; i < run->task + run->task_begun; i++) {
    sfnec_write_u32(writer, run->uses[i].count);
    sfnec_write_bytes(writer, run->uses[i].counts, run->uses[i].count * sizeof(int64_t));
  }
  sfnec_write_u64(writer, run->episodes_finished);
  sfnec_write_u64(writer, run->episode_count);
  for (size_t i = 0; i < run->episode_count; i++) {
    sfnec_write_u32(writer, run->episodes[i].task);
    sfnec_record_write(sfnec_episode_record_set(), &run->episodes[i], writer);
  }
  for (uint32_t i = 0; i < run->task + run->task_begun; i++) sfnec_bins_write(&run->bins[i], writer);
  for (uint32_t i = 0; i < run->task + run->task_begun; i++)
    sfnec_evaluations_write(&run->evaluations[i], (size_t)shape.feature_count, writer);
}

sfnec_status sfnec_run_write(const sfnec_run *run, uint64_t sequence, const char *label, bool apart,
                             sfnec_writer *writer) {
  const size_t size = sfnec_env_get_state_size(run->play.env);
  void *state = malloc(size);
  double *first_w = malloc((size_t)sfnec_env_get_shape(run->play.env).feature_count * sizeof *first_w);
  const bool enough = state && first_w;
  if (enough) {
    sfnec_env_get_task_weights(run->play.env, 0, first_w);
    sfnec_env_get_state(run->play.env, state);
    sfnec_write_u64(writer, sequence);
    sfnec_write_text(writer, label);
    write_env(run->play.env, first_w, writer);
    sfnec_write_i64(writer, run->options.steps);
    sfnec_write_i64(writer, run->options.episodes);
    sfnec_write_u32(writer, run->options.keep_episodes);
    sfnec_write_u32(writer, run->task);
    sfnec_write_u32(writer, run->task_begun);
    write_progress(run, writer);
    sfnec_write_u64(writer, size);
    sfnec_write_bytes(writer, state, size);
    sfnec_agent_write(run->play.agent, writer, apart);
  }
  free(state);
  free(first_w);
  return enough ? SFNEC_OK : sfnec_fail_memory("a checkpoint");
}

// ---- reading: whose is it? ----

uint64_t sfnec_run_read_sequence(sfnec_reader *reader) {
  return sfnec_read_u64(reader);
}

// The line of a text that the byte `at` lies in: its start, and its length, at most 100.
static const char *line_at(const char *text, size_t at, int *length) {
  const char *start = text + at;
  while (start > text && start[-1] != '\n') start--;
  const size_t whole = strcspn(start, "\n");
  *length = whole < 100 ? (int)whole : 100;
  return start;
}

static sfnec_status check_label(sfnec_reader *reader, const char *path, const char *label) {
  char *saved = sfnec_read_text(reader, UINT16_MAX);
  if (!saved) return sfnec_reader_refuse(reader, "its label cannot be read");
  sfnec_status status = SFNEC_OK;
  if (strcmp(saved, label) != 0) {
    size_t same = 0;
    while (saved[same] == label[same]) same++;
    int theirs, ours;
    const char *their_line = line_at(saved, same, &theirs), *our_line = line_at(label, same, &ours);
    status = sfnec_fail(SFNEC_ERROR_FORMAT, "%s belongs to another run: its label says '%.*s', not '%.*s'", path,
                        theirs, their_line, ours, our_line);
  }
  free(saved);
  return status;
}

// Reads a text and compares it; false also if there is none.
static bool text_is(sfnec_reader *reader, const char *expected) {
  char *text = sfnec_read_text(reader, UINT16_MAX);
  const bool same = text && strcmp(text, expected) == 0;
  free(text);
  return same;
}

static bool same_options(sfnec_reader *reader, const sfnec_env *env) {
  const sfnec_option *row = sfnec_env_kind_option_set(sfnec_env_get_kind(env))->rows;
  bool same = true;
  for (row = named_option(row); same && row->name; row = named_option(row + 1)) {
    char value[LONGEST_VALUE];
    sfnec_options_get_text(row, sfnec_env_get_options(env), value, sizeof value);
    same = text_is(reader, row->name) && text_is(reader, value);
  }
  return same && text_is(reader, "") && sfnec_read_i64(reader) == sfnec_env_get_max_episode_steps(env);
}

static sfnec_status check_env(sfnec_reader *reader, const char *path, const sfnec_env *env) {
  const char *name = sfnec_env_get_kind(env)->name;
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  bool same = text_is(reader, name);
  same = same && sfnec_read_u32(reader) == (uint32_t)shape.observation_size;
  same = same && sfnec_read_u32(reader) == (uint32_t)shape.action_count;
  same = same && sfnec_read_u32(reader) == (uint32_t)shape.feature_count;
  if (!same) return sfnec_fail(SFNEC_ERROR_FORMAT, "%s was saved in another environment than %s", path, name);
  if (!same_options(reader, env)) {
    return sfnec_fail(SFNEC_ERROR_FORMAT, "%s was saved in %s with other options: give it the same", path, name);
  }
  const size_t size = (size_t)shape.feature_count * sizeof(double);
  double *saved = sfnec_read_array(reader, size, 1), *ours = saved ? sfnec_read_alloc(reader, 1, size) : NULL;
  sfnec_status status = SFNEC_OK;
  if (!ours) {
    status = sfnec_reader_refuse(reader, "its task ends early");
  } else {
    sfnec_env_get_task_weights(env, 0, ours);
    if (memcmp(saved, ours, size) != 0) {
      status = sfnec_fail(SFNEC_ERROR_FORMAT, "%s was saved in %s with another seed: its tasks differ", path, name);
    }
  }
  free(saved);
  free(ours);
  return status;
}

static sfnec_status check_limits(sfnec_reader *reader, const char *path, const sfnec_run_options *options) {
  const int64_t steps = sfnec_read_i64(reader), episodes = sfnec_read_i64(reader);
  const bool keep = sfnec_read_u32(reader) != 0;
  if (steps == options->steps && episodes == options->episodes && keep == options->keep_episodes) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_FORMAT,
                    "%s was saved by a run of %" PRId64 " steps and %" PRId64 " episodes per task (0: no limit) that "
                    "%s its episodes, not %" PRId64 " and %" PRId64 ": ask for the same",
                    path, steps, episodes, keep ? "keeps" : "does not keep", options->steps, options->episodes);
}

sfnec_status sfnec_run_read_identity(sfnec_reader *reader, const char *path, const char *label, sfnec_env *env,
                                     const sfnec_run_options *options, sfnec_run **out) {
  sfnec_status status = check_label(reader, path, label);
  if (!status) status = check_env(reader, path, env);
  if (!status) status = check_limits(reader, path, options);
  // a text for which there was no memory is no other text
  if (status && sfnec_reader_starved(reader)) return sfnec_fail_memory("a checkpoint");
  if (status) return status;
  const uint32_t task = sfnec_read_u32(reader), begun = sfnec_read_u32(reader);
  if (begun > 1) return sfnec_reader_refuse(reader, "its progress contradicts itself");
  if (task > options->tasks || (begun && task == options->tasks)) {
    return sfnec_fail(SFNEC_ERROR_STATE,
                      "%s has finished %" PRIu32 " tasks%s and %" PRIu32 " are asked for: ask for more", path, task,
                      begun ? " and begun another" : "", options->tasks);
  }
  status = sfnec_run_allocate(env, options, out);
  if (status) return status;
  (*out)->task = task;
  (*out)->task_begun = begun == 1;
  return SFNEC_OK;
}

// ---- reading: the rest ----

static uint32_t edition_of(const sfnec_reader *reader) {
  return sfnec_reader_version(reader) - SFNEC_RUN_OLDEST_VERSION;
}

// The result of a finished task, or of the running one.
static bool read_result(const sfnec_run *run, bool finished, sfnec_task_result *result, sfnec_reader *reader) {
  const sfnec_record_set *set = sfnec_task_record_set();
  sfnec_record_read(set, edition_of(reader), result, reader);
  return sfnec_record_check(set, edition_of(reader), result) && result->steps >= result->episodes &&
         sfnec_run_at_limit(run, result) == finished;
}

static sfnec_status read_results(sfnec_run *run, sfnec_reader *reader) {
  const size_t size = sfnec_record_size(sfnec_task_record_set(), edition_of(reader));
  if (!sfnec_reader_holds(reader, (uint64_t)run->task + 1, size))
    return sfnec_reader_refuse(reader, "its results end early");
  for (uint32_t i = 0; i <= run->task && sfnec_reader_good(reader); i++) {
    if (!read_result(run, i < run->task, &run->results[i], reader)) {
      return sfnec_reader_refuse(reader, "the result of a task is none");
    }
    // steps add up, those of the running task included
    if (run->results[i].steps > SFNEC_COUNT_MOST - run->steps) {
      return sfnec_reader_refuse(reader, "its steps are too many");
    }
    if (i < run->task) run->steps += run->results[i].steps;
  }
  const sfnec_task_result *running = &run->results[run->task];
  if ((!run->task_begun && running->steps > 0) || run->play.steps > run->steps + running->steps) {
    return sfnec_reader_refuse(reader, "its progress contradicts itself");
  }
  for (uint32_t i = 0; i < run->task + run->task_begun && sfnec_reader_good(reader); i++) {
    sfnec_uses *uses = &run->uses[i];
    uses->count = sfnec_read_u32(reader);
    uses->counts = uses->count ? sfnec_read_array(reader, uses->count, sizeof *uses->counts) : NULL;
    if (!uses->counts) return sfnec_reader_refuse(reader, "the uses of its policies end early");
    for (uint32_t j = 0; j < uses->count; j++) {
      if (uses->counts[j] < 0 || uses->counts[j] > run->results[i].steps) {
        return sfnec_reader_refuse(reader, "a policy was used a negative number of times, or more often than steps");
      }
    }
  }
  return SFNEC_OK;
}

static sfnec_status read_episodes(sfnec_run *run, sfnec_reader *reader) {
  const uint64_t finished = sfnec_read_u64(reader), count = sfnec_read_u64(reader);
  const sfnec_record_set *set = sfnec_episode_record_set();
  const size_t size = sizeof(uint32_t) + sfnec_record_size(set, edition_of(reader));
  if (finished > count || !sfnec_reader_holds(reader, count, size)) {
    return sfnec_reader_refuse(reader, "its episodes end early");
  }
  // room for one more, as a running episode has it
  run->episode_count = (size_t)count;
  run->episode_room = (size_t)count + 1;
  run->episodes = sfnec_read_alloc(reader, run->episode_room, sizeof *run->episodes);
  if (!run->episodes) return sfnec_fail_memory("a checkpoint");
  run->episodes_finished = (size_t)finished;
  for (size_t i = 0; i < run->episode_count && sfnec_reader_good(reader); i++) {
    sfnec_episode_result *episode = &run->episodes[i];
    episode->task = sfnec_read_u32(reader);
    sfnec_record_read(set, edition_of(reader), episode, reader);
    const bool in_order = i == 0 || episode->task >= run->episodes[i - 1].task;
    if (!in_order || episode->task > run->task || (episode->task < run->task) != (i < finished) || episode->steps < 1 ||
        !sfnec_record_check(set, edition_of(reader), episode)) {
      return sfnec_reader_refuse(reader, "one of its episodes is none");
    }
  }
  return SFNEC_OK;
}

// A file of an older program has none; the running task continues without, for its beginning is not known.
static sfnec_status read_bins(sfnec_run *run, sfnec_reader *reader) {
  if ((int)edition_of(reader) < sfnec_bin_record_set()->since) return SFNEC_OK;
  sfnec_status status = SFNEC_OK;
  for (uint32_t i = 0; i < run->task + run->task_begun && !status; i++)
    status = sfnec_bins_read(&run->bins[i], edition_of(reader), run->options.steps, run->results[i].steps, reader);
  return status || !run->task_begun ? status : sfnec_bins_reserve(&run->bins[run->task]);
}

static sfnec_status read_evaluations(sfnec_run *run, sfnec_reader *reader) {
  if ((int)edition_of(reader) < sfnec_evaluation_record_set()->since) return SFNEC_OK;
  const size_t n = (size_t)sfnec_env_get_shape(run->play.env).feature_count;
  sfnec_status status = SFNEC_OK;
  for (uint32_t i = 0; i < run->task + run->task_begun && !status; i++)
    status = sfnec_evaluations_read(&run->evaluations[i], n, edition_of(reader), reader);
  return status;
}

static sfnec_status read_progress(sfnec_run *run, sfnec_reader *reader) {
  const sfnec_env_shape shape = sfnec_env_get_shape(run->play.env);
  const size_t d = (size_t)shape.observation_size, n = (size_t)shape.feature_count;
  sfnec_status status = sfnec_fields_load(&progress_fields, run, NULL, 0, reader);
  if (status) return status;
  sfnec_read_bytes(reader, run->play.observation, d * sizeof(float));
  sfnec_read_bytes(reader, run->w, n * sizeof(double));
  if ((run->play.in_episode && !run->task_begun) || !sfnec_all_finite_f32(run->play.observation, d)) {
    return sfnec_reader_refuse(reader, "its progress contradicts itself");
  }
  if (run->task_begun) {
    sfnec_run_use_reward(run);
    sfnec_env_get_task_weights(run->play.env, run->task, run->play.features);
    if (memcmp(run->w, run->play.features, n * sizeof(double)) != 0) {
      return sfnec_reader_refuse(reader, "its task is another one in this environment");
    }
  }
  status = read_results(run, reader);
  if (!status) status = read_episodes(run, reader);
  if (!status) status = read_bins(run, reader);
  if (!status) status = read_evaluations(run, reader);
  return status;
}

static sfnec_status read_env_state(sfnec_run *run, sfnec_reader *reader, void **state) {
  const size_t size = sfnec_env_get_state_size(run->play.env);
  if (sfnec_read_u64(reader) == size) *state = sfnec_read_array(reader, size, 1);
  return *state ? SFNEC_OK : sfnec_reader_refuse(reader, "it holds the state of another environment");
}

// Does the agent stand where the run stands?
static sfnec_status check_agent(const sfnec_run *run, sfnec_reader *reader) {
  const sfnec_agent *agent = run->play.agent;
  if (sfnec_play_fits(agent, run->play.env)) {
    return sfnec_reader_refuse(reader, "its agent does not fit the environment");
  }
  if (agent->in_episode != run->play.in_episode || agent->acted ||
      (run->task_begun && run->policy >= sfnec_agent_get_task_count(agent))) {
    return sfnec_reader_refuse(reader, "its agent and its progress contradict each other");
  }
  return SFNEC_OK;
}

sfnec_status sfnec_run_read(sfnec_run *run, sfnec_reader *reader, const sfnec_keys_source *source) {
  void *state = NULL;
  sfnec_status status = read_progress(run, reader);
  if (!status) status = read_env_state(run, reader, &state);
  if (!status) status = sfnec_agent_read(reader, source, &run->play.agent);
  if (!status) status = check_agent(run, reader);
  if (!status && sfnec_env_set_state(run->play.env, state, sfnec_env_get_state_size(run->play.env))) {
    status = sfnec_reader_refuse(reader, "the state of its environment is none");
  }
  free(state);
  return status;
}
