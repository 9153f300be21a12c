// optimum.c: the best return of a world without chance; the contract is in optimum.h.
#include "env/optimum.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

enum { NEVER = INT32_MAX };

// ---- the graph ----

bool sfnec_cell_graph_open(sfnec_cell_graph *graph, int32_t count, int32_t action_count) {
  *graph = (sfnec_cell_graph){
      .count = count,
      .action_count = action_count,
      .next = calloc((size_t)count * (size_t)action_count, sizeof *graph->next),
      .takes = calloc((size_t)count, sizeof *graph->takes),
      .goal = calloc((size_t)count, sizeof *graph->goal),
  };
  if (graph->next && graph->takes && graph->goal) return true;
  sfnec_cell_graph_close(graph);
  return false;
}

void sfnec_cell_graph_close(sfnec_cell_graph *graph) {
  free(graph->next);
  free(graph->takes);
  free(graph->goal);
  *graph = (sfnec_cell_graph){0};
}

bool sfnec_cell_graph_fits(double count, int32_t object_count) {
  return count >= 1 && ldexp(count, object_count) <= 1 << 23;
}

// ---- the search ----

// The fewest steps of an episode with certain numbers of objects.
typedef struct tour {
  int32_t ended; // by the goal
  int32_t open;  // and able to wait there without picking up more
} tour;

struct sfnec_tours {
  int64_t steps; // those that take longer may be missing
  int32_t class_count;
  int32_t sizes[SFNEC_LOOK_MOST_CLASSES]; // (class_count) objects of the class, and one more
  int32_t count;
  tour items[]; // (count) numbered by the objects of each class, the first class counting fastest
};

// A state is a cell and the objects that are taken: taken * cells + cell.
typedef struct search {
  const sfnec_cell_graph *graph;
  sfnec_tours *tours;
  uint32_t *numbers; // (2^object_count) of the tour of each set of objects
  uint32_t *queue;   // every state that was reached, in the order of its steps
  size_t reached;
  unsigned char *seen;
} search;

static uint32_t number_of(const search *s, uint32_t taken) {
  uint32_t counts[SFNEC_LOOK_MOST_CLASSES] = {0}, number = 0;
  for (int32_t i = 0; i < s->graph->object_count; i++) counts[s->graph->classes[i]] += taken >> i & 1;
  for (int32_t c = s->tours->class_count; c-- > 0;) number = number * (uint32_t)s->tours->sizes[c] + counts[c];
  return number;
}

static tour *tour_of(const search *s, uint32_t taken) {
  return &s->tours->items[s->numbers[taken]];
}

static void visit(search *s, int32_t cell, uint32_t taken) {
  const size_t state = (size_t)taken * (size_t)s->graph->count + (size_t)cell;
  if (s->seen[state]) return;
  s->seen[state] = 1;
  s->queue[s->reached++] = (uint32_t)state;
}

// Takes every action in a state that is reached after so many steps.
static void expand(search *s, uint32_t state, int32_t steps) {
  const sfnec_cell_graph *graph = s->graph;
  const int32_t from = (int32_t)(state % (uint32_t)graph->count);
  const uint32_t taken = state / (uint32_t)graph->count;
  for (int32_t action = 0; action < graph->action_count; action++) {
    const int32_t cell = graph->next[from * graph->action_count + action];
    const uint32_t then = taken | graph->takes[cell];
    if (graph->goal[cell]) {
      tour *tour = tour_of(s, then);
      if (steps + 1 < tour->ended) tour->ended = steps + 1;
      continue;
    }
    // to and fro between the two cells nothing changes any more
    if (then == taken) {
      tour *tour = tour_of(s, taken);
      if (steps < tour->open) tour->open = steps;
    }
    visit(s, cell, then);
  }
}

static void run_search(search *s) {
  for (uint32_t taken = 0; taken < UINT32_C(1) << s->graph->object_count; taken++)
    s->numbers[taken] = number_of(s, taken);
  visit(s, s->graph->start, 0);
  size_t next = 0;
  for (int32_t steps = 0; next < s->reached && steps <= s->tours->steps; steps++)
    for (const size_t last = s->reached; next < last; next++) expand(s, s->queue[next], steps);
  // the last steps may lead on to states that are never looked at
  if (next == s->reached) s->tours->steps = INT64_MAX;
}

static sfnec_tours *create_tours(const sfnec_cell_graph *graph) {
  sfnec_tours shape = {.class_count = graph->class_count, .count = 1};
  for (int32_t c = 0; c < graph->class_count; c++) shape.sizes[c] = 1;
  for (int32_t i = 0; i < graph->object_count; i++) shape.sizes[graph->classes[i]]++;
  for (int32_t c = 0; c < graph->class_count; c++) shape.count *= shape.sizes[c];
  sfnec_tours *tours = malloc(sizeof *tours + (size_t)shape.count * sizeof tours->items[0]);
  if (!tours) return NULL;
  *tours = shape;
  for (int32_t i = 0; i < tours->count; i++) tours->items[i] = (tour){NEVER, NEVER};
  return tours;
}

bool sfnec_tours_hold(const sfnec_tours *tours, int64_t steps) {
  return steps <= tours->steps;
}

sfnec_tours *sfnec_tours_find(const sfnec_cell_graph *graph, int64_t steps) {
  const size_t states = (size_t)graph->count << graph->object_count;
  search s = {
      .graph = graph,
      .tours = create_tours(graph),
      .numbers = malloc(sizeof *s.numbers << graph->object_count),
      .queue = malloc(states * sizeof *s.queue),
      .seen = calloc(states, 1),
  };
  const bool ready = s.tours && s.numbers && s.queue && s.seen;
  if (ready) {
    s.tours->steps = steps;
    run_search(&s);
  }
  free(s.numbers);
  free(s.queue);
  free(s.seen);
  if (ready) return s.tours;
  free(s.tours);
  return NULL;
}

// ---- filling the steps ----

typedef struct episode {
  int64_t steps;
  double reward;
} episode;

// The episodes that a task can be made of.
typedef struct episodes {
  episode *ended; // (ended_count) those that are over, by the goal or cut off
  episode *open;  // (open_count) those that the task's end cuts off, after so many steps or more
  int32_t ended_count, open_count;
  int64_t longest, most; // steps of the longest of them; how many the last one can wait for, with its own
} episodes;

static double reward_of(const sfnec_tours *tours, int32_t number, const double *rewards) {
  double sum = 0;
  for (int32_t c = 0; c < tours->class_count; number /= tours->sizes[c++]) sum += number % tours->sizes[c] * rewards[c];
  return sum;
}

static void add(episode *list, int32_t *count, int64_t steps, double reward, episodes *all) {
  list[(*count)++] = (episode){steps, reward};
  if (steps > all->longest) all->longest = steps;
}

// Those of at most `most` steps. Of those that are cut off the best one is enough, as all last equally long.
static void list_episodes(const sfnec_tours *tours, const double *rewards, double goal, int64_t most, bool cut,
                          episodes *all) {
  double best = -(double)INFINITY;
  for (int32_t i = 0; i < tours->count; i++) {
    const tour *tour = &tours->items[i];
    const double reward = reward_of(tours, i, rewards);
    if (tour->ended <= most) add(all->ended, &all->ended_count, tour->ended, reward + goal, all);
    if (tour->open > most) continue;
    add(all->open, &all->open_count, tour->open, reward, all);
    if (reward > best) best = reward;
  }
  if (cut && all->open_count) add(all->ended, &all->ended_count, most, best, all);
  all->most = cut ? most : INT64_MAX;
}

// The one with the most reward per step; NULL if none is ever over.
static const episode *best_episode(const episodes *all) {
  const episode *best = NULL;
  for (const episode *at = all->ended; at < all->ended + all->ended_count; at++)
    if (!best || at->reward * (double)best->steps > best->reward * (double)at->steps) best = at;
  return best;
}

// values[n]: the best return of n steps: an episode that is over and the best of what is left, or one that is not.
static double fill_values(const episodes *all, int64_t steps, double *values) {
  values[0] = 0;
  for (int64_t n = 1; n <= steps; n++) {
    double best = -(double)INFINITY;
    for (int32_t i = 0; n <= all->most && i < all->open_count; i++)
      if (all->open[i].steps <= n && all->open[i].reward > best) best = all->open[i].reward;
    for (int32_t i = 0; i < all->ended_count; i++) {
      if (all->ended[i].steps > n) continue;
      const double value = values[n - all->ended[i].steps] + all->ended[i].reward;
      if (value > best) best = value;
    }
    values[n] = best;
  }
  return values[steps];
}

// Of as many episodes as the best one has steps, some last a multiple of it together, and best ones in their place lose
// nothing. So all others together last less than `few` steps, and the rest is the best one again and again. Where
// nothing can be gained and no episode is cut off, the rest is waiting.
static sfnec_status fill_steps(const episodes *all, int64_t steps, double *value) {
  enum { MOST = 1 << 21 };
  const episode *best = best_episode(all);
  const bool wait = all->open_count && all->most == INT64_MAX && (!best || best->reward <= 0);
  const int64_t length = best ? best->steps : 1, few = (length + 2) * (all->longest + 1);
  const int64_t repeated = steps > few ? (steps - few) / length : 0, left = steps - repeated * length;
  if (left > MOST) return SFNEC_OK;
  double *values = malloc(((size_t)left + 1) * sizeof *values);
  if (!values) return sfnec_fail_memory("the optimum of a task");
  *value = fill_values(all, left, values) + (wait || !best ? 0 : (double)repeated * best->reward);
  free(values);
  return SFNEC_OK;
}

sfnec_status sfnec_tours_best(const sfnec_tours *tours, const double *rewards, double goal, int64_t steps, int64_t cut,
                              double *value) {
  *value = (double)NAN;
  episode *list = malloc(2 * ((size_t)tours->count + 1) * sizeof *list);
  if (!list) return sfnec_fail_memory("the optimum of a task");
  episodes all = {.ended = list, .open = list + tours->count + 1};
  const bool limited = cut > 0 && cut <= steps;
  const int64_t most = limited ? cut : steps < NEVER ? steps : NEVER - 1;
  list_episodes(tours, rewards, goal, most, limited, &all);
  const sfnec_status status = fill_steps(&all, steps, value);
  free(list);
  return status;
}
