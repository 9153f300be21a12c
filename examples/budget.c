// budget.c: a host loop with a fixed budget of memory: a controller that heats a room while the price of energy
// changes.
//
// All memory is asked for at the start: capacity bounds what an agent can hold, sfnec_agent_reserve makes room for all
// of it, and from then on acting and learning allocate nothing. On a small machine, where malloc hands out a block that
// is given once, that is what decides whether it runs for years. At the end of the day the agent is saved into memory,
// to be put into flash, and loaded again.
//
//   cc budget.c $(pkg-config --cflags --libs sfnec) -lm && ./a.out
#include <math.h>
#include <stdio.h>

#include "sfnec/sfnec.h"

enum { OBSERVATION = 4, ACTIONS = 3, FEATURES = 2, QUARTERS = 96, DAYS = 120, BUDGET = 400000 };

static int fail(void) {
  fprintf(stderr, "budget: %s\n", sfnec_last_error());
  return 1;
}

// ---- the room: what a host would read from its sensors ----

typedef struct room {
  double inside, outside; // degrees
  int quarter;            // of an hour, since midnight
} room;

static void look(const room *room, float observation[OBSERVATION]) {
  const double time = 2 * 3.14159265358979 * room->quarter / QUARTERS;
  observation[0] = (float)(room->inside / 10);
  observation[1] = (float)(room->outside / 10);
  observation[2] = (float)cos(time);
  observation[3] = (float)sin(time);
}

// a quarter of an hour with the heater off, low or high: comfort and energy are the features
static void wait_quarter(room *room, int32_t action, double features[FEATURES]) {
  room->quarter = (room->quarter + 1) % QUARTERS;
  room->outside = 5 - 5 * cos(2 * 3.14159265358979 * room->quarter / QUARTERS);
  room->inside += 0.02 * (room->outside - room->inside) + 0.35 * action;
  const bool awake = room->quarter >= 6 * 4 && room->quarter < 22 * 4;
  const double off = fabs(room->inside - 20) / 3;
  features[0] = awake ? 1 - (off < 1 ? off : 1) : 0;
  features[1] = action / 2.0;
}

// ---- the agent ----

enum { CHEAP, DEAR, PRICES };
static const double prices[PRICES][FEATURES] = {{1, -0.1}, {1, -0.8}};

// everything that will ever be needed
static sfnec_status set_up(sfnec_agent **agent, sfnec_scratch **scratch) {
  static const char *const settings[][2] = {{"capacity", "600"}, {"neighbours", "8"}, {"index", "flat"},
                                            {"gpi", "full"},     {"epsilon", "0.05"}, {"rate", "0.02"}};
  const sfnec_env_shape shape = {.observation_size = OBSERVATION, .action_count = ACTIONS, .feature_count = FEATURES};
  sfnec_agent_options options;
  sfnec_status status = sfnec_agent_options_preset("sfnec", &options);
  for (size_t i = 0; i < sizeof settings / sizeof *settings && !status; i++)
    status = sfnec_options_set(sfnec_agent_option_set(), &options, settings[i][0], settings[i][1]);
  if (!status) status = sfnec_agent_create(&shape, &options, 1, agent);
  for (int i = 0; i < PRICES && !status; i++) status = sfnec_agent_begin_task(*agent, prices[i], NULL);
  if (!status) status = sfnec_agent_reserve(*agent);
  return status ? status : sfnec_scratch_create(*agent, scratch);
}

// one day under one price; what it earned
static sfnec_status live(sfnec_agent *agent, room *room, uint32_t price, double *earned) {
  float next[OBSERVATION], now[OBSERVATION];
  double features[FEATURES];
  *earned = 0;
  sfnec_status status = sfnec_agent_set_task(agent, price);
  if (!status) status = sfnec_agent_begin_episode(agent);
  look(room, now);
  for (int i = 0; i < QUARTERS && !status; i++) {
    int32_t action;
    status = sfnec_agent_act(agent, now, &action);
    if (status) break;
    wait_quarter(room, action, features);
    look(room, next);
    const double reward = prices[price][0] * features[0] + prices[price][1] * features[1];
    const sfnec_transition transition = {.action = action,
                                         .features = features,
                                         .reward = reward,
                                         .next_observation = next,
                                         .truncated = i + 1 == QUARTERS};
    status = sfnec_agent_observe(agent, &transition);
    *earned += reward;
    look(room, now);
  }
  return status;
}

// what it would do now in rooms of several temperatures, by one call: a table for a display
static sfnec_status show(const sfnec_agent *agent, sfnec_scratch *scratch, const double *w) {
  enum { ROWS = 5 };
  float rows[ROWS][OBSERVATION];
  sfnec_choice choices[ROWS];
  for (int i = 0; i < ROWS; i++) {
    const room room = {.inside = 12 + 3 * i, .outside = 5, .quarter = 8 * 4};
    look(&room, rows[i]);
  }
  const sfnec_status status = sfnec_agent_choose_many(agent, scratch, ROWS, rows[0], w, choices);
  static const char *const names[] = {"off", "low", "high"};
  for (int i = 0; i < ROWS && !status; i++)
    printf("  at %d degrees: heater %s\n", 12 + 3 * i, names[choices[i].action]);
  return status;
}

int main(void) {
  sfnec_agent *agent = NULL, *again = NULL;
  sfnec_scratch *scratch = NULL;
  room room = {.inside = 15, .outside = 0};
  if (set_up(&agent, &scratch)) return fail();
  const size_t bytes = sfnec_agent_get_bytes(agent);
  printf("set up: %zu bytes of a budget of %d\n", bytes, BUDGET);

  double weeks[2] = {0};
  for (int day = 0; day < DAYS; day++) {
    double earned;
    if (live(agent, &room, day % 2 ? DEAR : CHEAP, &earned)) return fail();
    if (day < 14) weeks[0] += earned / 14;
    if (day >= DAYS - 14) weeks[1] += earned / 14;
  }
  printf("a day earned %.1f in the first two weeks and %.1f in the last\n", weeks[0], weeks[1]);
  if (sfnec_agent_get_bytes(agent) != bytes || bytes > BUDGET) return 1;
  printf("after %d days: still %zu bytes\n", DAYS, bytes);
  if (show(agent, scratch, prices[CHEAP])) return fail();

  // into memory, to be kept through a loss of power, and back
  unsigned char *saved;
  size_t size;
  if (sfnec_agent_save_bytes(agent, &saved, &size)) return fail();
  printf("saved in %zu bytes\n", size);
  if (sfnec_agent_load_bytes(saved, size, &again)) return fail();
  sfnec_agent_free_bytes(saved);
  sfnec_agent_destroy(again);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
  return 0;
}
