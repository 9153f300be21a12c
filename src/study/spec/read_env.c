// read_env.c: the environment of a spec: a name, the file of a plugin, a Gymnasium environment, or one of them and what
// belongs to it.
#include <string.h>

#include "base/error.h"
#include "study/spec/read.h"

static sfnec_status put_env(const sfnec_yaml_source *source, const sfnec_yaml *node, const char *text,
                            const char **env) {
  if (*env) return sfnec_yaml_refuse(source, node, "name, plugin and gymnasium exclude each other; keep one of them");
  *env = text;
  return text ? SFNEC_OK : sfnec_fail_memory("a spec");
}

static sfnec_status read_env_name(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  const sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_TEXT);
  if (status) return status;
  if (!node->text[0] || sfnec_world_is_file(node->text))
    return sfnec_yaml_refuse(source, node, "'%s' is refused; it takes the name of an environment",
                             sfnec_shown(source->arena, node->text));
  return put_env(source, node, node->text, field);
}

// the field is the spec itself
static sfnec_status read_gymnasium(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  sfnec_spec *spec = field;
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_TEXT);
  if (status) return status;
  if (!node->text[0])
    return sfnec_yaml_refuse(source, node, "this is empty; it takes the id of a Gymnasium environment");
  status = put_env(source, node, sfnec_arena_print(source->arena, "gym:%s", node->text), &spec->env);
  if (!status) spec->gym.id = sfnec_gym_id(spec->env);
  return status;
}

static sfnec_status read_wrappers(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  sfnec_gym *gym = field;
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_LIST);
  if (status) return status;
  gym->wrappers = sfnec_arena_alloc(source->arena, node->count, sizeof *gym->wrappers);
  if (!gym->wrappers) return sfnec_fail_memory("a spec");
  for (size_t i = 0; i < node->count && !status; i++) {
    status = sfnec_yaml_want(source, &node->items[i], SFNEC_YAML_TEXT);
    gym->wrappers[gym->wrapper_count++] = node->items[i].text;
  }
  return status;
}

// a file beside the spec is found from wherever the spec is run
static sfnec_status read_plugin(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  const sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_TEXT);
  if (status) return status;
  if (!node->text[0]) return sfnec_yaml_refuse(source, node, "this is empty; it takes the file of a plugin");
  const char *slash = node->text[0] == '/' ? NULL : strrchr(source->path, '/');
  const int folder = slash ? (int)(slash + 1 - source->path) : 0;
  // a slash says that it is a file, whatever it is called
  const char *text = sfnec_arena_print(source->arena, "%.*s%s%s", folder, source->path,
                                       folder || node->text[0] == '/' ? "" : "./", node->text);
  return put_env(source, node, text, field);
}

static const sfnec_field env_rows[] = {
    OTHER("name", sfnec_spec, env, false, read_env_name, "the environment: `sfnec list envs` names them"),
    OTHER("plugin", sfnec_spec, env, false, read_plugin,
          "instead: a shared object with an environment of your own, as seen from the spec's folder"),
    ROW("version", SFNEC_FIELD_TEXT, sfnec_spec, env_version, 0, LONGEST_NAME, false, NULL,
        "the version that the plugin must have; of a Gymnasium environment, a text that keeps its results apart"),
    {"gymnasium", SFNEC_FIELD_OTHER, 0, 0, 0, false, read_gymnasium,
     "instead: a Gymnasium environment: its id, or `module:function`, which makes it"},
    ROW("features", SFNEC_FIELD_TEXT, sfnec_spec, gym.features, 0, LONGEST_TEXT, false, NULL,
        "of Gymnasium: where phi comes from: reward, vector, linear, info, or `module:function`"),
    ROW("unit", SFNEC_FIELD_FLAG, sfnec_spec, gym.unit, 0, 0, false, NULL,
        "of Gymnasium: scale observations to [0, 1] by their bounds"),
    OTHER("wrappers", sfnec_spec, gym, false, read_wrappers,
          "of Gymnasium: wrappers, each `module:function`, the innermost first"),
    OTHER("weights", sfnec_spec, gym.weights, false, sfnec_read_weights,
          "of Gymnasium: the weights of the tasks, a list of lists, taken in turn"),
    OTHER("options", sfnec_spec, env_options, false, sfnec_read_settings,
          "its options: `sfnec list options` names them"),
    END,
};
const sfnec_field_set sfnec_env_fields = {"env", env_rows};

// the field is the spec itself: the environment has several fields there
sfnec_status sfnec_read_env(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  sfnec_spec *spec = field;
  spec->env_line = node->line;
  if (node->kind == SFNEC_YAML_TEXT) {
    spec->gym.id = sfnec_gym_id(node->text);
    if (spec->gym.id) return put_env(source, node, node->text, &spec->env);
    return (sfnec_world_is_file(node->text) ? read_plugin : read_env_name)(source, node, &spec->env);
  }
  const sfnec_status status = sfnec_fields_read(source, &sfnec_env_fields, node, spec);
  if (!status && !spec->env)
    return sfnec_yaml_refuse(source, node, "the key 'name' is missing; name an environment, or the file of a plugin");
  const sfnec_gym *gym = &spec->gym;
  if (!status && !gym->id && (gym->features || gym->unit || gym->wrappers || gym->weights.count))
    return sfnec_yaml_refuse(source, node, "features, unit, wrappers and weights belong to a Gymnasium environment");
  return status;
}
