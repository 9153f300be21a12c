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
        .unit = "places",
        .help = "places of the model at the task's end; 0 for an agent that does not plan",
        .level = true,
        .less_is_better = true,
        .metric = "places",
        .metric_help = "places of the model",
        .tag = "model/places",
        .figure = "places",
        .figure_help = "places of the model against tasks",
        .figure_label = "places of the model",
        .title = "Places of the model",
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

static const sfnec_record_set task_set = {"task", task_fields}, episode_set = {"episode", episode_fields};

const sfnec_record_set *sfnec_task_record_set(void) {
  return &task_set;
}

const sfnec_record_set *sfnec_episode_record_set(void) {
  return &episode_set;
}

const sfnec_record_field *sfnec_record_find(const sfnec_record_set *set, const char *name) {
  for (const sfnec_record_field *field = set->fields; field->name; field++)
    if (strcmp(field->name, name) == 0) return field;
  return NULL;
}

// ---- editions ----

uint32_t sfnec_record_set_edition(const sfnec_record_set *set) {
  int newest = 0;
  for (const sfnec_record_field *field = set->fields; field->name; field++)
    if (field->since > newest) newest = field->since;
  return (uint32_t)newest;
}

uint32_t sfnec_record_edition(void) {
  const uint32_t task = sfnec_record_set_edition(&task_set), episode = sfnec_record_set_edition(&episode_set);
  return task > episode ? task : episode;
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
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    void *at = (char *)record + field->offset;
    const bool there = has(field, edition);
    if (field->type == SFNEC_RECORD_INT) *(int64_t *)at = there ? sfnec_read_i64(reader) : (int64_t)field->missing;
    if (field->type == SFNEC_RECORD_REAL) *(double *)at = there ? sfnec_read_f64(reader) : field->missing;
    if (field->type == SFNEC_RECORD_FLAG) *(bool *)at = there ? sfnec_read_u32(reader) != 0 : field->missing != 0.0;
  }
}
