// option_groups.c: the options of an agent by the agents that they serve; see option_groups.h.
#include "agent/option_groups.h"

static const char *const all[] = {
    "psi",           "predict", "rewards", "policies",  "gamma",     "epsilon", "epsilon_final",
    "epsilon_steps", "w",       "w_rate",  "w_init_sd", "rls_prior", NULL};
static const char *const memories[] = {
    "joint_values", "neighbours", "capacity", "capacity_total", "kernel",      "delta",   "alpha", "equal", "rate",
    "horizon",      "bootstrap",  "td",       "ties",           "gpi_penalty", "novelty", "gpi",   "index", NULL};
static const char *const linear[] = {"warm_start", "init_sd", NULL};
static const char *const planned[] = {"states",
                                      "radius",
                                      "samples",
                                      "sample_reach",
                                      "interpolation",
                                      "relevance",
                                      "filter",
                                      "contexts",
                                      "terminal",
                                      "bonus",
                                      "pessimism",
                                      "backups",
                                      "step_backups",
                                      "replan_backups",
                                      "question_backups",
                                      "tasks",
                                      "false_alarm_every",
                                      "recheck",
                                      NULL};
static const char *const keys[] = {"embedding", "embedding_init", "key_size", "hidden",           "layers",
                                   "unit_keys", "match",          "blur",     "pca_observations", NULL};
static const char *const replay[] = {"training",
                                     "td_trains",
                                     "replay",
                                     "batch",
                                     "train_start",
                                     "train_every",
                                     "train_per",
                                     "clip",
                                     "write",
                                     "key_rate",
                                     "optimizer",
                                     "embedding_rate",
                                     "rmsprop_decay",
                                     "adam_mean_decay",
                                     "adam_square_decay",
                                     "optimizer_epsilon",
                                     NULL};

static const char *const studies[] = {"without", NULL};

static const sfnec_option_group groups[] = {
    {"all agents", all},
    {"agents with a policy for each task (psi=episodic, psi=linear)", memories},
    {"agents with a linear function (psi=linear)", linear},
    {"agents that plan (psi=planned)", planned},
    {"experimental: keys that an embedding makes", keys},
    {"experimental: training by minibatches (learned embeddings; sfnec-authors)", replay},
    {"experimental: for studies of the agent itself", studies},
};

const sfnec_option_group *sfnec_agent_option_group_at(size_t i) {
  return i < sizeof groups / sizeof *groups ? &groups[i] : NULL;
}
