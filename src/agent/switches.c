// switches.c: task switches that nobody announces; see switches.h.
//
// A hypothesis is a task and the first reward that it explains. Tasks are Bayesian regressions (reward.c) of one
// unknown variance of noise, so rewards t..T have the likelihood of Student's t,
//     p(r_t..r_T) ~ prod_i (1 + v_i)^-1/2  (1 + sum_i e_i^2 / (1 + v_i) / S)^-(N + T - t + 1)/2
// with e_i the error and v_i the variance that the task predicts of reward i from those before it, and S and N the sum
// of squares and the degrees of freedom of the noise before t; factors that all tasks share are left out (Bernardo and
// Smith 1994, appendix A). Its order does not matter, so one task that learns the rewards from the last to the first
// gives the likelihoods for all t.
#include "agent/switches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"

// Rewards that a new task is kept for: fewer may have been an accident, after which the former task resumes. Half as
// many: accidents leave tasks behind; twice as many: tasks that were short are learned again when they return.
enum { KEPT_FROM = 8 };

// How many times likelier rewards are, if a new task was a known one from the first, for that to be believed: a mistake
// has a probability of at most one in as many (Ville 1939), and is found out as a switch. More: more tasks twice.
static const double RECOGNISED = 20.0;

// Share of the threshold up to which all hypotheses that are left out may add: to leave out more saves little time, and
// 1 would miss switches.
static const double NEGLIGIBLE = 0.01;
static const double RATIO_MOST = 600.0;  // of a logarithm, beyond any threshold and far from overflow
static const double SQUARE_MOST = 1e250; // of an error, far from overflow

// ---- life ----

sfnec_status sfnec_evidence_create(const sfnec_psi_config *config, sfnec_evidence **out) {
  const size_t n = config->psi_size;
  sfnec_evidence *evidence = calloc(1, sizeof *evidence);
  if (!evidence) return sfnec_fail_memory("an agent");
  evidence->features = calloc(SFNEC_EVIDENCE * n, sizeof(double));
  evidence->rewards = calloc(SFNEC_EVIDENCE, sizeof(double));
  evidence->seen = calloc(SFNEC_EVIDENCE, sizeof *evidence->seen);
  sfnec_status status = SFNEC_OK;
  if (!evidence->features || !evidence->rewards || !evidence->seen) status = sfnec_fail_memory("an agent");
  if (!status) status = sfnec_reward_init(&evidence->settled, &config->options, n, NULL, NULL);
  if (!status) status = sfnec_reward_init(&evidence->candidate, &config->options, n, NULL, NULL);
  if (status) {
    sfnec_evidence_destroy(evidence);
    return status;
  }
  *out = evidence;
  return SFNEC_OK;
}

void sfnec_evidence_destroy(sfnec_evidence *evidence) {
  if (!evidence) return;
  sfnec_reward_clear(&evidence->settled);
  sfnec_reward_clear(&evidence->candidate);
  free(evidence->features);
  free(evidence->rewards);
  free(evidence->seen);
  free(evidence);
}

size_t sfnec_evidence_bytes(size_t features) {
  return sizeof(sfnec_evidence) + SFNEC_EVIDENCE * ((features + 1) * sizeof(double) + sizeof(sfnec_surprise)) +
         2 * features * (features + 2) * sizeof(double);
}

static sfnec_reward *active_reward(sfnec_agent *agent) {
  return &agent->policies.list[agent->active].reward;
}

static bool detects(sfnec_agent *agent) {
  return agent->active != SFNEC_NO_POLICY && active_reward(agent)->covariance;
}

void sfnec_evidence_restart(sfnec_agent *agent) {
  if (!agent->evidence) return;
  agent->evidence->count = 0;
  agent->evidence->fresh = false;
  if (detects(agent)) sfnec_reward_copy(&agent->evidence->settled, active_reward(agent));
}

// ---- the evidence ----

static size_t at(const sfnec_evidence *evidence, uint32_t i) {
  return (evidence->first + i) % SFNEC_EVIDENCE;
}

static const double *features_at(const sfnec_evidence *evidence, uint32_t i) {
  return evidence->features + at(evidence, i) * evidence->settled.size;
}

static double reward_at(const sfnec_evidence *evidence, uint32_t i) {
  return evidence->rewards[at(evidence, i)];
}

static sfnec_status learn_at(const sfnec_evidence *evidence, const sfnec_agent_options *options, uint32_t i,
                             sfnec_reward *reward) {
  return sfnec_reward_learn(reward, options, features_at(evidence, i), reward_at(evidence, i));
}

// The present estimate of the noise, with the size of reward i, which may be the first of its size.
static sfnec_noise noise_at(const sfnec_evidence *evidence, const sfnec_agent_options *options, uint32_t i,
                            const sfnec_residuals *before) {
  sfnec_residuals with = *before;
  sfnec_residuals_note_size(&with, features_at(evidence, i), evidence->settled.size, reward_at(evidence, i));
  return sfnec_residuals_noise(&with, options);
}

// Notes what the active task, which has learned the rewards before reward i, expects of it.
static void note_at(sfnec_evidence *evidence, uint32_t i, const sfnec_reward *reward) {
  evidence->seen[at(evidence, i)] = (sfnec_surprise){
      .expected = sfnec_reward_expect(reward, features_at(evidence, i)),
      .before = reward->residuals,
  };
}

// Adds a reward that is not learned yet; the oldest is settled if there is no space.
static sfnec_status add(sfnec_evidence *evidence, const sfnec_agent_options *options, const double *features,
                        double reward) {
  const size_t n = evidence->settled.size;
  sfnec_status status = SFNEC_OK;
  if (evidence->count == SFNEC_EVIDENCE) {
    status = learn_at(evidence, options, 0, &evidence->settled);
    evidence->first = (evidence->first + 1) % SFNEC_EVIDENCE;
    evidence->count--;
    evidence->fresh = false;
  }
  memcpy(evidence->features + at(evidence, evidence->count) * n, features, n * sizeof *features);
  evidence->rewards[at(evidence, evidence->count++)] = reward;
  return status;
}

// ---- the test ----

// A test of all hypotheses at once.
typedef struct test {
  const sfnec_evidence *evidence;
  const sfnec_agent_options *options;
  sfnec_noise noise;              // the present estimate
  double freedom[SFNEC_EVIDENCE]; // of rewards i to the last with the noise before them: N + T - i + 1
  double squares[SFNEC_EVIDENCE]; // S before reward i
  double least_freedom, most_squares;
  double surprise;   // log of the greatest ratio that a task could have that expected all that came
  double enough;     // log of the least ratio that counts
  double recognised; // log of the greatest ratio that a new task was a known one all the time
  int32_t instead;   // that one, or SFNEC_NO_POLICY
  double sum;        // of the ratios
  double best;       // log of the greatest
  uint32_t since;    // its hypothesis: the first reward...
  int32_t task;      // ...and the task, or SFNEC_NO_POLICY: a new one
} test;

// How much squared errors, of rewards i to the last, speak against a task.
static double penalty(const test *test, uint32_t i, double square) {
  return 0.5 * test->freedom[i] * log1p(square / test->squares[i]);
}

// The parts of the likelihood that add up over rewards.
typedef struct terms {
  double square; // e^2 / (1 + v)
  double logs;   // log (1 + v) / 2
} terms;

static void add_terms(const test *test, uint32_t i, const sfnec_expectation *expected, terms *to) {
  const double spread = sfnec_noise_spread(&test->noise, expected);
  const double error = reward_at(test->evidence, i) - expected->mean;
  to->square += fmin(error * error / (1.0 + spread), SQUARE_MOST);
  to->logs += 0.5 * log1p(spread);
}

// What is the same for all tasks, and how unlikely the rewards are if the task has not changed.
static void begin_test(test *test) {
  const sfnec_evidence *evidence = test->evidence;
  terms present = {0};
  test->least_freedom = INFINITY;
  for (uint32_t i = evidence->count; i-- > 0;) {
    const sfnec_surprise *seen = &evidence->seen[at(evidence, i)];
    const sfnec_noise before = noise_at(evidence, test->options, evidence->count - 1, &seen->before);
    test->freedom[i] = before.count + (double)(evidence->count - i);
    test->squares[i] = before.count * before.variance;
    test->least_freedom = fmin(test->least_freedom, test->freedom[i]);
    test->most_squares = fmax(test->most_squares, test->squares[i]);
    add_terms(test, i, &seen->expected, &present);
    test->surprise = fmax(test->surprise, penalty(test, i, present.square) + present.logs);
  }
}

// Adds the ratios of one task, which has a share of the probability of those that a switch may lead to. The candidate
// holds what the task knows, and learns the rewards.
static sfnec_status try_task(test *test, sfnec_reward *candidate, int32_t task, double share) {
  const sfnec_evidence *evidence = test->evidence;
  const double prior = log(share);
  terms own = {0}, present = {0};
  for (uint32_t i = evidence->count; i-- > 0;) {
    const sfnec_expectation expected = sfnec_reward_expect(candidate, features_at(evidence, i));
    add_terms(test, i, &expected, &own);
    add_terms(test, i, &evidence->seen[at(evidence, i)].expected, &present);
    const double ratio =
        penalty(test, i, present.square) - penalty(test, i, own.square) + present.logs - own.logs + prior;
    test->sum += exp(fmin(ratio, RATIO_MOST));
    if (ratio > test->best) {
      test->best = ratio;
      test->since = i;
      test->task = task;
    }
    // the new task may have been this one from its first reward on: then nothing has switched but the opinion
    if (i == 0 && evidence->fresh && task != SFNEC_NO_POLICY && ratio - prior > test->recognised) {
      test->recognised = ratio - prior;
      test->instead = task;
    }
    // errors only add up: no earlier time is likely any more
    const double hopeless = 0.5 * test->least_freedom * log1p(own.square / test->most_squares);
    if (test->surprise - hopeless < test->enough) return SFNEC_OK;
    const sfnec_status status = learn_at(evidence, test->options, i, candidate);
    if (status) return status;
  }
  return SFNEC_OK;
}

// A task of which nothing is known.
static void make_new(sfnec_reward *candidate, const sfnec_agent_options *options) {
  const size_t n = candidate->size;
  memset(candidate->w, 0, n * sizeof *candidate->w);
  memset(candidate->covariance, 0, n * n * sizeof *candidate->covariance);
  for (size_t i = 0; i < n; i++) candidate->covariance[i * n + i] = options->rls_prior;
  candidate->residuals = (sfnec_residuals){0};
}

// A task whose weights were given is neither left nor recognised.
static bool may_be(const sfnec_agent *agent, uint32_t task) {
  return (int32_t)task != agent->active && agent->policies.list[task].reward.covariance;
}

// Tries all tasks, the latest first, then a new one.
static sfnec_status try_all(const sfnec_agent *agent, test *test) {
  sfnec_reward *candidate = &agent->evidence->candidate;
  uint32_t tasks = 1;
  for (uint32_t k = 0; k < agent->policies.count; k++) tasks += may_be(agent, k);
  const double threshold = test->options->false_alarm_every;
  test->enough = log(NEGLIGIBLE * threshold / ((double)tasks * SFNEC_EVIDENCE));
  if (test->evidence->fresh) test->enough = fmin(test->enough, log(RECOGNISED));
  if (test->surprise < test->enough) return SFNEC_OK;
  sfnec_status status = SFNEC_OK;
  for (uint32_t k = agent->policies.count; k-- > 0 && !status;) {
    if (!may_be(agent, k)) continue;
    sfnec_reward_copy(candidate, &agent->policies.list[k].reward);
    status = try_task(test, candidate, (int32_t)k, 1.0 / tasks);
  }
  if (status) return status;
  make_new(candidate, test->options);
  return try_task(test, candidate, SFNEC_NO_POLICY, 1.0 / tasks);
}

// ---- the switch ----

// The task that is left forgets the evidence since the switch; the newest reward is what the caller is about to learn.
static sfnec_status move_evidence(sfnec_agent *agent, uint32_t since, uint32_t task) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  sfnec_evidence *evidence = agent->evidence;
  sfnec_reward *left = active_reward(agent), *next = &agent->policies.list[task].reward;
  sfnec_status status = SFNEC_OK;
  sfnec_reward_copy(left, &evidence->settled);
  for (uint32_t i = 0; i < since && !status; i++) status = learn_at(evidence, options, i, left);
  next->residuals = evidence->seen[at(evidence, since)].before; // the noise is the same
  sfnec_reward_copy(&evidence->settled, next);
  evidence->first = (uint32_t)at(evidence, since);
  evidence->count -= since;
  for (uint32_t i = 0; i < evidence->count && !status; i++) {
    note_at(evidence, i, next);
    if (i + 1 < evidence->count) status = learn_at(evidence, options, i, next);
  }
  return status;
}

// Makes a task, or a new one, the active one since one of the rewards.
static sfnec_status change(sfnec_agent *agent, uint32_t since, int32_t to) {
  sfnec_evidence *evidence = agent->evidence;
  const uint32_t left = (uint32_t)agent->active;
  uint32_t task = (uint32_t)to;
  sfnec_status status = to == SFNEC_NO_POLICY ? sfnec_agent_push_task(agent, NULL, &task) : SFNEC_OK;
  if (status) return status;
  const bool drops = evidence->fresh && since < KEPT_FROM;
  status = move_evidence(agent, since, task);
  evidence->fresh = to == SFNEC_NO_POLICY;
  if (!status) status = sfnec_agent_activate(agent, task);
  if (!status && drops) sfnec_agent_drop_task(agent, left);
  return status;
}

sfnec_status sfnec_agent_detect(sfnec_agent *agent, const double *features, double reward) {
  const sfnec_psi_config *config = &agent->policies.config;
  sfnec_evidence *evidence = agent->evidence;
  if (!detects(agent) || !(sfnec_dot(features, features, config->psi_size) > 0.0)) return SFNEC_OK;
  sfnec_status status = add(evidence, &config->options, features, reward);
  const uint32_t newest = evidence->count - 1;
  note_at(evidence, newest, active_reward(agent));
  test test = {.evidence = evidence,
               .options = &config->options,
               .recognised = log(RECOGNISED),
               .instead = SFNEC_NO_POLICY,
               .best = -INFINITY};
  test.noise = noise_at(evidence, &config->options, newest, &active_reward(agent)->residuals);
  if (status || !(test.noise.variance > 0.0)) return status; // without rewards there is nothing to compare with
  begin_test(&test);
  status = try_all(agent, &test);
  if (status) return status;
  if (test.sum >= config->options.false_alarm_every) return change(agent, test.since, test.task);
  return test.instead != SFNEC_NO_POLICY ? change(agent, 0, test.instead) : SFNEC_OK;
}

// ---- files ----

// A bit beside `fresh`: the file has what was known before the evidence. Older ones do not, and have evidence that is
// the active task's own; it is left out.
enum { FRESH = 1, HAS_SETTLED = 2, OLDER_EVIDENCE = 32 };

void sfnec_evidence_save(const sfnec_evidence *evidence, size_t features, sfnec_writer *writer) {
  sfnec_write_u32(writer, (evidence->fresh ? FRESH : 0) | HAS_SETTLED);
  sfnec_write_u32(writer, evidence->count);
  for (uint32_t i = 0; i < evidence->count; i++) {
    sfnec_write_bytes(writer, features_at(evidence, i), features * sizeof(double));
    sfnec_write_f64(writer, reward_at(evidence, i));
  }
  sfnec_reward_save(&evidence->settled, writer);
}

static sfnec_status load_settled(sfnec_evidence *evidence, const sfnec_psi_config *config, sfnec_reader *reader) {
  sfnec_reward settled = {0};
  sfnec_status status = sfnec_reward_load(&settled, &config->options, config->psi_size, reader);
  if (!status && !settled.covariance) status = sfnec_reader_refuse(reader, "its evidence is of a task that is given");
  if (!status) sfnec_reward_copy(&evidence->settled, &settled);
  sfnec_reward_clear(&settled);
  return status;
}

// What the active task said of the evidence follows from what it knew before.
static void note_all(sfnec_evidence *evidence, const sfnec_agent_options *options) {
  sfnec_reward_copy(&evidence->candidate, &evidence->settled);
  for (uint32_t i = 0; i < evidence->count; i++) {
    note_at(evidence, i, &evidence->candidate);
    (void)learn_at(evidence, options, i, &evidence->candidate); // one that was refused then is refused again
  }
}

sfnec_status sfnec_evidence_load(sfnec_agent *agent, sfnec_reader *reader) {
  const sfnec_psi_config *config = &agent->policies.config;
  sfnec_evidence *evidence = agent->evidence;
  const size_t n = config->psi_size;
  const uint32_t kind = sfnec_read_u32(reader), count = sfnec_read_u32(reader);
  const uint32_t most = kind & HAS_SETTLED ? SFNEC_EVIDENCE : OLDER_EVIDENCE;
  if (count > most || !sfnec_reader_holds(reader, count * (n + 1), sizeof(double)))
    return sfnec_reader_refuse(reader, "it has more evidence of a switch than it keeps or holds");
  for (uint32_t i = 0; i < count && sfnec_reader_good(reader); i++) {
    sfnec_read_bytes(reader, evidence->features + i * n, n * sizeof(double));
    evidence->rewards[i] = sfnec_read_f64(reader);
  }
  sfnec_evidence_restart(agent);
  if (!(kind & HAS_SETTLED)) return SFNEC_OK;
  if (!sfnec_all_within_f64(evidence->features, count * n, SFNEC_NUMBER_MOST) ||
      !sfnec_all_within_f64(evidence->rewards, count, SFNEC_NUMBER_MOST)) {
    return sfnec_reader_refuse(reader, "its evidence of a switch is out of range");
  }
  if (count > 0 && !detects(agent)) return sfnec_reader_refuse(reader, "it has evidence of a switch without a task");
  evidence->first = 0;
  evidence->count = count;
  evidence->fresh = (kind & FRESH) != 0;
  const sfnec_status status = load_settled(evidence, config, reader);
  if (!status) note_all(evidence, &config->options);
  return status;
}
