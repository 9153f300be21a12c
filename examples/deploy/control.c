// control.c: an exported policy balances a pole in a loop of 100 Hz, and says how much of each period it took.
//
//   sfnec train --agent sfnec-plan --env cartpole --set terminal=zero --tasks 1 --steps 5000 --seed 1 --save pole.sfnec
//   sfnec export-c pole.sfnec --out policy.c
//   cc -std=c99 -O2 -I. control.c policy.c -lm -o control
//   ./control 500
//
// The pole is simulated here (the equations of Barto, Sutton and Anderson 1983); on a robot read_sensors and
// drive_motor are the hardware, and the rest stays as it is. Nothing is allocated, and nothing is read or written in
// the loop but the clock.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define POLICY_DECLARATIONS_ONLY
#include "policy.c"

#define PERIOD 0.01  // seconds: 100 Hz
#define BUDGET 0.005 // seconds of it that the policy may take; the rest belongs to the other parts of the robot

// ---- the plant ----

static double position, speed, angle, turning;

static void read_sensors(float *observation) {
  observation[0] = (float)position, observation[1] = (float)speed;
  observation[2] = (float)angle, observation[3] = (float)turning;
}

// One step of the world that the agent learned in, which is 20 ms of its time; false: the pole fell.
static int drive_motor(int action) {
  const double force = action == 1 ? 10.0 : -10.0, gravity = 9.8, mass = 1.1, pole = 0.1, half = 0.5;
  const double push = (force + pole * half * turning * turning * sin(angle)) / mass;
  const double bend =
      (gravity * sin(angle) - cos(angle) * push) / (half * (4.0 / 3.0 - pole * cos(angle) * cos(angle) / mass));
  position += 0.02 * speed;
  speed += 0.02 * (push - pole * half * bend * cos(angle) / mass);
  angle += 0.02 * turning;
  turning += 0.02 * bend;
  return fabs(position) < 2.4 && fabs(angle) < 0.2095;
}

// ---- the loop ----

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_until(double when) {
  struct timespec time = {(time_t)when, (long)(1e9 * (when - floor(when)))};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL)) continue;
}

int main(int argc, char **argv) {
  static policy_state state;
  const long ticks = argc > 1 ? atol(argv[1]) : 500;
  float before[POLICY_OBSERVATION], observation[POLICY_OBSERVATION];
  double worst = 0.0, sum = 0.0;
  long late = 0, falls = 0;
  policy_begin(&state);
  angle = 0.02;
  read_sensors(observation);
  const double start = seconds();
  for (long tick = 0; tick < ticks; tick++) {
    const double began = seconds();
    const int action = policy_act(&state, observation, NULL);
    const double took = seconds() - began;
    sum += took;
    if (took > worst) worst = took;
    if (took > BUDGET) late++;
    const int stands = drive_motor(action);
    if (!stands) position = speed = angle = turning = 0.0, falls++;
    for (int i = 0; i < POLICY_OBSERVATION; i++) before[i] = observation[i];
    read_sensors(observation);
#ifdef POLICY_STATES // a plan is corrected by what follows
    policy_tell(&state, before, action, 1.0, observation, NULL, !stands);
#endif
    sleep_until(start + PERIOD * (double)(tick + 1));
  }
  printf("%ld periods of %g ms: the policy took %.1f us on average, %.1f us at most (budget %g us, exceeded %ld times);"
         " the pole fell %ld times\n",
         ticks, 1e3 * PERIOD, 1e6 * sum / (double)ticks, 1e6 * worst, 1e6 * BUDGET, late, falls);
  return 0;
}
