// test_plan.c: what an agent that plans targets: its values are those of value iteration over its model, a small world
// is solved to its optimum, a plan kept up step by step is the plan from nothing, and any weights are served at once.
#include "support/grid.h"

#include "agent/agent.h"
#include "agent/plan/internal.h"

// after the C library's headers, which say whose it is
#define COUNT_ALLOCATIONS
#include "support/own_malloc.h"

static const char *const rooms_map[] = {"#########", //
                                        "#S..#..P#", //
                                        "#...#...#", //
                                        "#.P...#.#", //
                                        "#...#..G#", //
                                        "#########", NULL};
static const grid rooms = {rooms_map, false};

static const char *const door_map[] = {"########", //
                                       "#K....S#", //
                                       "#.####.#", //
                                       "#.#....#", //
                                       "#....#D#", //
                                       "########", NULL};
static const grid door = {door_map, true};

static const double likes_goal[] = {1, -1, -0.02};

// An agent that has learned in a grid under weights.
static sfnec_agent *learned(const grid *g, const char *const *settings, const double *w, int steps) {
  const sfnec_env_shape shape = grid_shape(g);
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", settings, 1);
  OK(sfnec_agent_begin_task(agent, w, NULL));
  grid_train(agent, g, w, steps, 100);
  return agent;
}

// ---- value iteration over the model's predictions ----

enum { CONTEXTS = 8 };

typedef struct oracle {
  const sfnec_model *model;
  const double *w;
  double gamma, reward_scale, pessimism;
  bool restart;
  uint32_t count;               // contexts
  float contexts[CONTEXTS][16]; // slow components
  uint32_t start_context, start_state;
  double *v; // (CONTEXTS, states)
} oracle;

static uint32_t oracle_context(oracle *o, const float *tuple) {
  const size_t slow = o->model->scaling.slow_count;
  for (uint32_t c = 0; c < o->count; c++) {
    if (memcmp(o->contexts[c], tuple, slow * sizeof *tuple) == 0) return c;
  }
  assert_true(o->count < CONTEXTS && slow <= 16);
  memcpy(o->contexts[o->count], tuple, slow * sizeof *tuple);
  return o->count++;
}

static uint32_t oracle_after(oracle *o, uint32_t context, uint32_t effect) {
  float tuple[16];
  memcpy(tuple, o->contexts[context], sizeof tuple);
  for (size_t i = 0; effect != 0 && i < o->model->scaling.slow_count; i++) {
    if (sfnec_effect_touches(o->model, effect, i)) tuple[i] = sfnec_tuples_at(&o->model->effects, effect)[i];
  }
  return oracle_context(o, tuple);
}

// Whether an outcome was seen in a context like this one.
static bool oracle_applies(const oracle *o, uint32_t context, const sfnec_prediction *prediction,
                           const sfnec_outcome *outcome) {
  const float *before = sfnec_tuples_at(&o->model->contexts, outcome->before);
  const size_t slow = o->model->scaling.slow_count;
  if (prediction->whole && memcmp(before, o->contexts[context], slow * sizeof *before) != 0) return false;
  for (uint32_t i = 0; i < prediction->relevant_count; i++) {
    if (before[prediction->relevant[i]] != o->contexts[context][prediction->relevant[i]]) return false;
  }
  return true;
}

static double oracle_q(oracle *o, uint32_t context, uint32_t state, uint32_t action) {
  const sfnec_model *model = o->model;
  const size_t n = model->config->psi_size, state_count = model->state_count;
  const size_t at = state * (size_t)model->config->action_count + action;
  const sfnec_prediction *prediction = &model->predictions[at];
  if (prediction->outcome_count == 0)
    return -o->pessimism * o->reward_scale + o->gamma * o->v[context * state_count + state];
  const sfnec_outcome *outcomes = sfnec_prediction_outcomes(model, at);
  const float *features = sfnec_prediction_features(model, at);
  uint32_t condition = SFNEC_NONE;
  for (uint32_t p = 0; p < prediction->outcome_count && condition == SFNEC_NONE; p++) {
    if (oracle_applies(o, context, prediction, &outcomes[p])) condition = outcomes[p].condition;
  }
  const double start = o->restart ? o->v[o->start_context * state_count + o->start_state] : 0.0;
  double sum = 0, weights = 0;
  for (uint32_t p = 0; p < prediction->outcome_count; p++) {
    if (condition != SFNEC_NONE && outcomes[p].condition != condition) continue;
    const uint32_t to = oracle_after(o, context, outcomes[p].effect);
    double reward = -o->pessimism * o->reward_scale * fmin(1.0, (double)prediction->distance);
    for (size_t i = 0; i < n; i++) reward += (double)features[p * n + i] * o->w[i];
    if (condition == SFNEC_NONE && outcomes[p].effect != 0 && to == context) reward = 0;
    double later = (double)outcomes[p].terminal * start;
    for (uint32_t i = 0; i < outcomes[p].count; i++) {
      later += (double)outcomes[p].shares[i] * o->v[to * state_count + outcomes[p].states[i]];
    }
    sum += (double)outcomes[p].weight * (reward + o->gamma * later);
    weights += (double)outcomes[p].weight;
  }
  return sum / weights;
}

static void oracle_solve(oracle *o) {
  const size_t state_count = o->model->state_count;
  for (double change = 1; change > 1e-12;) {
    change = 0;
    for (uint32_t c = 0; c < o->count; c++) {
      for (uint32_t p = 0; p < state_count; p++) {
        double best = -INFINITY;
        for (uint32_t a = 0; a < (uint32_t)o->model->config->action_count; a++) {
          best = fmax(best, oracle_q(o, c, p, a));
        }
        if (o->model->states[p].terminal)
          best = o->restart ? o->v[o->start_context * state_count + o->start_state] : 0.0;
        change = fmax(change, fabs(best - o->v[c * state_count + p]));
        o->v[c * state_count + p] = best;
      }
    }
  }
}

// A whole plan from the start.
static void plan(sfnec_values *values, bool afresh, sfnec_random *random) {
  sfnec_values_begin_plan(values, afresh, INT64_C(1) << 40);
  while (sfnec_values_plans(values)) sfnec_values_continue_plan(values, NULL, values->planning.left, random);
}

// A plan from nothing for some weights.
static void make_plan(const sfnec_planner *planner, bool explores, const double *w, sfnec_values *values) {
  sfnec_random random = sfnec_random_start(5, 1000);
  OK(sfnec_values_init(values, &planner->model, &planner->masks, explores));
  OK(sfnec_values_reset(values));
  OK(sfnec_values_begin(values, w));
  values->start_state = planner->values.start_state;
  OK(sfnec_values_context(values, planner->start, &values->start_context));
  plan(values, true, &random);
  assert_false(values->starved);
}

// Backs everything up until nothing changes: as near to the fixed point as floats come.
static void converge(sfnec_values *values) {
  for (int sweep = 0; sweep < 1000; sweep++) {
    for (uint32_t l = 0; l < values->table_count; l++) {
      for (uint32_t p = 0; p < values->model->state_count; p++) sfnec_values_backup(values, l, p, NULL);
    }
    values->start_value = values->tables[values->table_of[values->start_context]].v[values->start_state];
  }
}

// Layers that no trajectory came through hold first values only.
static void compare(const sfnec_values *values, oracle *o, bool all, double tolerance) {
  const size_t state_count = o->model->state_count;
  assert_true(values->table_count > 0 && values->table_count <= o->count && values->tables[0].swept >= 0);
  for (uint32_t l = 0; l < values->table_count; l++) {
    if (!all && values->tables[l].swept < 0) continue;
    const uint32_t c = oracle_context(o, sfnec_tuples_at(&values->contexts, values->tables[l].context));
    for (uint32_t p = 0; p < state_count; p++)
      NEAR((double)values->tables[l].v[p], o->v[c * state_count + p], tolerance);
  }
}

static void check_oracle(const grid *g, const char *const *settings, const double *w) {
  sfnec_agent *agent = learned(g, settings, likes_goal, 1500);
  const sfnec_planner *planner = agent->planner;
  const sfnec_model *model = &planner->model;
  assert_true(model->fitted && planner->has_start && model->state_count > 3);
  assert_int_equal(model->scaling.slow_count, g->has_key && model->config->options.contexts == SFNEC_CONTEXTS_ON);
  sfnec_values values;
  make_plan(planner, false, w, &values);
  oracle o = {.model = model,
              .w = w,
              .gamma = (double)(float)model->config->options.gamma,
              .reward_scale = (double)values.reward_scale,
              .pessimism = model->config->options.pessimism,
              .restart = model->config->options.terminal == SFNEC_TERMINAL_RESTART,
              .start_state = values.start_state};
  o.v = calloc((size_t)CONTEXTS * model->state_count, sizeof *o.v);
  assert_non_null(o.v);
  o.start_context = oracle_context(&o, sfnec_tuples_at(&values.contexts, values.start_context));
  oracle_solve(&o);
  compare(&values, &o, false,
          0.025 * (double)values.reward_scale); // it stops below 0.001 of the reward_scale per sweep
  converge(&values);
  compare(&values, &o, true, 1e-4 * (double)values.reward_scale);
  free(o.v);
  sfnec_values_clear(&values);
  sfnec_agent_destroy(agent);
}

static void test_value_iteration(void **state) {
  (void)state;
  const double other[] = {-0.5, 1, 0.1};
  const char *const settings[][4] = {{"terminal=restart", NULL},
                                     {"terminal=zero", "pessimism=0", NULL},
                                     {"terminal=zero", "contexts=off", "index=flat", NULL},
                                     {"radius=1.2", "borrow=3", NULL}};
  for (int i = 0; i < 4; i++) {
    check_oracle(&rooms, settings[i], i % 2 ? other : likes_goal);
    check_oracle(&door, settings[i], i % 2 ? other : likes_goal);
  }
}

// ---- the world's optimum ----

static void check_optimum(const grid *g, const char *const *settings, int steps, size_t task_count) {
  const double tasks[][GRID_FEATURES] = {{1, -1, -0.02}, {1, 0.1, -0.1}, {0, 1, 0}, {5, -0.3, 0}, {0.2, 0, 0.01}};
  sfnec_agent *agent = learned(g, settings, tasks[0], steps);
  const sfnec_agent_options *options = sfnec_agent_get_options(agent);
  const bool restart = options->terminal == SFNEC_TERMINAL_RESTART;
  for (size_t i = 0; i < task_count; i++) {
    const double best = grid_optimum(g, tasks[i], options->gamma, restart);
    NEAR(grid_greedy(agent, g, tasks[i], options->gamma, restart, 600), best, 1e-6);
  }
  sfnec_agent_destroy(agent);
}

// Under the weights it learned with; and, where it has seen everything, under others.
static void test_optimum(void **state) {
  (void)state;
  const char *const ends[] = {"terminal=zero", "terminal=restart"};
  for (int i = 0; i < 2; i++) {
    check_optimum(&rooms, (const char *const[]){ends[i], NULL}, 400, 1);
    check_optimum(&rooms, (const char *const[]){ends[i], "epsilon=1", NULL}, 8000, 5);
    check_optimum(&rooms, (const char *const[]){ends[i], "epsilon=1", "gamma=0.9", "index=flat", NULL}, 8000, 5);
    check_optimum(&door, (const char *const[]){ends[i], "epsilon=1", NULL}, 8000, 5);
  }
}

// With terminal=restart the value of the start counts in the table that holds it, too, for one episode after another.
static const char *const far_map[] = {"############", "#S   #    G#", "#    #     #",
                                      "#         ##", "#    #     #", "# K  #  P  #",
                                      "##########D#", "############", NULL};
static const grid far = {far_map, true};

static void test_restart(void **state) {
  (void)state;
  sfnec_agent *agent = learned(&far, (const char *const[]){"terminal=restart", NULL}, likes_goal, 3000);
  double q[GRID_ACTIONS];
  float here[3];
  grid_see(grid_start(&far), here);
  OK(ask_q(agent, here, likes_goal, q));
  const double best = grid_optimum(&far, likes_goal, sfnec_agent_get_options(agent)->gamma, true);
  NEAR(fmax(fmax(q[0], q[1]), fmax(q[2], q[3])), best, 0.04);
  sfnec_agent_destroy(agent);
}

// ---- a plan kept up ----

static void check_incremental(const grid *g, const char *const *settings) {
  const double second[] = {0.5, 0.5, -0.05};
  sfnec_agent *agent = learned(g, settings, likes_goal, 1000);
  OK(sfnec_agent_begin_task(agent, second, NULL));
  grid_train(agent, g, second, 1000, 100);
  sfnec_planner *planner = agent->planner;
  sfnec_values *kept = &planner->values, fresh;
  make_plan(planner, true, second, &fresh);
  sfnec_random random = sfnec_random_start(6, 1000);
  sfnec_values_reweigh(kept, second); // the scale of rewards as it is now
  plan(kept, true, &random);
  assert_true(kept->reward_scale == fresh.reward_scale);
  for (int turn = 0; turn < 2; turn++) {
    // each stops within 0.02 of the reward_scale
    const double tolerance = (turn ? 1e-4 : 0.05) * (double)kept->reward_scale;
    for (uint32_t l = 0; l < fresh.table_count; l++) {
      uint32_t context = sfnec_tuples_find(&kept->contexts, sfnec_tuples_at(&fresh.contexts, fresh.tables[l].context));
      assert_true(context != SFNEC_NO_TUPLE);
      const uint32_t table = sfnec_values_table(kept, context);
      for (uint32_t p = 0; p < planner->model.state_count; p++) {
        NEAR((double)kept->tables[table].v[p], (double)fresh.tables[l].v[p], tolerance);
      }
    }
    converge(kept);
    converge(&fresh);
  }
  sfnec_values_clear(&fresh);
  sfnec_agent_destroy(agent);
}

static void test_incremental(void **state) {
  (void)state;
  check_incremental(&rooms, (const char *const[]){"terminal=restart", NULL});
  check_incremental(&rooms, (const char *const[]){"terminal=zero", NULL});
  check_incremental(&door, (const char *const[]){"terminal=restart", NULL});
  check_incremental(&door, (const char *const[]){"terminal=zero", "contexts=off", NULL});
}

// ---- any weights at once ----

static void check_zero_shot(const grid *g, const char *const *settings) {
  const double new[] = {0.3, 0.7, -0.1}, third[] = {-1, 0, 0};
  sfnec_agent *agent = learned(g, settings, likes_goal, 1500), *copy = NULL;
  OK(sfnec_agent_save(agent, "plan.agent"));
  OK(sfnec_agent_load("plan.agent", &copy));
  OK(sfnec_agent_begin_task(copy, new, NULL));
  sfnec_scratch *used = scratch_for(agent);
  for (int y = 0; g->map[y]; y++) {
    for (int x = 0; g->map[y][x]; x++) {
      for (int key = 0; key < (g->has_key ? 2 : 1) && g->map[y][x] != '#'; key++) {
        const cell at = {x, y, key};
        float here[3];
        sfnec_choice a, b, c;
        double q[GRID_ACTIONS], fresh[2 * GRID_ACTIONS], psi[2 * GRID_ACTIONS * GRID_FEATURES];
        grid_see(at, here);
        OK(ask_choose(agent, here, new, &a));
        OK(ask_q(agent, here, new, q));
        OK(ask_choose(copy, here, NULL, &b));
        OK(ask_q(copy, here, NULL, fresh));
        OK(ask_psi(copy, here, psi));
        assert_true(a.value == b.value && q[a.action] == a.value && q[b.action] == a.value);
        // a scratch that has planned for something else in between
        OK(sfnec_agent_choose(agent, used, here, third, &c));
        OK(sfnec_agent_choose(agent, used, here, new, &c));
        assert_true(c.value == a.value && q[c.action] == a.value);
        for (int i = 0; i < GRID_ACTIONS; i++) {
          assert_true(q[i] == fresh[i]);
          const double *psi_of = psi + (GRID_ACTIONS + i) * GRID_FEATURES; // of the second task
          NEAR(psi_of[0] * new[0] + psi_of[1] * new[1] + psi_of[2] * new[2], q[i], 0.03);
        }
      }
    }
  }
  sfnec_scratch_destroy(used);
  sfnec_agent_destroy(copy);
  sfnec_agent_destroy(agent);
}

static void test_zero_shot(void **state) {
  (void)state;
  check_zero_shot(&rooms, (const char *const[]){"pessimism=0", "terminal=restart", NULL});
  check_zero_shot(&rooms, (const char *const[]){"pessimism=0", "terminal=zero", NULL});
  check_zero_shot(&door, (const char *const[]){"pessimism=0", "terminal=restart", NULL});
  check_zero_shot(&door, (const char *const[]){"pessimism=0", "terminal=zero", "contexts=off", NULL});
}

// ---- playing ----

// As rooms, with the way through the middle closed: there is another one.
static const char *const closed_map[] = {"#########", //
                                         "#S..#..P#", //
                                         "#.......#", //
                                         "#.P.#.#.#", //
                                         "#...#..G#", //
                                         "#########", NULL};
static const char *const open_map[] = {"#########", //
                                       "#S..#..P#", //
                                       "#.......#", //
                                       "#.P...#.#", //
                                       "#...#..G#", //
                                       "#########", NULL};
static const grid closed = {closed_map, false}, both_open = {open_map, false};

// Steps to the goal of a closed world by an agent that knows the open one, or `most`.
static int play_closed(const sfnec_agent *agent, sfnec_scratch *scratch, const double *w, bool tell, int most) {
  cell at = grid_start(&closed);
  for (int step = 1; step <= most; step++) {
    float here[3], after[3];
    double f[GRID_FEATURES];
    sfnec_choice choice;
    grid_see(at, here);
    OK(sfnec_agent_choose(agent, scratch, here, w, &choice));
    const bool ends = grid_step(&closed, &at, choice.action, f);
    grid_see(at, after);
    const sfnec_transition transition = {
        .action = choice.action, .reward = f[0], .next_observation = after, .terminated = ends};
    if (tell) OK(sfnec_agent_tell(agent, scratch, here, &transition));
    if (ends) return step;
  }
  return most;
}

// A plan that does not learn runs against a door that is closed now; told of it, it takes the other one.
static void test_told(void **state) {
  (void)state;
  const double w[] = {1, -1, 0};
  const char *const settings[] = {"terminal=zero", NULL};
  sfnec_agent *agent = learned(&both_open, settings, w, 3000);
  sfnec_scratch *scratch = scratch_for(agent);
  // another start of the same plan's ties may take the open way by luck, so the worst of some plays counts
  int worst = 0;
  for (int i = 0; i < 5; i++) worst = (int)fmax(worst, play_closed(agent, scratch, w, false, 300));
  assert_int_equal(worst, 300);
  float here[3];
  grid_see(grid_start(&closed), here);
  double before[GRID_ACTIONS], after[GRID_ACTIONS];
  OK(sfnec_agent_ask_q(agent, scratch, here, w, before));
  for (int i = 0; i < 5; i++) assert_true(play_closed(agent, scratch, w, true, 300) < 60);
  OK(sfnec_agent_ask_q(agent, scratch, here, w, after)); // values are what they were
  assert_memory_equal(before, after, sizeof before);

  // where nothing helps, all actions are taken in turn, not the best of them for ever
  int taken[GRID_ACTIONS] = {0};
  for (int i = 0; i < 10 * GRID_ACTIONS; i++) {
    sfnec_choice choice;
    OK(sfnec_agent_choose(agent, scratch, here, w, &choice));
    const sfnec_transition still = {.action = choice.action, .reward = -0.1, .next_observation = here};
    OK(sfnec_agent_tell(agent, scratch, here, &still));
    taken[choice.action]++;
  }
  for (int a = 0; a < GRID_ACTIONS; a++) assert_int_equal(taken[a], 10);

  const float bad[] = {NAN, 0};
  sfnec_transition none = {.action = GRID_ACTIONS, .next_observation = here};
  REFUSED(sfnec_agent_tell(agent, scratch, here, &none), SFNEC_ERROR_ARGUMENT, "there is no action 4");
  none.action = 0;
  none.next_observation = bad;
  REFUSED(sfnec_agent_tell(agent, scratch, here, &none), SFNEC_ERROR_ARGUMENT, "finite");
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

// ---- contexts ----

// The key is fetched first although it is worth nothing: what it changes was learned.
static void test_contexts(void **state) {
  (void)state;
  const double w[] = {1, 0, -0.01};
  for (int on = 0; on < 2; on++) {
    const char *const settings[] = {on ? "contexts=on" : "contexts=off", "terminal=zero", "epsilon=0.2", NULL};
    sfnec_agent *agent = learned(&door, settings, w, on ? 2000 : 6000);
    const sfnec_model *model = sfnec_planner_model(agent->planner);
    assert_int_equal(model->scaling.slow_count, on);
    if (on) {
      assert_int_equal(model->scaling.slow[0], 2);
      assert_int_equal(model->contexts.count, 2);
      assert_int_equal(model->effects.count, 2); // none, and to have the key
    }
    const double gamma = sfnec_agent_get_options(agent)->gamma;
    NEAR(grid_greedy(agent, &door, w, gamma, false, 200), grid_optimum(&door, w, gamma, false), 1e-6);
    sfnec_agent_destroy(agent);
  }
}

// ---- memory ----

// A model that has all but stopped growing: acting, learning and planning allocate nothing, with contexts and without.
// (Fits of relevance do, at twice as many transitions each.)
static void test_no_allocation(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  for (int on = 0; on < 2; on++) {
    const char *const settings[] = {on ? "contexts=on" : "contexts=off", "epsilon=0.5", "relevance=off", NULL};
    sfnec_agent *agent = learned(&door, settings, likes_goal, 7000);
    allocations = 0;
    grid_train(agent, &door, likes_goal, 2000, 100);
    const int made = allocations;
    assert_int_equal(made, 0);
    sfnec_agent_destroy(agent);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_value_iteration), cmocka_unit_test(test_optimum),       cmocka_unit_test(test_restart),
      cmocka_unit_test(test_incremental),     cmocka_unit_test(test_zero_shot),     cmocka_unit_test(test_told),
      cmocka_unit_test(test_contexts),        cmocka_unit_test(test_no_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
