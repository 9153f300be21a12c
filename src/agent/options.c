// options.c: the agent's option table and the presets. Every constant of the paper is a row; a preset is a list of
// assignments on top of the defaults, which are the paper's SFNEC.
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "env/picture.h"
#include "sfnec/agent.h"

static const char *const psi_names[] = {"episodic", "linear", "planned", NULL};
static const char *const terminal_names[] = {"zero", "restart", NULL};
static const char *const off_on_names[] = {"off", "on", NULL};
static const char *const predict_names[] = {"features", "reward", "learned", NULL};
static const char *const rewards_names[] = {"linear", "any", NULL};
static const char *const policies_names[] = {"gpi", "own", NULL};
static const char *const ties_names[] = {"random", "first", NULL};
static const char *const write_names[] = {"horizon", "episode", "late", NULL};
static const char *const bootstrap_names[] = {"gpi", "own", NULL};
static const char *const td_names[] = {"residual", "semi", NULL};
static const char *const td_trains_names[] = {"values", "all", NULL};
static const char *const kernel_names[] = {"inverse_squared", "inverse", NULL};
static const char *const index_names[] = {"flat", "fast", NULL};
static const char *const gpi_names[] = {"pruned", "full", NULL};
static const char *const warm_start_names[] = {"previous", "none", NULL};
static const char *const w_names[] = {"given", "sgd", "rls", NULL};
static const char *const tasks_names[] = {"told", "detect", NULL};
// mechanisms of the planner; others have options of their own
static const char *const without_names[] = {
    "none",
    // encode
    "refits",      // of scales and states after the first fit, but for components that relevance has judged
    "log",         // refits from the log of raw transitions instead of from samples
    "short_steps", // the unit of distance follows an action that moves less than the others
    "cells",       // the regime of one-hot states, which share nothing
    "counts",      // slow components of three and more values, where states come again to the bit
    "noise",       // noise is looked for, and keys projected
    // predict
    "exact",       // samples of the very state count alone
    "apart",       // samples of contexts that differ where it matters are not merged, where tabular
    "differences", // contexts matter in which samples went different ways
    "chance",      // ... unless chance explains it
    "other_ends",  // an end may be none in another context
    "polynomial",  // of moves
    "balance",     // of interpolated states, where moves follow the polynomial
    "own_share",   // a state that is asked about contributes to its own value
    // evaluate and solve
    "tried",             // what was not tried in the very state is unknown, where states come again
    "tried_context",     // ... and in a context that agrees where it matters
    "known_ends",        // ends by chance are tried again
    "novelty_by_chance", // a bonus where outcomes are random
    "first_values",      // of value tables, by a relaxed problem
    "inheritance",       // a new state begins with its neighbour's value
    "path",              // an episode is backed up at its end
    "starts",            // trajectories from the start, too, while it learns
    "silent_effects",    // tables beside the trajectory are swept
    // act
    "optimism",       // of R-max, while no reward is known
    "exploitation",   // when nothing was earned for long
    "circles",        // corrections while it learns
    "feedback",       // corrections in play
    "rollouts",       // in play
    "lambda_returns", // of rollouts where steps only cost
    NULL};
static const char *const embedding_names[] = {"identity", "linear", "mlp", "random", "pca", "conv", NULL};
static const char *const layers_texts[] = {
    "auto", "auto, nature, small, or groups of layers: conv:UNITSxKERNEL/STRIDE,...;dense:UNITS,...", NULL};
static const char *const auto_off_on_names[] = {"auto", "off", "on", NULL};
static const char *const match_names[] = {"auto", "key", "observation", NULL};
static const char *const equal_names[] = {"move", "greater", NULL};
static const char *const embedding_init_names[] = {"fresh", "keep", "frozen", "shared", NULL};
static const char *const training_names[] = {"sample", "batch", NULL};
static const char *const train_per_names[] = {"target", "transition", NULL};
static const char *const optimizer_names[] = {"sgd", "rmsprop", "adam", NULL};

#define AT(field) offsetof(sfnec_agent_options, field)
#define CHOICE(field, names, initial, help)                                                                            \
  { #field, SFNEC_OPTION_CHOICE, AT(field), initial, 0, 0, 0, names, help, NULL, 0 }
#define REAL(field, initial, least, most, help)                                                                        \
  { #field, SFNEC_OPTION_REAL, AT(field), initial, least, most, 0, NULL, help, NULL, 0 }
#define BELOW(field, initial, least, most, help)                                                                       \
  { #field, SFNEC_OPTION_REAL, AT(field), initial, least, most, 1, NULL, help, NULL, 0 }
#define INT(field, initial, least, most, help)                                                                         \
  { #field, SFNEC_OPTION_INT, AT(field), initial, least, most, 0, NULL, help, NULL, 0 }
#define TEXT(field, texts, help)                                                                                       \
  { #field, SFNEC_OPTION_TEXT, AT(field), 0, 0, 0, 0, texts, help, NULL, 0 }
// options that had another name in version 0.1
#define REAL_WAS(former, field, initial, least, most, help)                                                            \
  { #field, SFNEC_OPTION_REAL, AT(field), initial, least, most, 0, NULL, help, #former, 0 }
#define INT_WAS(former, field, initial, least, most, help)                                                             \
  { #field, SFNEC_OPTION_INT, AT(field), initial, least, most, 0, NULL, help, #former, 0 }

_Static_assert(sizeof without_names / sizeof *without_names == SFNEC_WITHOUT_LAMBDA_RETURNS + 2,
               "a name for each mechanism");

static const sfnec_option rows[] = {
    CHOICE(psi, psi_names, SFNEC_PSI_EPISODIC,
           "how psi is held: one memory per action, a linear function, or a model to plan over"),
    CHOICE(predict, predict_names, SFNEC_PREDICT_FEATURES,
           "what psi predicts: the features, the reward alone (NEC), or features learned from rewards"),
    CHOICE(rewards, rewards_names, SFNEC_REWARDS_LINEAR,
           "rewards of a task: phi . w, or any function of a transition too"),
    INT(joint_values, 16, 2, 4096, "most joint values of phi, with rewards=any and a psi per task"),
    CHOICE(policies, policies_names, SFNEC_POLICIES_GPI,
           "act by the best of all tasks' policies (GPI), or by the task's own"),

    REAL(epsilon, 0.15, 0, 1, "probability of a random action, usually 0.05 to 0.2; agents that plan use 0"),
    REAL(epsilon_final, 0, 0, 1, "epsilon after epsilon_steps steps of a task, approached linearly"),
    INT(epsilon_steps, 0, 0, 1e12, "steps of a task in which epsilon reaches epsilon_final; 0: epsilon is constant"),
    CHOICE(ties, ties_names, SFNEC_TIES_RANDOM, "which of several best actions is taken: one at random, or the first"),
    REAL(gpi_penalty, 0, 0, 1e6,
         "penalty on other policies' values, times min(1, distance to their nearest key), e.g. 0.3"),
    REAL(novelty, 0, 0, 1e6, "bonus on an action's value, times min(1, distance to the task's nearest key), e.g. 0.1"),

    BELOW(gamma, 0.95, 0, 1, "discount factor, usually 0.9 to 0.99"),
    INT(horizon, 8, 1, 1e6, "steps N of an N-step target before it bootstraps, usually 1 to 32"),
    CHOICE(write, write_names, SFNEC_WRITE_HORIZON,
           "when a target is learned: after the horizon, at the episode's end, or one step late"),
    CHOICE(bootstrap, bootstrap_names, SFNEC_BOOTSTRAP_GPI,
           "action that a target bootstraps from: GPI's, or the task's own"),
    CHOICE(td, td_names, SFNEC_TD_RESIDUAL,
           "one-step update of the other policy that GPI chose: residual gradient or semi-gradient"),
    CHOICE(td_trains, td_trains_names, SFNEC_TD_TRAINS_VALUES,
           "what the one-step update td trains: values, or with training=batch keys and embedding too"),
    REAL(rate, 0.05, 0, 1e3, "learning rate of the gradient steps on psi, usually 0.01 to 0.1"),

    INT(neighbours, 20, 1, 1e4,
        "nearest entries k of a look-up, usually 5 to 50; with psi=planned, samples of a prediction, 5"),
    INT(capacity, 10000, 1, 1e8,
        "most entries of one action's memory; at the limit the least recently used one is replaced"),
    INT(capacity_total, 0, 0, 1e9,
        "most entries of all tasks' and actions' memories together; 0: no limit but capacity"),
    CHOICE(kernel, kernel_names, SFNEC_KERNEL_INVERSE_SQUARED, "weight of a neighbour: 1/(d^2+delta) or 1/(d+delta)"),
    REAL(delta, 1e-3, 1e-30, 1e6,
         "keeps the weight of an equal key finite, usually 1e-4 to 1e-2; smaller: nearer neighbours count more"),
    REAL(alpha, 0.1, 0, 1, "learning rate of an equal key's value towards a new target, usually 0.1 to 0.5"),
    CHOICE(equal, equal_names, SFNEC_EQUAL_MOVE,
           "what a target does to an equal key's value: moves it by alpha, or replaces a lesser one"),

    CHOICE(embedding, embedding_names, SFNEC_EMBEDDING_IDENTITY,
           "key of an observation: itself, learned (linear, mlp, conv), or projected (random, pca)"),
    INT(key_size, 32, 1, 1e5, "dimensions of a key, with any embedding but identity, usually 8 to 64"),
    INT(hidden, 64, 1, 1e5, "hidden units of embedding=mlp, usually 32 to 256"),
    CHOICE(embedding_init, embedding_init_names, SFNEC_EMBEDDING_INIT_FRESH,
           "embedding of a new task: fresh, a copy of the last, fixed, or shared"),
    TEXT(layers, layers_texts, "layers of embedding=conv before the key, e.g. conv:32x8/4,64x4/2;dense:128"),
    CHOICE(unit_keys, auto_off_on_names, SFNEC_UNIT_KEYS_AUTO,
           "whether keys of learned embeddings have length 1; auto: those of embedding=conv"),
    CHOICE(match, match_names, SFNEC_MATCH_AUTO,
           "what finds the entry of a target again: its key, or its observation, whose key is then renewed"),
    REAL(blur, 0.07, 0, 1,
         "width of the blur of pictures with embedding=random, in shares of their shorter side; 0: none"),
    INT(pca_observations, 500, 2, 1e6, "observations that embedding=pca is fitted on; targets wait until then"),
    CHOICE(training, training_names, SFNEC_TRAINING_SAMPLE,
           "a gradient step on each target's neighbours, or on minibatches of a replay buffer"),
    INT(replay, 5000, 1, 1e8, "capacity of the replay buffer of training=batch, in targets"),
    INT(batch, 16, 1, 1e5, "size of a minibatch, in targets, usually 8 to 64"),
    INT(train_start, 0, 0, 1e8, "targets in the replay buffer before the first minibatch; at least one batch"),
    INT(train_every, 4, 1, 1e9, "targets, or transitions, from one minibatch to the next, usually 1 to 16"),
    CHOICE(train_per, train_per_names, SFNEC_TRAIN_PER_TARGET, "what train_every counts: targets or transitions"),
    REAL(key_rate, 0.01, 0, 1e3, "learning rate of keys, with a learned embedding"),
    REAL(clip, 1, 0, 1e30, "greatest norm of a minibatch's gradient; 0: no clipping"),
    CHOICE(optimizer, optimizer_names, SFNEC_OPTIMIZER_RMSPROP, "how the weights of a learned embedding are trained"),
    REAL(embedding_rate, 0.001, 0, 1e3, "learning rate of the optimizer, usually 1e-4 to 1e-2"),
    BELOW(rmsprop_decay, 0.99, 0, 1, "decay of the mean squared gradient, with optimizer=rmsprop"),
    BELOW(adam_mean_decay, 0.9, 0, 1, "decay of the mean gradient (beta 1), with optimizer=adam"),
    BELOW(adam_square_decay, 0.999, 0, 1, "decay of the mean squared gradient (beta 2), with optimizer=adam"),
    REAL(optimizer_epsilon, 1e-8, 1e-30, 1e3, "added to the root of the mean square by rmsprop and adam"),

    REAL(radius, 0.5, 0, 1e6, "radius of a representative state, in steps, usually 0.25 to 1; smaller: a finer plan"),
    REAL_WAS(borrow, sample_reach, 2, 0, 1e6,
             "greatest distance at which states share samples, in steps, usually 1 to 2; 0: none are shared"),
    INT(samples, 8, 1, 100, "most samples of an action in a state, usually 2 to 8; stochastic environments need more"),
    INT_WAS(places, states, 20000, 16, 1e7,
            "most representative states; at the limit their radius grows, up to one step"),
    INT_WAS(blend, interpolation, 8, 1, 16,
            "nearest states that a value is interpolated over, usually 4 to 8; 1: no interpolation"),
    CHOICE(relevance, off_on_names, SFNEC_RELEVANCE_ON,
           "drop components of the observation that do not matter, or use all"),
    CHOICE(filter, off_on_names, SFNEC_FILTER_ON,
           "estimate states by a Kalman filter where observations are noisy, or use them as they are"),
    CHOICE(contexts, off_on_names, SFNEC_CONTEXTS_ON,
           "a value table for each context (slow components, e.g. objects taken), or one"),
    CHOICE(terminal, terminal_names, SFNEC_TERMINAL_RESTART,
           "value of a terminal state: 0 (return per episode) or the start's (reward per step)"),
    REAL(bonus, 0.1, 0, 1e6,
         "exploration bonus of an action not tried nearby, in units of the reward scale, usually 0.03 to 0.3"),
    REAL_WAS(caution, pessimism, 0.1, 0, 1e6,
             "penalty on an action not tried nearby, in queries and greedy play, usually 0.1 to 1"),
    INT(backups, 10000, 0, 1e9,
        "mean backups of an action per step, usually 2,000 to 10,000; fewer: faster steps, worse plans"),
    INT(step_backups, 25000, 1, 1e12,
        "most backups in one step, about 20 ns each; fewer: faster slowest steps, later plans"),
    INT(replan_backups, 20000000, 0, 1e12, "most backups of a new plan, for a new task or a question under another w"),
    INT(question_backups, 5000000, 0, 1e12, "most backups of one question; the next one resumes its plan; 0: no limit"),

    {"without", SFNEC_OPTION_CHOICE, AT(without), SFNEC_WITHOUT_NONE, 0, 0, 0, without_names,
     "the mechanism of the planner that is switched off, to measure what it earns", NULL, 1},

    CHOICE(index, index_names, SFNEC_INDEX_FAST,
           "how neighbours are found: a full scan, or a tree of boxes; the answers are the same"),
    CHOICE(gpi, gpi_names, SFNEC_GPI_PRUNED, "evaluate only policies that may win, or all; the choices are the same"),

    CHOICE(warm_start, warm_start_names, SFNEC_WARM_START_PREVIOUS,
           "first weights of a new task's linear psi: those of the last task, or random"),
    REAL(init_sd, 0.01, 0, 1e3, "standard deviation of a linear psi's random first weights"),

    CHOICE(w, w_names, SFNEC_W_GIVEN, "reward weights: given, or learned by SGD or recursive least squares"),
    CHOICE(tasks, tasks_names, SFNEC_TASKS_TOLD,
           "task switches: given by the caller, or detected from rewards (psi=planned, w=rls)"),
    REAL(w_rate, 0.05, 0, 1e3, "learning rate of w=sgd, usually 0.01 to 0.1"),
    REAL(w_init_sd, 0.01, 0, 1e3, "standard deviation of the random first weights of w=sgd"),
    REAL(rls_prior, 1e6, 1e-6, 1e12,
         "with w=rls: prior variance of a weight, in units of the variance of the reward noise"),
    REAL(false_alarm_every, 1e6, 1, 1e12, "with tasks=detect: least mean number of rewards between two false alarms"),
    INT(recheck, 1000, 1, 1e12,
        "with tasks=detect: steps after which the weight of a feature not seen since counts as unknown"),
    {NULL, SFNEC_OPTION_INT, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0},
};

static const sfnec_option_set option_set = {"agent", rows};

const sfnec_option_set *sfnec_agent_option_set(void) {
  return &option_set;
}

void sfnec_agent_options_default(sfnec_agent_options *options) {
  if (!options) return;
  memset(options, 0, sizeof *options);
  sfnec_options_default(&option_set, options);
}

static const char *const paper[] = {NULL};
// the last target is learned again at every transition: a replay buffer of one
static const char *const authors[] = {"write=late", "kernel=inverse", "training=batch",       "replay=1", "batch=1",
                                      "clip=0",     "train_every=1",  "train_per=transition", NULL};
static const char *const plus[] = {"novelty=0.1", "gpi_penalty=0.3", "epsilon=0.05", NULL};
static const char *const plan[] = {"psi=planned", "neighbours=5", "epsilon=0", NULL};
static const char *const nogpi[] = {"policies=own", "bootstrap=own", NULL};
static const char *const nec[] = {"predict=reward", "policies=own", "bootstrap=own", "rate=0.01", NULL};
static const char *const sfql[] = {"psi=linear", "horizon=1", "td=semi", "rate=0.01", NULL};
static const char *const ql[] = {"psi=linear",    "predict=reward",  "policies=own",
                                 "bootstrap=own", "horizon=1",       "td=semi",
                                 "rate=0.01",     "warm_start=none", NULL};

// Blundell et al. 2016, with the kernel of NEC for their plain mean: equal keys decide there too
static const char *const mfec[] = {
    "predict=reward",      "policies=own",     "bootstrap=own",   "embedding=random", "key_size=64",
    "embedding_init=keep", "write=episode",    "horizon=1000000", "equal=greater",    "rate=0",
    "neighbours=11",       "capacity=1000000", "gamma=0.99",      "epsilon=0.005",    NULL};
// Pritzel et al. 2017; a step is four frames. They leave open the size of keys, the rates, and the constants of RMSprop
static const char *const nec_atari[] = {"predict=reward",
                                        "policies=own",
                                        "bootstrap=own",
                                        "embedding=conv",
                                        "key_size=64",
                                        "unit_keys=off",
                                        "capacity=500000",
                                        "neighbours=50",
                                        "delta=0.001",
                                        "alpha=0.1",
                                        "horizon=100",
                                        "gamma=0.99",
                                        "training=batch",
                                        "replay=100000",
                                        "batch=32",
                                        "train_per=transition",
                                        "train_every=4",
                                        "train_start=1000",
                                        "rate=0.1",
                                        "key_rate=0.01",
                                        "clip=0",
                                        "optimizer=rmsprop",
                                        "embedding_rate=0.00001",
                                        "rmsprop_decay=0.95",
                                        "optimizer_epsilon=0.01",
                                        "epsilon=1",
                                        "epsilon_final=0.001",
                                        "epsilon_steps=25000",
                                        NULL};

static const sfnec_agent_preset presets[] = {
    {"sfnec", "the paper's agent: episodic successor features, GPI over all tasks", paper},
    {"sfnec-plus", "sfnec that explores by novelty and trusts far memories of other tasks less", plus},
    {"sfnec-plan", "plans over one memory of transitions for the present reward", plan},
    {"sfnec-nogpi", "sfnec with each task's own policy only", nogpi},
    {"nec", "neural episodic control: the return in memory, each task from scratch", nec},
    {"sfql", "linear successor features with GPI (Barreto et al. 2017)", sfql},
    {"ql", "linear Q-learning, each task from scratch", ql},
    {"sfnec-authors", "sfnec with the update of the authors' published program", authors},
    {"nec-atari", "neural episodic control as published for Atari: keys of pictures, learned through look-ups",
     nec_atari},
    {"mfec", "model-free episodic control: the best return so far, keys by a random projection", mfec},
};

// What pictures decide of keys and their training, and of it what depends on their size.
static const char *const pictures[] = {
    "embedding=conv", "embedding_init=keep",   "key_size=64", "neighbours=50", "training=batch",
    "batch=32",       "train_per=transition",  "rate=1.6",    "key_rate=0",    "clip=0",
    "optimizer=adam", "embedding_rate=0.0001", NULL};
static const char *const small_pictures[] = {"capacity=30000", "replay=100000", "train_every=4", NULL};
static const char *const large_pictures[] = {"capacity=20000", "replay=60000", "train_every=16", NULL};
// Games need a horizon and exploration of their own; agents that transfer keep those of their preset.
static const char *const games[] = {"gamma=0.99", "epsilon=1", "epsilon_final=0.01", NULL};
static const char *const small_games[] = {"horizon=10", "train_start=1000", "epsilon_steps=10000", NULL};
static const char *const large_games[] = {"horizon=100", "train_start=2000", "epsilon_steps=20000", NULL};

// The assignments are constants that the table accepts.
static void assign_all(sfnec_agent_options *options, const char *const *assignments) {
  for (; *assignments; assignments++) (void)sfnec_options_assign(&option_set, options, *assignments);
}

void sfnec_agent_options_for(const sfnec_env_shape *shape, sfnec_agent_options *options) {
  enum { SMALL_SIDE = 36 }; // as the layers that suit a picture (train/embedding.c)
  if (!shape || !options || !sfnec_picture_is(&shape->picture)) return;
  if (options->psi != SFNEC_PSI_EPISODIC || options->embedding != SFNEC_EMBEDDING_IDENTITY) return;
  const bool large = shape->picture.height >= SMALL_SIDE && shape->picture.width >= SMALL_SIDE;
  assign_all(options, pictures);
  assign_all(options, large ? large_pictures : small_pictures);
  if (options->policies != SFNEC_POLICIES_OWN) return;
  assign_all(options, games);
  assign_all(options, large ? large_games : small_games);
}

const sfnec_agent_preset *sfnec_agent_preset_at(size_t i) {
  return i < sizeof presets / sizeof presets[0] ? &presets[i] : NULL;
}

sfnec_status sfnec_agent_options_preset(const char *name, sfnec_agent_options *options) {
  if (!name || !options) return sfnec_fail_null(__func__);
  const char *nearest = NULL;
  for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
    if (strcmp(presets[i].name, name) != 0) {
      nearest = sfnec_text_nearer(name, nearest, presets[i].name);
      continue;
    }
    sfnec_agent_options_default(options);
    sfnec_status status = SFNEC_OK;
    for (const char *const *a = presets[i].assignments; *a && !status; a++) {
      status = sfnec_options_assign(&option_set, options, *a);
    }
    return status;
  }
  return sfnec_fail(
      SFNEC_ERROR_OPTION, "there is no agent '%s': %s%s%s", name, nearest ? "did you mean '" : "use ",
      nearest ? nearest : "sfnec, sfnec-plus, sfnec-plan, sfnec-nogpi, nec, sfql, ql, sfnec-authors, nec-atari or mfec",
      nearest ? "'?" : "");
}
