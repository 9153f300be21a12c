// tool_playground.c: the playground's C side without a browser: tool_playground PRESET SEED TASKS STEPS FILE trains and
// saves as the page does, then plays as a user would and checks what the page is told.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "playground.h"

static int fail(const char *what) {
  fprintf(stderr, "tool_playground: %s (%s)\n", what, sfnec_last_error());
  return 1;
}

static int save(playground *p, const char *path) {
  size_t size;
  const unsigned char *bytes = playground_save(p, &size);
  FILE *file = bytes ? fopen(path, "wb") : NULL;
  if (!file) return fail("save");
  const bool whole = fwrite(bytes, 1, size, file) == size;
  return fclose(file) || !whole ? fail("write") : 0;
}

// A complete value map in uneven portions: how many positions have a value, and their sum.
static uint32_t ask_values(playground *p, double *sum) {
  bool complete = false;
  const double *values = NULL;
  while (!complete) values = playground_values(p, 21, 37, &complete);
  uint32_t known = 0;
  *sum = 0;
  for (int i = 0; i < 21 * 21; i++)
    if (!isnan(values[i])) known++, *sum += values[i];
  return known;
}

// Questions are answered, and change nothing of the agent.
static int check_questions(playground *p, bool planned) {
  size_t before_size, after_size;
  double sum;
  uint32_t memories, places, path, walls, objects;
  if (!playground_save(p, &before_size)) return fail("save");
  // the cross of walls covers some positions
  const uint32_t known = ask_values(p, &sum);
  if (known < 300 || known >= 441 || !isfinite(sum)) return fail("values");
  playground_memories(p, &memories);
  playground_path(p, &path);
  playground_places(p, &places);
  if (memories == 0 || (places > 0) != planned || (path > 0 && !planned)) return fail("spots");
  playground_walls(p, &walls);
  playground_objects(p, &objects);
  if (walls == 0 || objects != 12 || !(playground_get_optimum(p) > 0)) return fail("the world");
  if (!playground_save(p, &after_size) || before_size != after_size) return fail("a question changed the agent");
  return 0;
}

static int play(playground *p, const double *w, int steps, bool learn) {
  double total = 0;
  if (playground_set_weights(p, w)) return fail("weights");
  for (int i = 0; i < steps; i++) {
    if (playground_step(p, learn)) return fail("step");
    const double *state = playground_state(p);
    total += state[PLAYGROUND_REWARD];
    if (!(state[PLAYGROUND_X] >= 0 && state[PLAYGROUND_X] <= 1)) return fail("position");
    if (state[PLAYGROUND_EPISODE_STEPS] > 500) return fail("an episode without an end");
  }
  return isfinite(total) ? 0 : fail("return");
}

int main(int count, char **words) {
  if (count != 6) return fail("usage: tool_playground PRESET SEED TASKS STEPS FILE");
  const uint32_t tasks = (uint32_t)atoi(words[3]);
  playground *p = playground_open(words[1], (uint32_t)atoi(words[2]), tasks, (uint32_t)atoi(words[4]));
  if (!p) return fail("open");
  const bool planned = strcmp(words[1], "sfnec-plan") == 0;
  int code = 0;
  while (!code && playground_get_tasks_done(p) < tasks) code = playground_train(p, 97) ? fail("train") : 0;
  if (!code) code = save(p, words[5]);
  const double goal[] = {0, 0, 0, 1}, objects[] = {1, 1, 1, -1};
  if (!code && (playground_begin_task(p, goal) || playground_restart(p))) code = fail("begin");
  if (!code) code = play(p, goal, 700, true);
  if (!code) code = check_questions(p, planned);
  // switched to and fro in the middle of episodes
  for (int i = 0; !code && i < 3; i++) code = play(p, i % 2 ? objects : goal, 53, i != 1);
  if (!code) code = play(p, objects, 700, false);
  playground_close(p);
  return code;
}
