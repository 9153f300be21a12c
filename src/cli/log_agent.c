// log_agent.c: an agent for a log; see log_agent.h.
#include "cli/log_agent.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "run/play.h"
#include "study/plan/plan.h"
#include "study/work/note.h"

// ---- the world ----

// The world that the user names, or a built-in one that the log names; a log of another world has the shape alone.
static int find_world(log_agent *l) {
  sfnec_note note;
  int code = code_of(sfnec_note_read(l->arena, l->log.note, &note));
  if (code || (!l->args->env && !(note.env && sfnec_env_kind_find(note.env)))) return code;
  return code_of(sfnec_note_world(l->arena, &note, sfnec_npz_path(l->log.npz), l->args->env, 1, &l->env));
}

static sfnec_env_shape shape_of(const log_agent *l) {
  if (l->env) return sfnec_env_get_shape(l->env);
  sfnec_env_shape shape = l->log.shape;
  if (l->args->actions > shape.action_count) shape.action_count = (int32_t)l->args->actions;
  return shape;
}

// ---- the agent ----

// What the agent says of where it was trained: the world, or what the log says of one that is not known here.
static const char *make_note(log_agent *l) {
  if (l->env) return sfnec_note_make(l->arena, l->args->agent, l->env);
  const char *env = strncmp(l->log.note, "env=", 4) == 0 ? l->log.note : strstr(l->log.note, "\nenv=");
  return sfnec_arena_print(l->arena, "agent=%s\n%s", l->args->agent, env ? env + (*env == '\n') : "");
}

static int create_agent(log_agent *l) {
  const char *const agents[] = {l->args->agent, NULL};
  const sfnec_overrides none = {0};
  const sfnec_env_shape shape = shape_of(l);
  sfnec_spec *spec = NULL;
  sfnec_plan *plan = NULL;
  sfnec_status status = sfnec_spec_make("learn", agents, &none, &spec);
  if (!status) status = sfnec_plan_create(spec, &plan);
  if (!status)
    status = sfnec_agent_create(&shape, &plan->configurations[0].options, l->args->seed.given ? l->args->seed.value : 1,
                                &l->agent);
  if (!status && l->env) status = sfnec_play_take_components(l->agent, l->env);
  const char *note = status ? NULL : make_note(l);
  if (note) status = sfnec_agent_set_note(l->agent, note);
  sfnec_plan_destroy(plan);
  sfnec_spec_destroy(spec);
  return !status && !note ? fail("out of memory") : code_of(status);
}

static int parse_weights(log_agent *l) {
  if (!l->args->w) return EXIT_OK;
  l->w = must_alloc((size_t)sfnec_agent_get_shape(l->agent).feature_count, sizeof *l->w);
  return l->env ? weights_parse(l->args->w, l->env, l->w) : weights_parse_of(l->args->w, l->agent, l->w);
}

// ---- life ----

int log_agent_open(log_agent *l, const log_args *args, const char *from, const char *path) {
  *l = (log_agent){.args = args, .arena = sfnec_arena_create()};
  int code = l->arena ? code_of(sfnec_log_open(path, &l->log)) : fail("out of memory");
  if (!code) code = find_world(l);
  if (!code) code = from ? code_of(sfnec_agent_load(from, &l->agent)) : create_agent(l);
  return code ? code : parse_weights(l);
}

int log_agent_open_next(log_agent *l, const char *path) {
  sfnec_log_close(&l->log);
  return code_of(sfnec_log_open(path, &l->log));
}

int log_agent_learn(log_agent *l, sfnec_log_lesson *lesson) {
  return code_of(sfnec_log_learn(&l->log, l->agent, l->w, lesson));
}

void log_agent_close(log_agent *l) {
  sfnec_log_close(&l->log);
  sfnec_agent_destroy(l->agent);
  sfnec_env_destroy(l->env);
  sfnec_arena_destroy(l->arena);
  free(l->w);
}
