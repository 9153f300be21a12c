// seeds.c FOLDER: writes the inputs that the fuzzers begin from, small and valid ones, to FOLDER/<target>. They are
// committed (corpus/); run it again when a format has a new version, and keep the old files.
#include <sys/stat.h>

#include "agent/agent_file.h"
#include "checkpoint.h"
#include "run/log.h"
#include "run/record.h"
#include "study/work/message.h"
#include "study/work/state_file.h"

static const char *root;
enum { SEAL_HEAD = 24, SEAL_TAIL = 8 }; // around the payload of a file (base/file.h)

static void put(const char *target, const char *name, const void *bytes, size_t size) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", root, target);
  (void)mkdir(path, 0777);
  snprintf(path, sizeof path, "%s/%s/%s", root, target, name);
  fuzz_write_file(path, bytes, size);
}

static void put_text(const char *target, const char *name, const char *text) {
  put(target, name, text, strlen(text));
}

// Ends a writer with a few bytes in front of what it holds.
static void put_writer(const char *target, const char *name, const void *head, size_t head_size, sfnec_writer *writer) {
  unsigned char *bytes;
  size_t size;
  HOLDS(!sfnec_writer_take(writer, &bytes, &size));
  unsigned char *whole = malloc(head_size + size);
  HOLDS(whole);
  if (head_size > 0) memcpy(whole, head, head_size);
  memcpy(whole + head_size, bytes, size);
  put(target, name, whole, head_size + size);
  free(whole);
  free(bytes);
}

static sfnec_writer *writer_open(void) {
  sfnec_writer *writer = NULL;
  HOLDS(!sfnec_writer_open_memory(NULL, 0, &writer));
  return writer;
}

// ---- agents and checkpoints ----

static const struct {
  const char *name, *preset, *settings[8];
} agents[] = {
    {"sfnec", "sfnec", {NULL}},
    {"plus-rls", "sfnec-plus", {"w=rls", NULL}},
    {"nec", "nec", {"write=episode", NULL}},
    {"sfql", "sfql", {"w=sgd", NULL}},
    {"ql", "ql", {NULL}},
    {"random", "sfnec", {"embedding=random", "key_size=2", NULL}},
    {"pca", "sfnec", {"embedding=pca", "key_size=2", "pca_observations=4", NULL}},
    {"linear", "sfnec", {"embedding=linear", "key_size=2", "training=batch", "replay=4", "batch=2", NULL}},
    {"mlp", "sfnec", {"embedding=mlp", "key_size=2", "hidden=2", "training=batch", "replay=4", "batch=2", NULL}},
    {"plan", "sfnec-plan", {"places=16", "backups=100", "replan_backups=1000", NULL}},
    {"any", "sfnec", {"rewards=any", "joint_values=16", NULL}},
    {"budget", "sfnec", {"capacity_total=8", NULL}},
    {"conv",
     "sfnec",
     {"embedding=conv", "layers=dense:3", "key_size=2", "training=batch", "replay=4", "batch=2", NULL}},
};

static sfnec_agent *agent_for(size_t i, sfnec_env_shape shape) {
  sfnec_agent_options options;
  HOLDS(!sfnec_agent_options_preset(agents[i].preset, &options));
  options.horizon = 3;
  for (const char *const *s = agents[i].settings; *s; s++) {
    HOLDS(!sfnec_options_assign(sfnec_agent_option_set(), &options, *s));
  }
  sfnec_agent *agent = NULL;
  HOLDS(!sfnec_agent_create(&shape, &options, 1, &agent));
  return agent;
}

// Two tasks of a few steps each, the second in the middle of an episode.
static void put_agent(size_t i) {
  sfnec_agent *agent = agent_for(i, (sfnec_env_shape){.observation_size = 3, .action_count = 2, .feature_count = 2});
  const bool given = sfnec_agent_get_options(agent)->w == SFNEC_W_GIVEN;
  const double w[] = {1, -0.5};
  for (int step = 0; step < 14; step++) {
    if (step % 7 == 0) HOLDS(!sfnec_agent_begin_task(agent, given ? w : NULL, NULL));
    if (step % 7 == 0) HOLDS(!sfnec_agent_begin_episode(agent));
    const float here[] = {(float)(step % 3), (float)(step % 2), 1}, next[] = {(float)((step + 1) % 3), 0.5f, 1};
    const double features[] = {step % 2, 0.25 * step};
    sfnec_transition moved = {.features = features, .reward = 1, .next_observation = next, .terminated = step == 6};
    HOLDS(!sfnec_agent_act(agent, here, &moved.action));
    HOLDS(!sfnec_agent_observe(agent, &moved));
  }
  HOLDS(!sfnec_agent_set_note(agent, "trained by hand"));
  sfnec_writer *writer = writer_open();
  sfnec_agent_write(agent, writer, false);
  put_writer("agent", agents[i].name, NULL, 0, writer);
  sfnec_agent_destroy(agent);
}

// An agent that has made a plan: a walk to and fro, at whose end a flag is raised; it is down again in the next
// episode.
static void put_planner(const char *name, const char *const *more) {
  sfnec_agent_options options;
  HOLDS(!sfnec_agent_options_preset("sfnec-plan", &options));
  static const char *const small[] = {"places=16", "backups=100", "replan_backups=1000"};
  for (size_t i = 0; i < 3; i++) HOLDS(!sfnec_options_assign(sfnec_agent_option_set(), &options, small[i]));
  for (; *more; more++) HOLDS(!sfnec_options_assign(sfnec_agent_option_set(), &options, *more));
  sfnec_agent *agent = NULL;
  HOLDS(!sfnec_agent_create(&(sfnec_env_shape){.observation_size = 2, .action_count = 2, .feature_count = 2}, &options,
                            1, &agent));
  const double w[] = {1, -0.5};
  HOLDS(!sfnec_agent_begin_task(agent, options.w == SFNEC_W_GIVEN ? w : NULL, NULL));
  int at = 0, flag = 0;
  sfnec_random random = sfnec_random_start(3, 0);
  for (int step = 0; step < 140; step++) {
    if (step % 35 == 0) HOLDS(!sfnec_agent_begin_episode(agent));
    const float here[] = {(float)at, (float)flag};
    sfnec_transition moved = {.truncated = step % 35 == 34};
    HOLDS(!sfnec_agent_act(agent, here, &moved.action));
    moved.action = (int32_t)sfnec_random_below(&random, 2);
    at = moved.action ? (at < 3 ? at + 1 : 3) : (at > 0 ? at - 1 : 0);
    const bool raised = at == 3 && !flag;
    if (at == 3) flag = 1;
    const float next[] = {(float)at, (float)flag};
    const double features[] = {raised, 0.25};
    moved.next_observation = next;
    moved.features = features;
    moved.reward = features[0] * (step < 70 ? 1 : 0.5) - 0.125;
    moved.terminated = at == 0 && flag && !moved.truncated && step % 35 > 30;
    HOLDS(!sfnec_agent_observe(agent, &moved));
    if (moved.terminated) HOLDS(!sfnec_agent_begin_episode(agent));
    if (moved.truncated || moved.terminated) at = flag = 0;
  }
  sfnec_writer *writer = writer_open();
  sfnec_agent_write(agent, writer, false);
  put_writer("agent", name, NULL, 0, writer);
  sfnec_agent_destroy(agent);
}

// A run in the middle of its second task; the keys of the first are kept apart.
static void put_checkpoint(size_t i, uint32_t world) {
  sfnec_env *env = fuzz_world(world);
  sfnec_agent *agent = agent_for(i, sfnec_env_get_shape(env));
  sfnec_run *run = NULL;
  HOLDS(!sfnec_run_create(agent, env, &checkpoint_options, &run));
  HOLDS(!sfnec_run_advance(run, checkpoint_options.steps + 5));

  unsigned char *keys = NULL, *head;
  size_t size = 0;
  if (sfnec_agent_keys_apart(agent, 0) != 0) {
    sfnec_writer *writer = writer_open();
    sfnec_agent_write_keys(agent, 0, writer);
    HOLDS(!sfnec_writer_take(writer, &keys, &size));
  }
  head = malloc(CHECKPOINT_HEAD + size);
  HOLDS(head && size <= UINT16_MAX);
  const uint32_t version = SFNEC_RUN_OLDEST_VERSION + sfnec_record_edition();
  const unsigned char fixed[CHECKPOINT_HEAD] = {(unsigned char)world, (unsigned char)version, (unsigned char)size,
                                                (unsigned char)(size >> 8)};
  memcpy(head, fixed, CHECKPOINT_HEAD);
  if (size > 0) memcpy(head + CHECKPOINT_HEAD, keys, size);
  sfnec_writer *writer = writer_open();
  HOLDS(!sfnec_run_write(run, 7, checkpoint_label, true, writer));
  char name[64];
  snprintf(name, sizeof name, "%s-%u", agents[i].name, (unsigned)world);
  put_writer("checkpoint", name, head, CHECKPOINT_HEAD + size, writer);
  free(head);
  free(keys);
  sfnec_run_destroy(run);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
}

// The same run at its end, as a study keeps it.
static void put_packed(size_t i, uint32_t world) {
  sfnec_env *env = fuzz_world(world);
  sfnec_agent *agent = agent_for(i, sfnec_env_get_shape(env));
  sfnec_run *run = NULL;
  HOLDS(!sfnec_run_create(agent, env, &checkpoint_options, &run));
  HOLDS(!sfnec_run_advance(run, checkpoint_options.tasks * checkpoint_options.steps));
  char job[300], path[310];
  snprintf(job, sizeof job, "%s/job", fuzz_folder());
  snprintf(path, sizeof path, "%s.state", job);
  HOLDS(!sfnec_state_write(job, checkpoint_label, run));
  unsigned char file[1 << 16];
  FILE *stream = fopen(path, "rb");
  const size_t size = stream ? fread(file, 1, sizeof file, stream) : 0;
  HOLDS(stream && size < sizeof file && size > SEAL_HEAD + SEAL_TAIL && fclose(stream) == 0);
  // the payload, after a byte for the world
  file[SEAL_HEAD - 1] = (unsigned char)world;
  char name[64];
  snprintf(name, sizeof name, "%s-%u", agents[i].name, (unsigned)world);
  put("packed", name, file + SEAL_HEAD - 1, size - SEAL_HEAD + 1 - SEAL_TAIL);
  sfnec_run_destroy(run);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
}

static void put_strange_packed(void) {
  // a frame that claims 2^60 bytes and holds none, one that claims 2^21 of them, one without a size, and none at all
  const unsigned char head[] = {0, 1, 0, 0, 0, 0x28, 0xb5, 0x2f, 0xfd};
  unsigned char bytes[sizeof head + 12] = {0};
  memcpy(bytes, head, sizeof head);
  bytes[sizeof head] = 0xe0; // one segment, a size of 8 bytes
  bytes[sizeof head + 8] = 0x10;
  bytes[sizeof head + 9] = 1; // the last block, raw and empty
  put("packed", "claims-much", bytes, sizeof bytes);
  bytes[sizeof head + 8] = 0;
  bytes[sizeof head + 3] = 0x20;
  put("packed", "claims-more", bytes, sizeof bytes);
  const unsigned char unknown[] = {0, 1, 0, 0, 0, 0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 1, 0, 0};
  put("packed", "no-size", unknown, sizeof unknown);
  put("packed", "no-frame", head, 5);
  put("packed", "plain", "\0\0\0\0\0SFNECALL", 13);
  put("packed", "other-way", "\0\7\0\0\0", 5);
}

// ---- results, messages, states ----

static const int64_t uses[] = {6, 4};
static const sfnec_episode_result episodes[] = {{1, 4, 1.5, true}, {1, 6, -2, false}};
static const sfnec_bin_result bins[] = {{.total = 1.5, .steps = 6, .episodes = 1, .episode_return = 2},
                                        {.total = -2, .steps = 4, .targets = 3, .loss = 0.5}};
static const sfnec_evaluation_result evaluations[] = {{.step = 5, .total = 2, .episodes = 2, .steps = 7},
                                                      {.step = 10, .weights = 1, .episodes = 1, .steps = 3}};
static const double features[] = {1, -1, 0.5, 0};
static const sfnec_task_result result = {
    .total = -0.5, .steps = 10, .episodes = 2, .goals = 1, .entries = 20, .w_error = 0.25, .seconds = 0.5};

static void put_results(void) {
  const unsigned char version = (unsigned char)(1 + sfnec_record_edition());
  sfnec_writer *writer = writer_open();
  sfnec_write_text(writer, "fuzz");
  sfnec_write_u32(writer, 2);
  for (uint32_t task = 0; task < 2; task++) {
    const sfnec_task_record record = {.task = task,
                                      .result = result,
                                      .uses = uses,
                                      .use_count = task + 1,
                                      .episodes = episodes,
                                      .episode_count = task ? 2 : 0,
                                      .bins = bins,
                                      .bin_count = task ? 2 : 0,
                                      .evaluations = evaluations,
                                      .features = features,
                                      .evaluation_count = task ? 2 : 0,
                                      .feature_count = 2};
    sfnec_task_record_write(&record, writer);
  }
  put_writer("result", "two-tasks", &version, 1, writer);
  writer = writer_open();
  sfnec_write_text(writer, "fuzz");
  sfnec_write_u32(writer, 0);
  put_writer("result", "no-task", &version, 1, writer);
}

static void put_message(const char *name, const sfnec_message *message) {
  unsigned char *bytes;
  size_t size;
  HOLDS(!sfnec_message_pack(message, &bytes, &size));
  put("message", name, bytes, size);
  free(bytes);
}

static void put_messages(void) {
  put_message("task",
              &(sfnec_message){.kind = SFNEC_MESSAGE_TASK,
                               .record = {1, result, uses, 2, episodes, 2, bins, 2, evaluations, features, 2, 2}});
  put_message("progress", &(sfnec_message){.kind = SFNEC_MESSAGE_PROGRESS, .tasks_done = 1.5, .steps = 30});
  put_message("failed",
              &(sfnec_message){.kind = SFNEC_MESSAGE_FAILED, .status = SFNEC_ERROR_IO, .text = (char *)"one sentence"});
}

static void put_state(uint32_t world) {
  enum { ACTIONS = 16 };
  sfnec_env *env = fuzz_world(world);
  float observation[1024];
  HOLDS(sfnec_env_get_shape(env).observation_size <= 1024 && !sfnec_env_reset(env, observation));
  const size_t size = sfnec_env_get_state_size(env);
  unsigned char *bytes = calloc(1 + ACTIONS + size, 1);
  HOLDS(bytes);
  bytes[0] = (unsigned char)world;
  for (unsigned i = 0; i < ACTIONS; i++) bytes[1 + i] = (unsigned char)(i * 7);
  sfnec_env_get_state(env, bytes + 1 + ACTIONS);
  char name[32];
  snprintf(name, sizeof name, "world-%u", (unsigned)world);
  put("state", name, bytes, 1 + ACTIONS + size);
  free(bytes);
  sfnec_env_destroy(env);
}

// ---- texts ----

static void put_specs(void) {
  put_text("spec", "small", "name: small\nenv: cartpole\ntasks: 2\nepisodes: 5\nseeds: 1\nagents: [sfnec, ql]\n");
  put_text("spec", "sweep",
           "name: sweep\ntitle: Neighbours\nenv: {name: four_rooms, options: {layout: calibrated}}\ntasks: 4\n"
           "steps: 100\nseeds: 1-4,7\nagents:\n  - {label: SFNEC k=1, preset: sfnec, options: {neighbours: 1}}\n"
           "  - {preset: sfql, sweep: {rate: [0.01, 0.05]}}\nsweep:\n  alpha: [0.1, 0.5]\n"
           "record: {episodes: no, agents: first, state_megabytes: 20}\npublished:\n"
           "  - {agent: sfql, options: {rate: 0.05}, task: 2, mean: 550, se: 30, source: thesis}\n");
  put_text("spec", "random",
           "name: random\nenv: one_room\ntasks: 1\nsteps: 10\nseeds: 3\nagents: [sfnec]\nrandom: {count: 3, seed: 9}\n"
           "sweep:\n  rate: {from: 0.001, to: 0.1, scale: log}\n  neighbours: [1, 4]\n");
  put_text("spec", "rewards",
           "name: rewards\nenv: {name: one_room, options: {observe: picture}}\ntasks: 3\nsteps: 10\nseeds: 1\n"
           "rewards: [weights, '1 if goal else -0.1', \"phi[0] * (action == 'up')\"]\nagents:\n"
           "  - {preset: sfnec, options: {rewards: any, joint_values: 4, layers: 'conv:2x3/1p1;dense:3'}}\n"
           "  - {preset: sfnec-plan, options: {predict: learned, capacity_total: 10}}\n");
}

// Every option of a table at its default, one per line.
static void put_options(const char *name, unsigned char whose, const sfnec_option_set *set) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  HOLDS(stream);
  fputc(whose, stream);
  for (const sfnec_option *row = set->rows; row->name; row++) {
    char value[64];
    sfnec_options_get_default_text(row, value, sizeof value);
    fprintf(stream, "%s=%s\n", row->name, value);
  }
  HOLDS(fclose(stream) == 0);
  put("options", name, text, size - 1);
  free(text);
}

static void put_all_options(void) {
  for (unsigned char i = 0; i < 4; i++) {
    const sfnec_env_kind *kind = sfnec_env_kind_at(i);
    put_options(kind->name, i, sfnec_env_kind_option_set(kind));
  }
  put_options("agent", 4, sfnec_agent_option_set());
  put_text("options", "command", "\5sfnec:neighbours=1:alpha=0.3\n1-4,7\nfour_rooms");
  put_text("options", "sets", "\6sfql\nrate=0.5\nlayout=calibrated");
}

// ---- logs ----

// A few transitions in two tasks.
static void put_log(void) {
  const sfnec_env_shape shape = {.observation_size = 2, .action_count = 3, .feature_count = 2};
  const double w[] = {1, -0.5};
  sfnec_log_writer *writer = NULL;
  HOLDS(!sfnec_log_writer_create(shape, &writer));
  for (int i = 0; i < 12; i++) {
    if (i % 6 == 0) HOLDS(!sfnec_log_writer_begin_task(writer, w));
    const float before[] = {(float)i, 1}, after[] = {(float)i + 1, 1};
    const double phi[] = {i % 3 == 0, 0.25};
    const sfnec_transition moved = {.action = i % 3,
                                    .features = phi,
                                    .reward = phi[0] - 0.125,
                                    .next_observation = after,
                                    .terminated = i == 4,
                                    .truncated = i == 11};
    HOLDS(!sfnec_log_writer_add(writer, before, &moved));
  }
  char path[1024];
  snprintf(path, sizeof path, "%s/npz", root);
  (void)mkdir(path, 0777);
  snprintf(path, sizeof path, "%s/npz/log", root);
  HOLDS(!sfnec_log_writer_save(writer, "agent=fuzz\nenv=one_room\n", path));
  sfnec_log_writer_destroy(writer);
}

// The same rows as others name them, without what only this program writes.
static void put_foreign_log(void) {
  static const float observations[] = {0, 1, 2, 0, 1, 2};
  static const uint8_t bytes[] = {0, 1, 1, 0, 1, 1}, ends[] = {0, 0, 1, 0, 0, 0};
  const sfnec_npz_array arrays[] = {
      {"obs", SFNEC_NPZ_F4, NULL, 2, {6, 1}, 6, (const unsigned char *)observations},
      {"action", SFNEC_NPZ_U1, NULL, 1, {6}, 6, bytes},
      {"reward", SFNEC_NPZ_I1, NULL, 1, {6}, 6, ends},
      {"dones", SFNEC_NPZ_B1, NULL, 1, {6}, 6, ends},
  };
  char path[1024];
  snprintf(path, sizeof path, "%s/npz/foreign", root);
  HOLDS(!sfnec_npz_write(path, arrays, sizeof arrays / sizeof *arrays));
}

// Inputs of which every byte is a choice: some that do something by luck.
static void put_choices(const char *target, uint64_t count, size_t size) {
  for (uint64_t i = 0; i < count; i++) {
    sfnec_random random = sfnec_random_start(i, 0);
    unsigned char bytes[256];
    for (size_t j = 0; j < size; j++) bytes[j] = (unsigned char)sfnec_random_below(&random, 256);
    char name[32];
    snprintf(name, sizeof name, "drawn-%u", (unsigned)i);
    put(target, name, bytes, size);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: seeds FOLDER\n");
    return 2;
  }
  root = argv[1];
  (void)mkdir(root, 0777);
  for (size_t i = 0; i < sizeof agents / sizeof *agents; i++) put_agent(i);
  put_planner("plan-contexts", (const char *const[]){"contexts=on", NULL});
  put_planner("plan-plain", (const char *const[]){"contexts=off", NULL});
  put_planner("plan-detect", (const char *const[]){"w=rls", "tasks=detect", NULL});
  put_planner("plan-random", (const char *const[]){"contexts=off", "embedding=random", "key_size=1", NULL});
  put_planner("plan-any", (const char *const[]){"rewards=any", NULL});
  put_planner("plan-learned", (const char *const[]){"predict=learned", NULL});
  put_planner("plan-pca", (const char *const[]){"contexts=off", "embedding=pca", "key_size=1", NULL});
  // in cartpole, whose states are short, but for two
  for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
    put_checkpoint(i, i == 1 ? 1 : i == 4 ? 4 : i % 2 ? 5 : 0);
  for (size_t i = 0; i < sizeof agents / sizeof *agents; i += 3) put_packed(i, i % 2 ? 5 : 0);
  put_strange_packed();
  put_results();
  put_messages();
  for (uint32_t i = 0; i < FUZZ_WORLDS; i++) put_state(i);
  put_specs();
  put_all_options();
  put_text("reward", "conditional", "1 if goal else -0.1 - 0.5 * (observation[0] < 0.3)");
  put_text("reward", "functions", "min(circle, square, 2) ** 2 + abs(-phi[2]) + sqrt(exp(log(floor(3.5))))");
  put_text("reward", "logic", "not (action == up or action != down) and terminated >= 1 / next_observation[2]");
  put("database", "read", "\0", 1); // nothing is changed
  put("database", "written", "\xb0", 1);
  put_choices("database", 6, 60);
  put_choices("calls", 8, 250);
  put_choices("log", 6, 120);
  put_log();
  put_foreign_log();
  put_choices("records", 6, 250);
  put_choices("worker", 12, 250);
  return 0;
}
