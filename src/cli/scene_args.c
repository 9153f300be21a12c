// scene_args.c: the arguments that watch and film share.
#include "cli/scene_args.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"

static int apply_weights(const char *text, sfnec_scene *scene) {
  double *w = must_alloc((size_t)scene->shape.feature_count, sizeof *w);
  int code = weights_parse(text, scene->env, w);
  if (!code) code = code_of(sfnec_scene_set_weights(scene, w));
  free(w);
  return code;
}

int scene_args_open(const scene_args *args, const char *path, sfnec_scene **scene) {
  const sfnec_scene_options options = {
      .path = path,
      .env = args->env,
      .has_seed = args->seed.given,
      .seed = args->seed.value,
      .task = args->task ? (uint32_t)(args->task - 1) : SFNEC_SCENE_LAST_TASK,
      .most_steps = args->steps,
  };
  int code = code_of(sfnec_scene_open(&options, scene));
  if (!code && args->task > (*scene)->policy_count)
    code = misuse("--task %" PRId64 ": %s has %" PRIu32 " task%s", args->task, path, (*scene)->policy_count,
                  plural((*scene)->policy_count));
  if (!code && args->w) code = apply_weights(args->w, *scene);
  if (code) {
    sfnec_scene_close(*scene);
    *scene = NULL;
  }
  return code;
}
