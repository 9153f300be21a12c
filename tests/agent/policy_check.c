// policy_check FILE: asks an exported policy (-DPOLICY='"policy.c"') what tool_policy_trace asked the library, and
// compares all answers to the bit. With -Dfmaf=counted_fmaf (see below) it also compares the distances that a call
// computes with the head of the file, whose number is DISTANCES. C99 without the library: it also runs under an
// emulator.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double multiplies;

// a fused multiply-add that is counted
static float counted_fmaf(float a, float b, float c) {
  multiplies++;
  return fmaf(a, b, c);
}

#define fmaf counted_fmaf
#include POLICY
#undef fmaf

static FILE *file;

static int get(void *what, size_t size) {
  return fread(what, 1, size, file) == size;
}

static void same(const char *what, long step, const void *a, const void *b, size_t size) {
  if (memcmp(a, b, size) == 0) return;
  fprintf(stderr, "policy_check: step %ld: %s differs", step, what);
  if (size % sizeof(double) == 0) fprintf(stderr, ": %.17g, not %.17g", *(const double *)a, *(const double *)b);
  fputc('\n', stderr);
  exit(1);
}

#ifndef policy_q_of
#ifdef POLICY_STATES
#define POLICY_ROWS 1
#define policy_q_of(state, observation, q) policy_q(state, observation, q)
#define policy_choose(state, observation, mask, value) policy_act_masked(state, observation, mask, value)
#else
#define POLICY_ROWS POLICY_POLICIES
#define policy_q_of(state, observation, q) policy_q(state, observation, NULL, q)
#define policy_choose(state, observation, mask, value) policy_act_masked(state, observation, mask, NULL, value)
#endif
#endif

static double q[POLICY_ROWS * POLICY_ACTIONS], expected[POLICY_ROWS * POLICY_ACTIONS];
static float here[POLICY_OBSERVATION], asked[POLICY_OBSERVATION], next[POLICY_OBSERVATION];
static uint8_t mask[POLICY_ACTIONS], none[POLICY_ACTIONS];
static policy_state state, other;

// The policy that is learned is the first one that an agent with policies=own has, and the library writes it alone.
static void check_values(long step, const float *observation) {
  if (!get(expected, sizeof expected)) exit(1);
  policy_q_of(&state, observation, q);
  same("q", step, q, expected, sizeof q);
}

#ifndef POLICY_STATES
static void check_other_weights(long step) {
  double w[POLICY_FEATURES], value, wanted;
  int32_t action, taken;
  if (!get(w, sizeof w) || !get(expected, sizeof expected) || !get(&action, sizeof action) ||
      !get(&wanted, sizeof wanted))
    exit(1);
  policy_q(&other, asked, w, q);
  same("q under other weights", step, q, expected, sizeof q);
  taken = policy_act_masked(&other, asked, mask, w, &value);
  same("the action under other weights", step, &taken, &action, sizeof action);
  same("the value under other weights", step, &value, &wanted, sizeof value);
}
#endif

int main(int argc, char **argv) {
  int32_t sizes[5], action, taken, ended;
  double value, wanted, reward, most = 0.0;
  long step = 0;
  file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file || !get(sizes, sizeof sizes)) return 1;
  const int32_t own[] = {POLICY_OBSERVATION, POLICY_ACTIONS, POLICY_FEATURES, POLICY_ROWS};
  same("a size", -1, own, sizes, sizeof own);
  (void)counted_fmaf; // a linear policy has no distances
  policy_begin(&state);
  policy_begin(&other);
  for (; get(here, sizeof here); step++) {
    if (!get(asked, sizeof asked) || !get(mask, sizeof mask)) return 1;
    check_values(step, here);
    check_values(step, asked);
#ifndef POLICY_STATES
    if (sizes[4]) check_other_weights(step);
#endif
    if (!get(&action, sizeof action) || !get(&wanted, sizeof wanted)) return 1;
    multiplies = 0.0;
    // without a mask where there is none
    taken = memchr(mask, 0, sizeof mask) ? policy_choose(&state, here, mask, &value) : policy_act(&state, here, &value);
    if (multiplies > most) most = multiplies;
    same("the action", step, &taken, &action, sizeof action);
#ifdef POLICY_STATES
    if (!state.known) same("whether the context is known", step, "0", "1", 1);
#endif
    same("the value", step, &value, &wanted, sizeof value);
    if (!get(&reward, sizeof reward) || !get(next, sizeof next) || !get(mask, sizeof mask) ||
        !get(&ended, sizeof ended))
      return 1;
#ifdef POLICY_STATES
    policy_tell(&state, here, action, reward, next, mask, ended);
#endif
  }
  taken = policy_choose(&state, here, none, &value);
  action = -1;
  same("an action where none is allowed", step, &taken, &action, sizeof action);
  printf("%ld steps, at most %.0f multiply-adds\n", step, most);
  if (most > MULTIPLIES) {
    fprintf(stderr, "policy_check: the head promises at most %.0f multiply-adds\n", (double)MULTIPLIES);
    return 1;
  }
  return step > 0 ? 0 : 1;
}
