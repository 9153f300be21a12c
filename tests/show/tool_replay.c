// tool_replay.c: tool_replay AGENT LABEL SEED TASK: prints the replay of an agent, and on the second line what the
// scene itself says of the same episode: steps, return, terminated, taken, and the path as x y action policy.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "show/play/replay.h"
#include "show/play/scene.h"

static int complain(void) {
  fprintf(stderr, "%s\n", sfnec_last_error());
  return 1;
}

static int print_scene(const char *path, uint64_t seed, uint32_t task) {
  const sfnec_scene_options options = {
      .path = path, .has_seed = true, .seed = seed, .task = task, .most_steps = SFNEC_REPLAY_STEPS};
  sfnec_scene *scene;
  if (sfnec_scene_open(&options, &scene)) return complain();
  printf("{\"path\":[");
  while (!scene->ended) {
    printf("%s[%.17g,%.17g,%" PRId32 ",%" PRId32, scene->play.steps ? "," : "", scene->look.x, scene->look.y,
           scene->choice.action, scene->choice.policy);
    if (sfnec_scene_step(scene)) return complain();
    printf(",%.17g]", scene->play.reward);
  }
  printf("],\"steps\":%" PRId64 ",\"total\":%.17g,\"terminated\":%s,\"taken\":%" PRIu64 "}\n", scene->play.steps,
         scene->play.total, scene->play.terminated ? "true" : "false", scene->look.taken);
  sfnec_scene_close(scene);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const uint64_t seed = strtoull(argv[3], NULL, 10);
  const uint32_t task = (uint32_t)strtoul(argv[4], NULL, 10);
  char *text;
  if (sfnec_replay_json(argv[1], NULL, argv[2], seed, task, &text)) return complain();
  puts(text);
  free(text);
  return print_scene(argv[1], seed, task);
}
