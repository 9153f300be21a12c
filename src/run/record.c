// record.c: the tables of what a run records, and what follows from them for files; see sfnec/run.h and record.h.
//
// A row that is added later gets `since`: one more than the newest edition there is. Older files and databases then say
// `missing` for it. Rows are never moved or removed: their order is that of the bytes.
#include "run/record.h"

#include <math.h>
#include <string.h>

// ---- the tables ----

#define TASK(field) .name = #field, .offset = offsetof(sfnec_task_result, field)
#define EPISODE(field) .name = #field, .offset = offsetof(sfnec_episode_result, field)
#define BIN(field) .name = #field, .offset = offsetof(sfnec_bin_result, field)
#define EVALUATION(field) .name = #field, .offset = offsetof(sfnec_evaluation_result, field)

static const sfnec_record_field task_fields[] = {
    {
        TASK(total),
        .type = SFNEC_RECORD_REAL,
        .least = -HUGE_VAL,
        .help = "undiscounted reward summed over the task's transitions",
        .heading = "return",
        .headline = true,
        .metric = "return",
        .metric_help = "average return per task",
        .tag = "return/task",
        .title = "Return of each task",
    },
    {
        TASK(steps),
        .type = SFNEC_RECORD_INT,
        .unit = "transitions",
        .help = "transitions of the task",
        .metric = "steps",
        .metric_help = "average number of transitions per task",
    },
    {
        TASK(episodes),
        .type = SFNEC_RECORD_INT,
        .unit = "episodes",
        .help = "episodes that ended in the task, the one cut off by its end included",
        .metric = "episodes",
        .metric_help = "average number of episodes per task",
        .tag = "episodes/count",
    },
    {
        TASK(goals),
        .type = SFNEC_RECORD_INT,
        .most = "episodes",
        .unit = "episodes",
        .help = "episodes that terminated",
        .metric = "goals",
        .metric_help = "average number of episodes per task that reached their end",
        .title = "Goals reached in a task",
    },
    {
        TASK(entries),
        .type = SFNEC_RECORD_INT,
        .unit = "entries",
        .help = "episodic entries of the whole agent at the task's end",
        .level = true,
        .less_is_better = true,
        .metric = "entries",
        .metric_help = "entries in memory",
        .tag = "memory/entries",
        .figure = "memory",
        .figure_help = "entries in memory against tasks",
        .figure_label = "entries in memory",
        .title = "Entries in memory",
    },
    {
        TASK(w_error),
        .type = SFNEC_RECORD_REAL,
        .help = "distance of the agent's w from the task's at the task's end; 0 if w is given or not used",
        .less_is_better = true,
        .metric = "w-error",
        .metric_help = "average distance of the learned w from the task's",
        .tag = "w/error",
        .figure = "w-error",
        .figure_help = "distance of the learned w from the task's, against tasks",
        .figure_label = "distance of w at the task's end",
        .title = "Distance of the learned w from the true one",
    },
    {
        TASK(seconds),
        .type = SFNEC_RECORD_REAL,
        .unit = "seconds",
        .help = "wall time of the task",
        .of_machine = true,
        .less_is_better = true,
        .metric = "seconds",
        .metric_help = "average seconds per task",
    },
    {
        TASK(optimum),
        .type = SFNEC_RECORD_REAL,
        .least = -HUGE_VAL,
        .optional = true,
        .since = 1,
        .missing = (double)NAN,
        .help = "the most that the task can earn without noise; NaN if that is not known",
        .metric = "optimum",
        .metric_help = "average optimum per task",
        .tag = "return/optimum",
    },
    {
        TASK(places),
        .type = SFNEC_RECORD_INT,
        .since = 2,
        .unit = "states",
        .help = "representative states of the model at the task's end; 0 for an agent that does not plan",
        .level = true,
        .less_is_better = true,
        .metric = "states",
        .metric_help = "representative states of the model",
        .tag = "model/places",
        .figure = "states",
        .figure_help = "representative states of the model against tasks",
        .figure_label = "states of the model",
        .title = "States of the model",
    },
    {0},
};

static const sfnec_record_field episode_fields[] = {
    {
        EPISODE(steps),
        .type = SFNEC_RECORD_INT,
        .unit = "transitions",
        .help = "transitions of the episode",
    },
    {
        EPISODE(total),
        .type = SFNEC_RECORD_REAL,
        .least = -HUGE_VAL,
        .help = "undiscounted reward of the episode",
        .heading = "return",
        .headline = true,
        .tag = "episode/return",
    },
    {
        EPISODE(terminated),
        .type = SFNEC_RECORD_FLAG,
        .help = "it reached its end; else it was cut off",
    },
    {0},
};

// Numbers that are sums say over what they are shown.
static const sfnec_record_field bin_fields[] = {
    {
        BIN(total),
        .type = SFNEC_RECORD_REAL,
        .least = -HUGE_VAL,
        .help = "undiscounted reward summed over the bin's transitions",
        .over = "steps",
        .heading = "reward",
        .headline = true,
        .tag = "steps/reward",
        .figure = "steps-reward",
        .figure_help = "reward of a step against environment steps",
        .figure_label = "reward of a step",
        .title = "Reward of a step",
    },
    {
        BIN(steps),
        .type = SFNEC_RECORD_INT,
        .least = 1,
        .unit = "transitions",
        .help = "transitions of the bin",
    },
    {
        BIN(episodes),
        .type = SFNEC_RECORD_INT,
        .most = "steps",
        .unit = "episodes",
        .help = "episodes that ended in the bin, the one cut off by the task's end included",
    },
    {
        BIN(goals),
        .type = SFNEC_RECORD_INT,
        .most = "episodes",
        .unit = "episodes",
        .help = "episodes that terminated in the bin",
    },
    {
        BIN(episode_return),
        .type = SFNEC_RECORD_REAL,
        .least = -HUGE_VAL,
        .help = "undiscounted reward of the whole episodes that ended in the bin",
        .over = "episodes",
        .tag = "steps/episode_return",
        .figure = "steps-episode-return",
        .figure_help = "return of an episode against environment steps",
        .figure_label = "return of an episode",
        .title = "Return of an episode",
    },
    {
        BIN(episode_steps),
        .type = SFNEC_RECORD_INT,
        .unit = "transitions",
        .help = "transitions of the whole episodes that ended in the bin",
        .over = "episodes",
        .tag = "steps/episode_length",
        .figure = "steps-episode-length",
        .figure_help = "length of an episode against environment steps",
        .figure_label = "transitions of an episode",
        .title = "Length of an episode",
    },
    {
        BIN(exploration),
        .type = SFNEC_RECORD_INT,
        .most = "steps",
        .unit = "transitions",
        .help = "transitions of the bin whose action was drawn at random",
        .over = "steps",
        .tag = "steps/exploration",
        .title = "Share of random actions",
    },
    {
        BIN(loss),
        .type = SFNEC_RECORD_REAL,
        .help = "mean squared differences of psi from the targets it was trained with in the bin",
        .over = "targets",
        .tag = "steps/loss",
        .figure = "steps-loss",
        .figure_help = "loss of psi against environment steps",
        .figure_label = "loss of psi",
        .title = "Loss of psi",
    },
    {
        BIN(targets),
        .type = SFNEC_RECORD_INT,
        .unit = "targets",
        .help = "targets that psi was trained with in the bin",
    },
    {
        BIN(entries),
        .type = SFNEC_RECORD_INT,
        .unit = "entries",
        .help = "episodic entries of the whole agent at the bin's end",
        .level = true,
        .less_is_better = true,
        .tag = "steps/entries",
        .title = "Entries in memory",
    },
    {
        BIN(places),
        .type = SFNEC_RECORD_INT,
        .unit = "states",
        .help = "representative states of the model at the bin's end; 0 for an agent that does not plan",
        .level = true,
        .less_is_better = true,
        .tag = "steps/places",
        .title = "States of the model",
    },
    {0},
};

static const sfnec_record_field evaluation_fields[] = {
    {
        EVALUATION(step),
        .type = SFNEC_RECORD_INT,
        .unit = "transitions",
        .help = "transitions of the run before it",
    },
    {
        EVALUATION(weights),
        .type = SFNEC_RECORD_INT,
        .help = "which weights of the list it was played under, from 1; 0: those of the task",
    },
    {
        EVALUATION(total),
        .type = SFNEC_RECORD_REAL,
        .least = -HUGE_VAL,
        .help = "undiscounted reward of all its episodes",
        .over = "episodes",
        .heading = "return",
        .tag = "evaluation/return",
    },
    {
        EVALUATION(episodes),
        .type = SFNEC_RECORD_INT,
        .least = 1,
        .unit = "episodes",
        .help = "episodes played",
    },
    {
        EVALUATION(goals),
        .type = SFNEC_RECORD_INT,
        .most = "episodes",
        .unit = "episodes",
        .help = "episodes that terminated, not cut off",
        .over = "episodes",
        .heading = "success",
        .tag = "evaluation/success",
    },
    {
        EVALUATION(steps),
        .type = SFNEC_RECORD_INT,
        .least = 1,
        .unit = "transitions",
        .help = "transitions of all its episodes",
        .over = "episodes",
        .heading = "length",
        .tag = "evaluation/length",
    },
    {0},
};

static const sfnec_record_set task_set = {"task", task_fields, 0}, episode_set = {"episode", episode_fields, 0},
                              bin_set = {"bin", bin_fields, 3}, evaluation_set = {"evaluation", evaluation_fields, 4};

const sfnec_record_set *sfnec_task_record_set(void) {
  return &task_set;
}

const sfnec_record_set *sfnec_episode_record_set(void) {
  return &episode_set;
}

const sfnec_record_set *sfnec_bin_record_set(void) {
  return &bin_set;
}

const sfnec_record_set *sfnec_evaluation_record_set(void) {
  return &evaluation_set;
}

const sfnec_record_field *sfnec_record_find(const sfnec_record_set *set, const char *name) {
  for (const sfnec_record_field *field = set->fields; field->name; field++)
    if (strcmp(field->name, name) == 0) return field;
  return NULL;
}

// ---- editions ----

uint32_t sfnec_record_set_edition(const sfnec_record_set *set) {
  int newest = set->since;
  for (const sfnec_record_field *field = set->fields; field->name; field++)
    if (field->since > newest) newest = field->since;
  return (uint32_t)newest;
}

uint32_t sfnec_record_edition(void) {
  static const sfnec_record_set *const sets[] = {&task_set, &episode_set, &bin_set, &evaluation_set};
  uint32_t newest = 0;
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    const uint32_t edition = sfnec_record_set_edition(sets[i]);
    if (edition > newest) newest = edition;
  }
  return newest;
}

static bool has(const sfnec_record_field *field, uint32_t edition) {
  return field->since <= (int)edition;
}

// ---- numbers ----

double sfnec_record_number(const sfnec_record_field *field, const void *record) {
  const void *at = (const char *)record + field->offset;
  switch (field->type) {
  case SFNEC_RECORD_INT:
    return (double)*(const int64_t *)at;
  case SFNEC_RECORD_REAL:
    return *(const double *)at;
  case SFNEC_RECORD_FLAG:
    return *(const bool *)at;
  default:
    return (double)NAN;
  }
}

double sfnec_record_shown(const sfnec_record_set *set, const sfnec_record_field *field, const void *record) {
  const double number = sfnec_record_number(field, record);
  const sfnec_record_field *over = field->over ? sfnec_record_find(set, field->over) : NULL;
  return over ? number / sfnec_record_number(over, record) : number;
}

void sfnec_record_add(const sfnec_record_set *set, void *sum, const void *record) {
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    void *to = (char *)sum + field->offset;
    const void *from = (const char *)record + field->offset;
    if (field->type == SFNEC_RECORD_INT)
      *(int64_t *)to = *(const int64_t *)from + (field->level ? 0 : *(const int64_t *)to);
    if (field->type == SFNEC_RECORD_REAL)
      *(double *)to = *(const double *)from + (field->level ? 0.0 : *(const double *)to);
  }
}

// an infinity passes where there is a bound: a distance may overflow, a return may not
static bool in_range(const sfnec_record_field *field, double value) {
  if (field->optional && isnan(value)) return true;
  return isinf(field->least) ? isfinite(value) : value >= field->least;
}

bool sfnec_record_check(const sfnec_record_set *set, uint32_t edition, const void *record) {
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    if (!has(field, edition) || (field->type != SFNEC_RECORD_INT && field->type != SFNEC_RECORD_REAL)) continue;
    const double value = sfnec_record_number(field, record);
    const sfnec_record_field *most = field->most ? sfnec_record_find(set, field->most) : NULL;
    if (!in_range(field, value) || (most && value > sfnec_record_number(most, record))) return false;
  }
  return true;
}

// ---- bytes ----

size_t sfnec_record_size(const sfnec_record_set *set, uint32_t edition) {
  size_t size = 0;
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    if (!has(field, edition) || field->type == SFNEC_RECORD_TEXT) continue;
    size += field->type == SFNEC_RECORD_FLAG ? sizeof(uint32_t) : 8;
  }
  return size;
}

void sfnec_record_write(const sfnec_record_set *set, const void *record, sfnec_writer *writer) {
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    const void *at = (const char *)record + field->offset;
    if (field->type == SFNEC_RECORD_INT) sfnec_write_i64(writer, *(const int64_t *)at);
    if (field->type == SFNEC_RECORD_REAL) sfnec_write_f64(writer, *(const double *)at);
    if (field->type == SFNEC_RECORD_FLAG) sfnec_write_u32(writer, *(const bool *)at);
  }
}

void sfnec_record_read(const sfnec_record_set *set, uint32_t edition, void *record, sfnec_reader *reader) {
  // past the end too: zeros are written then, so that no field is left unset
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    void *at = (char *)record + field->offset;
    const bool there = has(field, edition);
    if (field->type == SFNEC_RECORD_INT) *(int64_t *)at = there ? sfnec_read_i64(reader) : (int64_t)field->missing;
    if (field->type == SFNEC_RECORD_REAL) *(double *)at = there ? sfnec_read_f64(reader) : field->missing;
    if (field->type == SFNEC_RECORD_FLAG) *(bool *)at = there ? sfnec_read_u32(reader) != 0 : field->missing != 0.0;
  }
}
