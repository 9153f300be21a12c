// compare_table.c: the table at the end of a comparison: averages, standard errors, paired differences.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/compare.h"

enum { CELL = 48 };

// the mean and its standard error, gathered one number at a time (Welford: no cancellation)
typedef struct summary {
  size_t count;
  double mean, squares;
} summary;

static void summary_add(summary *summary, double value) {
  const double before = value - summary->mean;
  summary->count++;
  summary->mean += before / (double)summary->count;
  summary->squares += before * (value - summary->mean);
}

static void summary_text(const summary *summary, bool sign, int decimals, char text[CELL]) {
  if (!summary->count) {
    strcpy(text, "-");
    return;
  }
  const int used = snprintf(text, CELL, sign ? "%+.*f" : "%.*f", decimals, summary->mean);
  const double n = (double)summary->count;
  const double error = sqrt(summary->squares / (n - 1) / n);
  if (summary->count > 1) snprintf(text + used, CELL - (size_t)used, " ± %.*f", decimals, error);
}

// the average return per task of one run over its first tasks
static double average(const job *job, uint32_t tasks) {
  double sum = 0;
  for (uint32_t i = 0; i < tasks; i++) sum += job->results[i].total;
  return sum / tasks;
}

static const job *job_at(const plan *plan, size_t agent, size_t seed) {
  return &plan->jobs[agent * plan->seed_count + seed];
}

static summary summarise(const plan *plan, size_t agent, uint32_t tasks) {
  summary summary = {0};
  for (size_t i = 0; i < plan->seed_count; i++) {
    const job *job = job_at(plan, agent, i);
    if (job->finished) summary_add(&summary, average(job, tasks));
  }
  return summary;
}

// seed by seed against the first agent: both saw the same tasks, so what the tasks do to both cancels
static summary summarise_difference(const plan *plan, size_t agent) {
  summary summary = {0};
  for (size_t i = 0; i < plan->seed_count; i++) {
    const job *first = job_at(plan, 0, i), *other = job_at(plan, agent, i);
    if (first->finished && other->finished)
      summary_add(&summary, average(other, plan->run.tasks) - average(first, plan->run.tasks));
  }
  return summary;
}

static double steps_per_second(const plan *plan, size_t agent) {
  double steps = 0, seconds = 0;
  for (size_t i = 0; i < plan->seed_count; i++) {
    const job *job = job_at(plan, agent, i);
    for (uint32_t task = 0; job->finished && task < plan->run.tasks; task++) {
      steps += (double)plan->run.steps;
      seconds += job->results[task].seconds;
    }
  }
  return seconds > 0 ? steps / seconds : 0;
}

// 1, 2, 5, 10, 20, 50, ... and the last task; 0 past it
static uint32_t next_mark(uint32_t mark, uint32_t tasks) {
  if (mark >= tasks) return 0;
  uint64_t next = mark ? 0 : 1;
  for (uint64_t decade = 1; !next; decade *= 10)
    for (uint64_t digit = 1; digit <= 5 && !next; digit += digit == 1 ? 1 : 3)
      if (digit * decade > mark) next = digit * decade;
  return next < tasks ? (uint32_t)next : tasks;
}

// hundreds read best as whole numbers, small returns need their fraction
static int choose_decimals(const plan *plan) {
  double most = 0;
  for (size_t i = 0; i < plan->agent_count; i++) most = fmax(most, fabs(summarise(plan, i, plan->run.tasks).mean));
  return most < 100 ? 2 : 0;
}

static void print_head(const plan *plan, int first_column, int column, int last_column) {
  printf("\naverage return per task after so many tasks, mean ± standard error over %zu seed%s, %s\n", plan->seed_count,
         plan->seed_count == 1 ? "" : "s", plan->world.kind->name);
  text_print_padded("agent", -first_column);
  for (uint32_t mark = next_mark(0, plan->run.tasks); mark; mark = next_mark(mark, plan->run.tasks)) {
    char head[CELL];
    snprintf(head, sizeof head, "%" PRIu32 "%s", mark, mark > 1 ? " tasks" : " task");
    text_print_padded(head, column);
  }
  if (plan->agent_count > 1) text_print_padded("minus first", last_column);
  text_print_padded("steps/s", 10);
  printf("\n");
}

void compare_print(const plan *plan) {
  enum { COLUMN = 15, LAST_COLUMN = 16 };
  const int decimals = choose_decimals(plan);
  int first_column = 5;
  for (size_t i = 0; i < plan->agent_count; i++) {
    const int columns = text_columns(plan->agents[i].label);
    if (columns > first_column) first_column = columns;
  }
  print_head(plan, first_column, COLUMN, LAST_COLUMN);
  for (size_t i = 0; i < plan->agent_count; i++) {
    char cell[CELL];
    text_print_padded(plan->agents[i].label, -first_column);
    for (uint32_t mark = next_mark(0, plan->run.tasks); mark; mark = next_mark(mark, plan->run.tasks)) {
      const summary summary = summarise(plan, i, mark);
      summary_text(&summary, false, decimals, cell);
      text_print_padded(cell, COLUMN);
    }
    if (plan->agent_count > 1) {
      const summary difference = summarise_difference(plan, i);
      if (i) summary_text(&difference, true, decimals, cell);
      text_print_padded(i ? cell : "", LAST_COLUMN);
    }
    printf("%10.0f\n", steps_per_second(plan, i));
  }
  if (plan->agent_count > 1)
    printf("minus first: the average after all tasks less that of %s, paired by seed\n", plan->agents[0].label);
}
