// fuzz_worker.c: the conversation of a study with a Python worker (study/work/frame.h), both of its sides, by the code
// of each: what one says is taken from the input.
//
// The command's side hears frames: answers to its question, and messages that were packed by the worker's own function
// and then changed. The worker's side (python/src/worker.c) is told a study and jobs, which may be changed too, in a
// world that does what it likes; a thread plays the command, and each message that comes must be one that the command
// takes.
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "python.h"
#include "study/work/message.h"
#include "study/work/python.h"

enum { SIZE = 2, ACTIONS = 2, FEATURES = 2, TASKS = 2, STEPS = 20, MOST_STEPS = 300, FRAMES = 5, HEAR_MOST = 1 << 20 };
static const sfnec_env_shape shape = {.observation_size = SIZE, .action_count = ACTIONS, .feature_count = FEATURES};

static const char spec_text[] = "name: fuzz\nenv: {gymnasium: Fuzz-v0}\ntasks: 2\nsteps: 20\nseeds: 1-2\n"
                                "agents: [sfnec, {preset: sfql, options: {w: sgd}}]\n"
                                "record: {episodes: yes}\nevaluate: {every: 10, episodes: 1}\n";

// ---- the world, in the place of Python ----

static input *told; // what the world does
static int64_t steps, worlds;
static float observation[SIZE];
static double features[FEATURES];
static uint8_t mask[ACTIONS];
static sfnec_python_world seen = {
    1, {.observation_size = SIZE, .action_count = ACTIONS, .feature_count = FEATURES}, observation, features, mask};
static const sfnec_component_space components[SIZE] = {{.name = "first", .kind = SFNEC_SPACE_DISCRETE, .values = 5}};

static void look_around(void) {
  for (int i = 0; i < SIZE; i++) {
    const double any = told->left && take_byte(told) > 240 ? take_f64(told) : (double)((steps + i) % 5);
    observation[i] = fabs(any) > 3e38 ? NAN : (float)any;
  }
  // mostly all is allowed, sometimes some, and rarely nothing
  const uint8_t allowed = told->left && take_byte(told) > 200 ? take_byte(told) : 255;
  for (int a = 0; a < ACTIONS; a++) mask[a] = allowed >> a & 1;
}

sfnec_python_world *sfnec_python_open(const char *settings) {
  HOLDS(settings);
  worlds++;
  seen.shape = shape;
  const uint8_t how = take_byte(told);
  if (how == 255) seen.shape.feature_count++; // which is refused before anything is read
  if (how != 254) return &seen;
  worlds--;
  (void)sfnec_set_error(SFNEC_ERROR_STATE, "there is no world");
  return NULL;
}

void sfnec_python_close(int64_t world) {
  HOLDS(world == seen.number && worlds > 0);
  worlds--;
}

bool sfnec_python_reset(int64_t world, bool first, uint64_t seed) {
  (void)first, (void)seed;
  HOLDS(world == seen.number && worlds > 0);
  look_around();
  return take_byte(told) != 253;
}

int sfnec_python_step(int64_t world, int32_t action) {
  HOLDS(world == seen.number && worlds > 0 && action >= 0 && action < ACTIONS);
  look_around();
  for (int i = 0; i < FEATURES; i++)
    features[i] = told->left && take_byte(told) > 245 ? take_f64(told) : (double)(steps % 3 == i);
  const uint8_t how = told->left ? take_byte(told) : (uint8_t)(steps * 7);
  // a study that was changed may be a long one
  if (++steps > MOST_STEPS || how == 252) {
    (void)sfnec_set_error(SFNEC_ERROR_STATE, "the world has gone");
    return SFNEC_PYTHON_FAILED;
  }
  return how % 11 == 10 ? SFNEC_PYTHON_TERMINATED : how % 13 == 12 ? SFNEC_PYTHON_TRUNCATED : 0;
}

bool sfnec_python_weights(uint32_t task, sfnec_random *tasks, double *w) {
  (void)task;
  for (int i = 0; i < FEATURES; i++)
    w[i] = told->left && take_byte(told) > 250 ? take_f64(told) : sfnec_random_uniform(tasks);
  return take_byte(told) != 251;
}

// ---- the study ----

static sfnec_status describe(void *context, const char *request, sfnec_env_shape *is) {
  (void)context, (void)request;
  *is = shape;
  return SFNEC_OK;
}

// The plan of the study as it is, made once.
static const sfnec_plan *plan_of(void) {
  static sfnec_plan *plan;
  if (plan) return plan;
  static const sfnec_gym_host host = {.describe = describe};
  const sfnec_overrides overrides = {.gym_host = &host};
  sfnec_spec *spec = NULL;
  HOLDS(!sfnec_spec_parse("fuzz", spec_text, strlen(spec_text), &overrides, &spec));
  HOLDS(!sfnec_plan_create(spec, &plan));
  return plan;
}

// The study as bytes: the spec as a program resolves it, changed now and then.
static unsigned char *pack_study(input *in, size_t *size) {
  unsigned char *bytes = NULL;
  const sfnec_python_study study = {.folder = "",
                                    .log_path = "",
                                    .agent_path = "",
                                    .spec = sfnec_spec_text(plan_of()->spec),
                                    .checkpoint_seconds = take_below(in, 4) ? 30 : take_f64(in)};
  HOLDS(study.spec && !sfnec_python_study_pack(&study, &bytes, size));
  if (take_below(in, 4) == 0) fuzz_damage(in, bytes, *size);
  if (take_below(in, 16) == 0) *size -= take_byte(in) % (*size + 1);
  return bytes;
}

// Nothing that would write a file, or plan for long.
static bool is_harmless(const unsigned char *bytes, size_t size) {
  sfnec_python_study study;
  if (sfnec_python_study_unpack(bytes, size, &study)) return true;
  const bool harmless = !study.folder[0] && !study.agent_path[0] && !study.log_path[0] && !strstr(study.spec, "plan") &&
                        !strstr(study.spec, ".so");
  sfnec_python_study_clear(&study);
  return harmless;
}

// ---- the worker's side ----

typedef struct command {
  int line;
  uint32_t frames, jobs[FRAMES], tasks_sent[FRAMES];
  uint8_t kinds[FRAMES]; // 0: something else than a job
  bool changed;          // the study is not as the plan here has it
} command;

// Hears what the worker says until its job has ended, or it is gone; false then.
static bool hear(const command *command, uint32_t job) {
  for (;;) {
    sfnec_frame_tag tag;
    unsigned char *bytes = NULL;
    size_t size;
    if (!sfnec_frame_receive(command->line, SFNEC_FRAME_MOST, NULL, NULL, &tag, &bytes, &size)) return false;
    HOLDS(tag == SFNEC_FRAME_MESSAGE);
    sfnec_message *message = NULL;
    HOLDS(!sfnec_message_unpack(bytes, size, &message));
    free(bytes);
    HOLDS(message->job == job && message->kind <= SFNEC_MESSAGE_STOPPED);
    HOLDS(command->changed || sfnec_message_fits(message, plan_of(), 1));
    const bool over = message->kind >= SFNEC_MESSAGE_DONE;
    sfnec_message_destroy(message);
    if (over) return true;
  }
}

static void *play_command(void *context) {
  const command *command = context;
  bool there = true;
  for (uint32_t i = 0; i < command->frames && there; i++) {
    const uint32_t numbers[2] = {command->jobs[i], command->tasks_sent[i]};
    const bool job = command->kinds[i] != 0;
    const sfnec_frame_tag tag = job ? SFNEC_FRAME_ASSIGN : (sfnec_frame_tag)(command->jobs[i] % 16);
    const size_t size = job ? sizeof numbers : command->jobs[i] % 8;
    there = sfnec_frame_send(command->line, tag, numbers, size, NULL, NULL);
    // only a job of the plan is answered by its end
    if (there && tag == SFNEC_FRAME_ASSIGN && size == sizeof numbers) there = hear(command, command->jobs[i]);
  }
  (void)shutdown(command->line, SHUT_WR);
  char rest[256];
  while (read(command->line, rest, sizeof rest) > 0) continue;
  return NULL;
}

static void drive_worker(input *in) {
  size_t size;
  unsigned char *study = pack_study(in, &size);
  if (!is_harmless(study, size)) {
    free(study);
    return;
  }
  int ends[2];
  HOLDS(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  const sfnec_plan *plan = plan_of();
  command command = {.line = ends[0], .frames = 1 + take_below(in, FRAMES)};
  size_t plain_size;
  unsigned char *plain = pack_study(&(input){(const uint8_t[]){1, 1, 1}, 3}, &plain_size);
  command.changed = plain_size != size || memcmp(plain, study, size) != 0;
  free(plain);
  for (uint32_t i = 0; i < command.frames; i++) {
    command.kinds[i] = take_below(in, 8) != 0;
    command.jobs[i] = take_below(in, 8) ? take_byte(in) % plan->job_count : (uint32_t)take_i64(in);
    command.tasks_sent[i] = take_below(in, TASKS + 2);
    // a job that no plan has is the command's own fault, and is not told to a worker
    if (command.kinds[i]) command.jobs[i] %= plan->job_count;
  }
  told = in;
  steps = worlds = 0;
  pthread_t thread;
  HOLDS(!pthread_create(&thread, NULL, play_command, &command));
  (void)sfnec_python_serve(ends[1], study, size, shape, take_byte(in) & 1 ? components : NULL);
  close(ends[1]);
  HOLDS(!pthread_join(thread, NULL));
  close(ends[0]);
  HOLDS(worlds == 0);
  free(study);
}

// ---- the command's side ----

// A message as a worker packs it, or nearly.
static unsigned char *pack_message(input *in, size_t *size) {
  static const int64_t uses[] = {6, 4};
  static const sfnec_episode_result episodes[] = {{1, 4, 1.5, true}, {1, 6, -2, false}};
  const uint32_t kind = take_below(in, SFNEC_MESSAGE_STOPPED + 2);
  char text[40];
  take_text(in, text, sizeof text - 1);
  const sfnec_message message = {.kind = (sfnec_message_kind)kind,
                                 .worker = take_below(in, 2),
                                 .job = take_below(in, 6),
                                 .tasks_done = take_f64(in),
                                 .steps = take_i64(in),
                                 .bytes = take_i64(in),
                                 .status = (sfnec_status)take_below(in, 10),
                                 .text = text,
                                 .record = {.task = take_below(in, 3),
                                            .result = {.steps = 10, .total = take_f64(in)},
                                            .uses = uses,
                                            .use_count = 2,
                                            .episodes = episodes,
                                            .episode_count = 2}};
  unsigned char *bytes = NULL;
  HOLDS(!sfnec_message_pack(&message, &bytes, size));
  if (take_below(in, 3) == 0) fuzz_damage(in, bytes, *size);
  return bytes;
}

// Says a frame: a message, an answer to the question, or anything; its size may be a lie.
static void say(int line, input *in) {
  unsigned char any[64];
  uint32_t head[2] = {take_below(in, 9), sizeof any};
  unsigned char *message = NULL;
  size_t size = sizeof any;
  if (take_below(in, 4)) {
    head[0] = SFNEC_FRAME_MESSAGE;
    message = pack_message(in, &size);
  } else {
    size = take_below(in, sizeof any + 1);
    take(in, any, size);
    // as its version would have it
    if (head[0] == SFNEC_FRAME_SHAPE && size > 32) snprintf((char *)any + 32, sizeof any - 32, "%s", sfnec_version());
  }
  head[1] = take_below(in, 12) ? (uint32_t)size : (uint32_t)take_i64(in);
  (void)!write(line, head, sizeof head);
  (void)!write(line, message ? message : any, size);
  free(message);
}

static void drive_command(input *in) {
  int ends[2];
  HOLDS(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  for (uint32_t i = 1 + take_below(in, FRAMES); i > 0; i--) say(ends[1], in);
  (void)shutdown(ends[1], SHUT_WR);
  sfnec_frame_tag tag;
  unsigned char *bytes = NULL;
  size_t size;
  while (sfnec_frame_receive(ends[0], HEAR_MOST, NULL, NULL, &tag, &bytes, &size)) {
    HOLDS(size <= HEAR_MOST && bytes[size] == '\0');
    sfnec_message *message = sfnec_message_open(bytes, size, plan_of(), 1);
    if (message) {
      HOLDS(sfnec_message_fits(message, plan_of(), 1));
      sfnec_message *copy = sfnec_message_copy(message);
      HOLDS(copy && strcmp(copy->text, message->text) == 0);
      sfnec_message_destroy(copy);
    }
    sfnec_message_destroy(message);
    sfnec_env_shape is;
    if (sfnec_python_read_answer(tag, bytes, size, &is))
      HOLDS(sfnec_last_error()[0] && !strchr(sfnec_last_error(), '\033'));
    free(bytes);
  }
  close(ends[0]);
  close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  input in = {data, size};
  if (take_byte(&in) & 1) drive_worker(&in);
  else drive_command(&in);
  return 0;
}
