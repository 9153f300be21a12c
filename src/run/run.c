// run.c: the paper's protocol; the contract is in sfnec/run.h.
#include "sfnec/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/vector.h"
#include "run/state.h"

void sfnec_run_options_default(sfnec_run_options *options) {
  if (!options) return;
  *options = (sfnec_run_options){.tasks = 10, .steps = 20000, .bins = 50};
}

// ---- life ----

static sfnec_status parse_rewards(sfnec_run *run, const sfnec_env *env, const sfnec_run_options *options) {
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  run->rewards = calloc((size_t)options->reward_count + 1, sizeof(void *));
  run->options.rewards = NULL; // the caller's
  if (!run->rewards) return sfnec_fail_memory("a run");
  sfnec_status status = SFNEC_OK;
  for (uint32_t i = 0; i < options->reward_count && !status; i++) {
    if (strcmp(options->rewards[i], "weights") == 0) continue;
    status = sfnec_reward_parse(options->rewards[i], sfnec_env_get_kind(env), &shape, &run->rewards[i]);
  }
  return status;
}

sfnec_status sfnec_run_allocate(sfnec_env *env, const sfnec_run_options *options, sfnec_run **out) {
  if (options->tasks < 1 || options->steps < 0 || options->episodes < 0 ||
      (options->steps == 0 && options->episodes == 0)) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "a run needs at least one task and one step or episode per task");
  }
  if (options->bins > SFNEC_BINS_MOST)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "a task has at most %d bins", SFNEC_BINS_MOST);
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_run *run = calloc(1, sizeof *run);
  if (!run) return sfnec_fail_memory("a run");
  run->options = *options;
  run->w = calloc((size_t)shape.feature_count, sizeof(double));
  run->results = calloc((size_t)options->tasks + 1, sizeof *run->results);
  run->uses = calloc((size_t)options->tasks + 1, sizeof *run->uses);
  run->bins = calloc((size_t)options->tasks + 1, sizeof *run->bins);
  run->evaluations = calloc((size_t)options->tasks + 1, sizeof *run->evaluations);
  const sfnec_status status = parse_rewards(run, env, options);
  if (status) {
    sfnec_run_destroy(run);
    return status;
  }
  if (!run->w || !run->results || !run->uses || !run->bins || !run->evaluations ||
      sfnec_play_open(&run->play, NULL, env, run->w)) {
    sfnec_run_destroy(run);
    return sfnec_fail_memory("a run");
  }
  *out = run;
  return SFNEC_OK;
}

sfnec_status sfnec_run_create(sfnec_agent *agent, sfnec_env *env, const sfnec_run_options *options, sfnec_run **out) {
  if (!agent || !env || !options || !out) return sfnec_fail_null(__func__);
  sfnec_run *run = NULL;
  sfnec_status status = sfnec_play_fits(agent, env);
  if (!status) status = sfnec_play_take_components(agent, env);
  if (!status) status = sfnec_run_allocate(env, options, &run);
  if (status) return status;
  run->play.agent = agent;
  *out = run;
  return SFNEC_OK;
}

void sfnec_run_destroy(sfnec_run *run) {
  if (!run) return;
  for (uint32_t i = 0; run->uses && i <= run->options.tasks && run->uses[i].counts; i++) free(run->uses[i].counts);
  for (uint32_t i = 0; run->bins && i <= run->options.tasks; i++) sfnec_bins_free(&run->bins[i]);
  for (uint32_t i = 0; run->evaluations && i <= run->options.tasks; i++) sfnec_evaluations_free(&run->evaluations[i]);
  for (uint32_t i = 0; run->rewards && i < run->options.reward_count; i++) sfnec_reward_destroy(run->rewards[i]);
  free(run->rewards);
  sfnec_evaluator_free(&run->evaluator);
  for (int slot = 0; slot < SFNEC_FOLDER_STATES; slot++) free(run->saved.digests[slot].items);
  free(run->saved.folder);
  sfnec_play_close(&run->play);
  free(run->w);
  free(run->results);
  free(run->uses);
  free(run->bins);
  free(run->evaluations);
  free(run->episodes);
  free(run);
}

// ---- advancing ----

static sfnec_status get_weights(sfnec_run *run) {
  sfnec_env_get_task_weights(run->play.env, run->task, run->w);
  if (sfnec_all_within_f64(run->w, (size_t)run->play.feature_count, SFNEC_NUMBER_MOST)) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "environment %s drew reward weights for task %" PRIu32 " that are not finite, or beyond %g",
                    sfnec_env_get_kind(run->play.env)->name, run->task + 1, SFNEC_NUMBER_MOST);
}

void sfnec_run_use_reward(sfnec_run *run) {
  const uint32_t count = run->options.reward_count;
  run->play.context = count ? run->rewards[run->task % count] : NULL;
  run->play.function = run->play.context ? sfnec_reward_evaluate : NULL;
}

static sfnec_status begin_in_agent(sfnec_run *run) {
  sfnec_agent *agent = run->play.agent;
  const sfnec_agent_options *options = sfnec_agent_get_options(agent);
  const bool given = options->w == SFNEC_W_GIVEN, told = options->tasks == SFNEC_TASKS_TOLD || run->task == 0;
  sfnec_run_use_reward(run);
  if (run->play.function) return sfnec_agent_begin_reward(agent, run->play.function, run->play.context, &run->policy);
  return told ? sfnec_agent_begin_task(agent, given ? run->w : NULL, &run->policy) : SFNEC_OK;
}

// A log says the weights of its tasks.
static sfnec_status log_task(const sfnec_run *run) {
  if (!run->play.function) return sfnec_log_writer_begin_task(run->log, run->w);
  return sfnec_fail(SFNEC_ERROR_STATE,
                    "a log has the reward weights of its tasks, and task %" PRIu32
                    " has another reward: record transitions under weights, and learn from them under any reward",
                    run->task + 1);
}

static sfnec_status begin_task(sfnec_run *run) {
  // first the memory that may be missing, so that a failure leaves nothing half begun
  sfnec_uses *uses = &run->uses[run->task];
  uses->count = sfnec_agent_get_task_count(run->play.agent) + 1;
  free(uses->counts);
  uses->counts = calloc(uses->count, sizeof *uses->counts);
  if (!uses->counts) return sfnec_fail_memory("the counters of a task");
  sfnec_bins_free(&run->bins[run->task]);
  sfnec_status status = sfnec_bins_begin(&run->bins[run->task], &run->options);
  if (status) return status;
  status = get_weights(run);
  if (!status) status = begin_in_agent(run);
  if (!status && run->log) status = log_task(run);
  run->task_begun = !status;
  return status;
}

static sfnec_status begin_episode(sfnec_run *run) {
  if (run->options.keep_episodes && run->episode_count == run->episode_room) {
    const size_t room = run->episode_room ? 2 * run->episode_room : 64;
    if (!SFNEC_WIDEN(run->episodes, room)) return sfnec_fail_memory("the episodes of a run");
    run->episode_room = room;
  }
  return sfnec_play_begin(&run->play);
}

static sfnec_status begin(sfnec_run *run) {
  sfnec_status status = run->task_begun ? SFNEC_OK : begin_task(run);
  if (!status && !run->play.in_episode) status = begin_episode(run);
  return status;
}

static void end_episode(sfnec_run *run) {
  const sfnec_play *play = &run->play;
  sfnec_task_result *result = &run->results[run->task];
  result->episodes++;
  result->goals += play->terminated;
  if (!run->options.keep_episodes) return;
  run->episodes[run->episode_count++] = (sfnec_episode_result){
      .task = run->task, .steps = play->steps, .total = play->total, .terminated = play->terminated};
}

// Counts the transition for the policy that GPI chose.
static void count_use(sfnec_run *run, const sfnec_choice *choice) {
  const sfnec_uses *uses = &run->uses[run->task];
  if ((uint32_t)choice->policy < uses->count) uses->counts[choice->policy]++;
}

static int64_t entries(const sfnec_agent *agent) {
  int64_t sum = 0;
  sfnec_task_info info;
  for (uint32_t i = 0; i < sfnec_agent_get_task_count(agent); i++) {
    if (!sfnec_agent_get_task_info(agent, i, &info)) sum += info.entries;
  }
  return sum;
}

// The active task: that of the run, or, if the agent finds out by itself, what it believes to be that.
static uint32_t active(const sfnec_agent *agent) {
  uint32_t task = 0;
  sfnec_task_info info;
  while (!sfnec_agent_get_task_info(agent, task, &info) && !info.active) task++;
  return task;
}

static int64_t places(const sfnec_agent *agent) {
  sfnec_model_info info = {0};
  if (sfnec_agent_get_options(agent)->psi == SFNEC_PSI_PLANNED) sfnec_agent_get_model_info(agent, &info);
  return info.places;
}

static sfnec_bin_result *last_bin(const sfnec_run *run) {
  const sfnec_bins *bins = &run->bins[run->task];
  return bins->count ? &bins->items[bins->count - 1] : NULL;
}

// The loss of the last bin keeps growing in the agent between two ends of a bin or of a slice.
static void lend_loss(sfnec_run *run) {
  const sfnec_bin_result *bin = sfnec_bins_full(&run->bins[run->task]) ? NULL : last_bin(run);
  sfnec_agent_set_loss(run->play.agent, bin ? bin->loss : 0.0, bin ? bin->targets : 0);
}

static void take_loss(const sfnec_run *run) {
  sfnec_bin_result *bin = last_bin(run);
  if (bin) sfnec_agent_get_loss(run->play.agent, &bin->loss, &bin->targets);
}

// After the first transition of a bin. Two that became one may be half full: what they lost carries over.
static void open_bin(sfnec_run *run, sfnec_bins *bins) {
  sfnec_bins_open(bins);
  const sfnec_bin_result *bin = last_bin(run);
  double loss;
  int64_t targets;
  sfnec_agent_get_loss(run->play.agent, &loss, &targets);
  sfnec_agent_set_loss(run->play.agent, bin->loss + loss, bin->targets + targets);
}

// What a bin holds of the state at its end.
static void close_bin(const sfnec_run *run, sfnec_bin_result *bin) {
  bin->entries = entries(run->play.agent);
  bin->places = places(run->play.agent);
}

// Counts the transition for the curve of the task.
static void count_bin(sfnec_run *run, sfnec_bins *bins, bool explored) {
  const sfnec_play *play = &run->play;
  if (sfnec_bins_full(bins)) open_bin(run, bins);
  sfnec_bin_result *bin = &bins->items[bins->count - 1];
  bins->steps++;
  bin->steps++;
  bin->total += play->reward;
  bin->exploration += explored;
  if (!play->in_episode) {
    bin->episodes++;
    bin->goals += play->terminated;
    bin->episode_return += play->total;
    bin->episode_steps += play->steps;
  }
  if (!sfnec_bins_full(bins)) return;
  take_loss(run);
  close_bin(run, bin);
  lend_loss(run);
}

sfnec_status sfnec_run_set_log(sfnec_run *run, sfnec_log_writer *writer) {
  run->log = writer;
  run->play.keep_before = writer != NULL;
  return writer && run->task_begun ? log_task(run) : SFNEC_OK;
}

// Records the transition that was just made.
static sfnec_status record(const sfnec_run *run) {
  const sfnec_play *play = &run->play;
  const sfnec_transition transition = {.action = play->action,
                                       .features = play->features,
                                       .reward = play->reward,
                                       .next_observation = play->observation,
                                       .terminated = play->terminated,
                                       .truncated = play->truncated};
  return sfnec_log_writer_add(run->log, play->before, &transition);
}

static sfnec_status step(sfnec_run *run) {
  sfnec_play *play = &run->play;
  sfnec_task_result *result = &run->results[run->task];
  const int64_t before = play->steps;
  // the task's last transition cuts its episode off
  sfnec_status status = sfnec_play_step(play, result->steps + 1 == run->options.steps);
  if (play->steps > before) {
    sfnec_choice choice;
    const bool chosen = !sfnec_agent_get_last_choice(play->agent, &choice);
    if (chosen) count_use(run, &choice);
    sfnec_bins *bins = &run->bins[run->task];
    if (bins->most) count_bin(run, bins, chosen && choice.explored);
    result->total += play->reward;
    result->steps++;
    if (run->log) status = sfnec_first_failure(status, record(run));
  }
  // also one that the world broke off, with the transitions that it had
  if (!play->in_episode && play->steps > 0) end_episode(run);
  return status;
}

bool sfnec_run_at_limit(const sfnec_run *run, const sfnec_task_result *result) {
  return (run->options.steps > 0 && result->steps >= run->options.steps) ||
         (run->options.episodes > 0 && result->episodes >= run->options.episodes);
}

static bool task_over(const sfnec_run *run) {
  return sfnec_run_at_limit(run, &run->results[run->task]);
}

// How far the weights that the agent has learned are from the task's: the length of the difference. A reward that is no
// weights has none.
static sfnec_status w_error(const sfnec_run *run, double *error) {
  const sfnec_agent *agent = run->play.agent;
  sfnec_task_info info;
  *error = 0.0;
  sfnec_status status = sfnec_agent_get_task_info(agent, run->policy, &info);
  const bool other = sfnec_basis_of(sfnec_agent_get_options(agent)) == SFNEC_BASIS_LEARNED; // of other features
  if (status || !info.learned || other || run->play.function) return status;
  const size_t size = agent->policies.config.psi_size;
  double *w = calloc(2 * size, sizeof *w), sum = 0.0;
  if (!w) return sfnec_fail_memory("the weights of a task");
  status = sfnec_agent_get_task_weights(agent, run->policy, w);
  sfnec_basis_spread(agent, run->w, w + size);
  for (size_t i = 0; i < size; i++) sum += (w[i] - w[size + i]) * (w[i] - w[size + i]);
  free(w);
  *error = sqrt(sum);
  return status;
}

// Of a task that ends after so many steps; what so many episodes can earn depends on how long they may be.
static sfnec_status optimum(const sfnec_run *run, double *value) {
  *value = (double)NAN;
  return run->options.episodes || run->play.function
             ? SFNEC_OK
             : sfnec_env_get_optimum(run->play.env, run->w, run->options.steps, value);
}

static sfnec_status end_task(sfnec_run *run) {
  sfnec_task_result *result = &run->results[run->task];
  run->policy = active(run->play.agent);
  sfnec_status status = w_error(run, &result->w_error);
  if (!status) status = optimum(run, &result->optimum);
  if (status) return status;
  result->entries = entries(run->play.agent);
  result->places = places(run->play.agent);
  const sfnec_bins *bins = &run->bins[run->task];
  if (bins->count) close_bin(run, &bins->items[bins->count - 1]);
  run->steps += result->steps;
  run->episodes_finished = run->episode_count;
  run->task++;
  run->task_begun = false;
  return SFNEC_OK;
}

sfnec_status sfnec_run_advance(sfnec_run *run, int64_t most) {
  if (!run) return sfnec_fail_null(__func__);
  while (most > 0 && !sfnec_run_is_done(run)) {
    lend_loss(run); // what the agent has learned elsewhere meanwhile is not the run's
    const double start = sfnec_seconds();
    sfnec_status status = SFNEC_OK;
    for (; most > 0 && !task_over(run) && !sfnec_run_evaluation_due(run) && !status; most--) {
      // a step that could not be counted is not taken: what was accepted from a file is accepted again
      if (run->results[run->task].steps >= SFNEC_COUNT_MOST - run->steps)
        status = sfnec_fail(SFNEC_ERROR_STATE, "the run has more steps than can be counted");
      if (!status) status = begin(run);
      if (!status) status = step(run);
    }
    run->results[run->task].seconds += sfnec_seconds() - start;
    if (!sfnec_bins_full(&run->bins[run->task])) take_loss(run);
    if (!status && sfnec_run_evaluation_due(run)) status = sfnec_run_evaluate_now(run);
    if (!status && task_over(run)) status = end_task(run);
    if (status) return status;
  }
  return SFNEC_OK;
}

// ---- asking ----

bool sfnec_run_is_done(const sfnec_run *run) {
  return !run || run->task == run->options.tasks;
}

int64_t sfnec_run_get_steps_done(const sfnec_run *run) {
  return run ? run->steps + run->results[run->task].steps : 0;
}

double sfnec_run_get_tasks_done(const sfnec_run *run) {
  if (!run) return 0.0;
  const sfnec_task_result *result = &run->results[run->task];
  const sfnec_run_options *options = &run->options;
  const double steps = options->steps > 0 ? (double)result->steps / (double)options->steps : 0.0;
  const double episodes = options->episodes > 0 ? (double)result->episodes / (double)options->episodes : 0.0;
  return (double)run->task + fmax(steps, episodes);
}

const sfnec_task_result *sfnec_run_get_results(const sfnec_run *run, uint32_t *count) {
  if (!run || !count) return NULL;
  *count = run->task;
  return run->results;
}

const int64_t *sfnec_run_get_uses(const sfnec_run *run, uint32_t task, uint32_t *count) {
  if (!run || !count) return NULL;
  const bool finished = task < run->task;
  *count = finished ? run->uses[task].count : 0;
  return finished ? run->uses[task].counts : NULL;
}

const sfnec_bin_result *sfnec_run_get_bins(const sfnec_run *run, uint32_t task, uint32_t *count) {
  if (!run || !count) return NULL;
  const bool finished = task < run->task;
  *count = finished ? run->bins[task].count : 0;
  return *count ? run->bins[task].items : NULL;
}

const sfnec_episode_result *sfnec_run_get_episodes(const sfnec_run *run, size_t *count) {
  if (!run || !count) return NULL;
  *count = run->episodes_finished;
  return run->episodes;
}
