// constants.h: the constants of the planner: their unit, their reason, and what half or twice as much does, where that
// is known. "Flat" means that results hardly change. docs/notebook/ says how the options were tried.
//
// What a user may set is an option (agent/options.c). What bounds learning which components matter stands in
// relevance.h, association.h, quantise.h and transition_log.h. Distances are in steps (the median length of a move) or
// in radii (of a state); a squared one is compared with squared distances.
#ifndef SFNEC_AGENT_PLAN_CONSTANTS_H
#define SFNEC_AGENT_PLAN_CONSTANTS_H

#include <stdint.h>

// ---- no such thing ----

#define SFNEC_NONE UINT32_MAX
// In an effect: this component stays as it is.
#define SFNEC_UNCHANGED (-0x1.fp120f)

// ---- bounds of numbers ----

// Numbers beyond these count as these: then squares and sums of them are floats, whatever the agent observes.
#define SFNEC_KEY_MOST 1e12f
#define SFNEC_RADIUS_MOST 1e18f
#define SFNEC_FEATURE_MOST 1e18f
#define SFNEC_REWARD_MOST 1e24f
#define SFNEC_OVERESTIMATE_MOST 1e30f
#define SFNEC_VALUE_MOST 1e37f
#define SFNEC_WEIGHT_MOST 1e12f // of a polynomial, and what its components are divided by
// A chance is a discounted share; what rounding makes of more stays below this.
#define SFNEC_CHANCE_MOST 1e6f
// Shares of a whole: sums of up to a thousand floats round so far, hardly further. More would let values grow.
#define SFNEC_SHARES_MOST 1.0001f
// What is not known of a weight is at most 1 in any reward that learned; a file may claim any covariance.
#define SFNEC_UNCERTAINTY_MOST 1e30
#define SFNEC_SEEN_MOST 1e30f    // transitions behind a prediction
#define SFNEC_SCALE_MOST 1e30f   // of a component, in a file
#define SFNEC_SQUARES_MOST 1e100 // of a sum of squared changes, which floats do not reach in the time there is
// As floats, discount factors nearer to 1 are 1, by which a value would not be finite.
#define SFNEC_GAMMA_MOST 0.999999f
#define SFNEC_GAMMA_LEAST 1e-6 // by which a target is divided
enum {
  SFNEC_COUNT_KNOWN = 1 << 30
}; // transitions that a sample is known to stand for, at most: two of them fit 32 bits

// ---- the same, alike, near ----

// Squared, in steps or radii. Rounding puts a point that comes again no further than a thousandth away.
#define SFNEC_SAME_SQUARED 1e-6f
// Squared, in radii. Samples that began within a tenth of a radius began in the same state.
#define SFNEC_ORIGIN_SQUARED 0.01f
// Squared, in radii. Samples whose origins and moves differ by less than a quarter of a radius, together, are merged.
#define SFNEC_MERGE_SQUARED 0.0625f
// Squared, in steps or of the longer move. Moves that differ by less than half of it went the same way.
#define SFNEC_TURN_SQUARED 0.25f
// Of the greatest magnitude of a feature. Features that differ by more are different rewards.
#define SFNEC_FEATURE_DIFFERS 0.1f
// Radius squared over this, an eighth of a radius: nearer than that a key is where the other is, and distances to it
// say nothing of how much it counts.
#define SFNEC_COINCIDENCE 64.0f
// Steps. Where states come again exactly, a sample that is nearer is one of the same state. In fruit-tree-v0 branches
// lie nearer than this, so no more than a radius counts either.
#define SFNEC_APART 0.1f
// Steps. As far as a move leads, with half a step to spare.
#define SFNEC_MOVE_REACH 1.5f

// ---- states ----

enum {
  SFNEC_STATE_NEIGHBOURS = 32, // states that a state knows around it
  SFNEC_NEAREST = 4,           // states looked at for the nearest one, as some of them are ends of episodes
  SFNEC_ROOM_FIRST = 16,       // states, blocks and effects that there is room for at first
  SFNEC_MASKS_OF_STATE = 16,   // masks of actions that a state keeps, for as many kinds of contexts
  SFNEC_SAMPLES_FIRST = 64,    // samples likewise
};

// ---- noise on observations (noise.c) ----

enum {
  SFNEC_NOISE_COMPONENTS_LEAST = 8,  // below, there are too few directions to see an even spectrum
  SFNEC_NOISE_COMPONENTS_MOST = 512, // the work grows with the square
  SFNEC_NOISE_ROWS_EACH = 2,         // observations for each component, at least: with fewer the spectrum is not even
  SFNEC_NOISE_ROWS_MOST = 1024,      // that are enough
  SFNEC_NOISE_RANK_MOST = 32,        // directions of the signal that are looked for
};
// Correlation of noise with the next observation, at most.
#define SFNEC_NOISE_WHITE 0.2
// Times its mean variance: what noise has in its greatest direction, as components have different scales.
#define SFNEC_NOISE_EVEN 3.0
// Lengths of the noise of one key: the radius of a state at least, so that nearly all visits of the same point are in
// its state. With 1.2 (half of the visits) four rooms with noise of sd 0.03 earn 75 % of the optimum instead of 90.
#define SFNEC_NOISE_RADIUS 3.0f
// Steps: what noise makes of a radius at most. With 1.2 or 2.5 noise of sd 0.1 costs a fifth more.
#define SFNEC_NOISE_RADIUS_STEPS 1.75f
// Times the expected square of that length: moves that differ by less than that may be the same. With 2 some that are
// not are merged, with 0 hardly any.
#define SFNEC_NOISE_MERGES 1.0f

// ---- noise on observations of few components (filter.c, filter_fit.c) ----

enum {
  SFNEC_FILTER_FIRST = 150, // transitions before the first fit, then twice as many each: half show too little
  SFNEC_FILTER_ROWS = 2048, // transitions that a fit goes over: bounds the time of a pass
  SFNEC_FILTER_DEGREE = 3,  // of the dynamics, at most
  SFNEC_FILTER_TURNS = 4,   // of expectation maximisation: more change little, as the process noise is scaled
  SFNEC_FILTER_SCALES = 3,  // of the process noise that are compared in each: 1, 1/4, 1/16
};
// Standard deviations of a component: numbers further from its mean count as that far.
#define SFNEC_FILTER_AWAY 1e6
// Standard deviations of a component: over which the slope of the dynamics is measured.
#define SFNEC_FILTER_DIFFERENCE 0.01
// Standard deviations beyond what is expected, from which an observation is a jump of the state.
#define SFNEC_FILTER_GATE 6.0
// Relative to the mean diagonal, and absolute: what keeps regressions solvable.
#define SFNEC_FILTER_RIDGE 1e-6
// Consecutive residuals are suspected of noise if they are correlated by less than minus this (pure noise: -0.5; with
// less the dynamics are off by more than the noise, and filtering is worth little), and in standard errors.
#define SFNEC_FILTER_CORRELATION 0.2
#define SFNEC_FILTER_Z 4.0
// Variance of noise, of that of the component: less is rounding, or does no harm (noise of 1 % of the range: 2e-3).
#define SFNEC_FILTER_NOISE_LEAST 1e-5
// Of the power of residuals, what noise and process noise are at first, at least.
#define SFNEC_FILTER_SHARE_LEAST 0.01
// Of the noise, what the process noise is at least.
#define SFNEC_FILTER_PROCESS_LEAST 1e-5
// Of the root mean square of moves, the noise of some component, at least: a state is five times as wide, and averages
// it. In navigation, with noise of 0.08, walls make a filter lose a fifth.
#define SFNEC_FILTER_MATTERS 0.1
// Log likelihood per transition that a filter must gain: what gains less changes nothing.
#define SFNEC_FILTER_GAIN 0.1

// ---- noise on features (feature_noise.c) ----

enum {
  SFNEC_FEATURE_NOISE_LEAST = 100, // transitions, at least
  SFNEC_FEATURE_NOISE_ROWS = 2048, // that are looked at: bounds the work
};
// Of a normal distribution, the median magnitude in standard deviations (filter_regress.c too).
#define SFNEC_NORMAL_MEDIAN 0.6745
// Share of the values that are usual, at least: a feature that differs more often is no sparse one.
#define SFNEC_FEATURE_NOISE_USUAL 0.75
// Correlation of deviations with those of the last two steps, at most.
#define SFNEC_FEATURE_NOISE_WHITE 0.15
// Share of their power that the action explains, beyond chance, at most.
#define SFNEC_FEATURE_NOISE_EXPLAINED 0.05

// ---- fitting (fit.c) ----

enum {
  SFNEC_MOVES_LEAST = 10,        // of an action before their length says what a step is
  SFNEC_MEASURED = 4096,         // transitions that scales and steps are measured by: bounds the work
  SFNEC_EXPLAINED_MOVES = 512,   // of an action that say whether they are noise: bounds the work
  SFNEC_PCA_OBSERVATIONS = 4096, // that pca is fitted to: bounds the work
};
// Share of the power of an action's moves that the state explains, if they are no noise.
#define SFNEC_EXPLAINED_SHARE 0.5
// Squared, of scaled components: what moves less does not move.
#define SFNEC_MOVED_SQUARED 1e-12f
// Of the median move: an action whose own median is shorter makes a shorter step.
#define SFNEC_SHORT 0.5f
// Steps: the radius of states in a tabular regime, and in a continuous one at least.
#define SFNEC_RADIUS_TABULAR 1e-3f
#define SFNEC_RADIUS_LEAST 2e-3f
// Times the radius, when there are too many states: a fit halves their number in two dimensions.
#define SFNEC_COARSER 1.4f
// Steps that the polynomial is off on average, above which walls interrupt moves: values are then not balanced. With
// walls a mean is more, as one wall costs a step.
#define SFNEC_SMOOTH 0.075f

// ---- samples (samples.c) ----

// The least share that a transition has in the mean of a sample: the mean is one of the last 50 or so, as worlds
// change.
#define SFNEC_MEAN_RATE 0.02f
// Per move. Whether states come again is counted over the last 1,000 moves or so.
#define SFNEC_RETURNS_DECAY 0.999
// Share of moves that end where a state is to the bit, above which states come again.
#define SFNEC_RETURNS_SHARE 0.5

// ---- predictions (predict.c) ----

enum {
  SFNEC_OUTCOME_STATES = 12,     // states that an action leads to, at most: the least share goes to another one
  SFNEC_PREDICTION_OUTCOMES = 8, // different things that it may do to the context, at most
  SFNEC_PREDICTION_RELEVANT = 8, // components of the context that it may change, at most
  SFNEC_SHARES = 64,             // samples that a prediction looks at: 8 of 8 states (option samples)
  SFNEC_DONORS = 12,             // states that share their samples: more cost time, as the nearest 5 are used
  SFNEC_CONDITIONS = 4,          // groups of contexts that are distinguished, and contexts in which an end is tried
  SFNEC_SEEN_ENOUGH = 5,         // transitions seen in the very state that count alone where outcomes are random
  SFNEC_CHANCE_FEW = 3,          // transitions: an end that was seen less often may be chance...
  SFNEC_CHANCE_MUCH = 30,        // ...until so many speak against it. Without this bound an agent never opened a door
};
// Radii. Samples nearer than this count no more for being nearer.
#define SFNEC_WEIGH_NEAR 0.05f
// Squared, of the distance to the furthest sample used: samples of other contexts count as far as that.
#define SFNEC_CONDITION_SQUARED 4.0f
// Repeated transitions before their share that surprised is believed, and the share from which on chance plays a part.
#define SFNEC_REPEATS_LEAST 20.0
#define SFNEC_RANDOM_SHARE 0.1f

// ---- interpolation (interpolate.c) ----

enum {
  SFNEC_INTERPOLATION_MOST = 16, // states of a value (option interpolation)
  SFNEC_BALANCE_TURNS = 8,       // of the shift. Half or twice: flat; 1: as without (Acrobot -86 instead of -81)
};
// Times what a turn finds off; along a line it would only swing.
#define SFNEC_BALANCE_EAGER 2.0f
// That a turn may mend: what it multiplies by stays a number.
#define SFNEC_BALANCE_MOST 100.0f

// ---- the polynomial (polynomial.c) ----

enum {
  SFNEC_POLYNOMIAL_KEY = 16,        // numbers of a key, at most
  SFNEC_POLYNOMIAL_TERMS = 209,     // of a polynomial, without the constant, at most: those of degree 4 in 6 numbers
  SFNEC_POLYNOMIAL_DEGREE = 2,      // at least...
  SFNEC_POLYNOMIAL_DEGREE_MOST = 4, // ...and at most. Acrobot's moves: off by .33 radii with 2, .1 with 4
  SFNEC_POLYNOMIAL_SAMPLES = 2048,  // that a fit of an action looks at: bounds the work
  SFNEC_POLYNOMIAL_EACH = 4,        // samples of each term, at least
  SFNEC_POLYNOMIAL_JUDGED = 4,      // of so many samples one is held back to judge the fit
};
// Ridge, times the number of samples. A thousandth of it: Acrobot often never arrives at 1,000 steps; flat at 5,000.
#define SFNEC_POLYNOMIAL_RIDGE 1e-3
// Of the error, what a correction or a higher degree may leave, at most.
#define SFNEC_POLYNOMIAL_BETTER 0.7
// In standard deviations, how far a number counts as from the middle, at most: powers of it stay numbers.
#define SFNEC_POLYNOMIAL_AWAY 1e3f
// Standard deviation of a component that varies: less is rounding.
#define SFNEC_POLYNOMIAL_SPREAD 1e-9
// What keeps the regression of moves on states solvable: relative to a diagonal, and absolute.
#define SFNEC_EXPLAINED_RIDGE 1e-9
#define SFNEC_EXPLAINED_RIDGE_LEAST 1e-12

// ---- scales (scaling.c) ----

enum {
  SFNEC_SCALING_VALUES = 8, // most values of a slow component: more are a scale
  SFNEC_RARE = 10,          // a component is rare that changes in fewer than one of so many moves
  SFNEC_QUICK = 20,         // transitions from a change to the next that is quick
  SFNEC_SLOW_QUICK = 4,     // a slow component changes quickly in at most one of so many changes
};
// The range of a component that is not constant: less is rounding.
#define SFNEC_RANGE_LEAST 1e-9
// Of the range, what the changes of a component count as at least: a scale stays a number.
#define SFNEC_CHANGE_LEAST 1e-4
// A scale that is off by more than a quarter, either way, is fitted again: states are rebuilt for it.
#define SFNEC_SCALE_FELL 0.8f
#define SFNEC_SCALE_GREW 1.25f

// ---- corrections of overestimated actions (correction.c) ----

enum {
  SFNEC_CORRECTIONS = 256, // of a played episode that are kept: then the oldest ones give way
  SFNEC_CIRCLES = 4,       // visits of a state in one episode that are suspicious
};
// Of the reward scale, by which a target is missed; or, where values are small beside it, of what a step without reward
// discounts.
#define SFNEC_MISSED_SCALE 0.05f
#define SFNEC_MISSED_DISCOUNT 0.5f
// Times the discount, by which an action is lowered: one that is overestimated should give way soon.
#define SFNEC_LOWERED 2.0f
// Steps between two states, at least, when one is made to leave circles.
#define SFNEC_REFINED 0.2f

// ---- optimism and uncertainty (optimism.c, uncertainty.c) ----

enum {
  SFNEC_EXPLOIT_AFTER = 500, // transitions without a reward until it exploits, for as many. 200 to 1,000: flat
  SFNEC_IDLE = 100,          // transitions without trying anything new until it asks if the bonus is enough
};
#define SFNEC_OPTIMISM_MOST 100.0f // times the bonus, of an agent that knows no reward
// Uncertainty of a weight (0: known, 1: nothing is known of it) above which the plan is one to find out.
#define SFNEC_UNCERTAIN 0.5

// ---- rewards and the bonus (backup.c) ----

// The least scale of rewards, and of a feature, that is divided by or multiplied with; less counts as none.
#define SFNEC_GREATEST_LEAST 1e-30
// Times the greatest reward of a known feature: the reward that one with an unknown weight may have.
#define SFNEC_IN_DOUBT 2.0
// Times the scale of rewards, what optimism makes of the bonus at most: values stay numbers.
#define SFNEC_BONUS_MOST 1e6f
// Steps to the nearest sample from which on an action is novel, and over which it becomes all of it.
#define SFNEC_NOVEL_FROM 0.5f
#define SFNEC_NOVEL_OVER 1.5f
// Times the randomness, over the root of the transitions seen, what is novel where chance plays a part. With half of it
// a seed in four of FrozenLake kept a wrong action at a state that it seldom saw.
#define SFNEC_RANDOM_NOVELTY 2.0f

// ---- planning (planner_learn.c, replan.c, trajectory.c, solve.c) ----

enum {
  SFNEC_FIT_FIRST = 200,        // transitions until all scales are tested for a refit, then twice as many, and so on
  SFNEC_FIT_EVERY = 100,        // transitions between two tests whether a slow component turned out to be fast
  SFNEC_SOLVE_EVERY = 500,      // transitions until what first values of tables are made of is solved again
  SFNEC_STALE_EVERY = 200,      // transitions until all tables count as stale, where there are several
  SFNEC_TIDY = 4,               // states per transition whose predictions are made again: bounds the time of a step
  SFNEC_ONE_TABLE = 5,          // times fewer backups with one table: a fifth earns as much where there are no effects
  SFNEC_HASTY = 20,             // times fewer backups for a plan that only finds out about weights: it is soon replaced
  SFNEC_QUIET = 10,             // trajectories in a row that change nothing: the plan is made
  SFNEC_TRAJECTORY_STEPS = 200, // of a trajectory, at most
  SFNEC_TABLE_TURNS = 2,        // sweeps of a table at a time, forth and back
  SFNEC_TABLES_FEW = 64,        // tables that are all kept swept, where some effect has no reward of its own
  SFNEC_TABLES_MOST = 4096,     // tables: with more, planning begins again...
  SFNEC_TABLE_VALUES = 1 << 25, // ...and with more values in all of them, which are 128 megabytes
  SFNEC_CONTEXTS_MOST = 1 << 16, // contexts: when planning has met more, it forgets them all
  SFNEC_EFFECTS_MOST = 1024,     // effects: with more there are no contexts, as each costs values of all states
};
// Times the backups of a step that may be saved up, or owed.
#define SFNEC_DEBT_MOST 10.0
// Of the scale of rewards, and of a chance: the change of a sweep after which it is done.
#define SFNEC_SWEEP_TOLERANCE 1e-3f
// Change of w, in the scale of rewards, that values follow, and the one for which they are made from nothing.
#define SFNEC_NEWS 0.01
#define SFNEC_GREAT_NEWS 0.25

// ---- the planner (planner.c) and its questions (ask.c, rollout.c, views.c) ----

enum {
  SFNEC_SWEEPS = 200, // of what is iterated until it hardly changes, at most
  SFNEC_TRAJECTORY_TABLES =
      64, // that a trajectory comes through, at most: values and memory of a plan in the middle of one
  SFNEC_QUESTION_PLANS = 4,  // that a scratch keeps, of weights asked about in turns: time against memory
  SFNEC_PSI_TABLES = 256,    // that psi is swept over: what lies behind counts nothing
  SFNEC_PLAN_WARM_UP = 100,  // transitions before the first fit, by random actions
  SFNEC_PLAN_PATH = 256,     // states of the episode that are backed up at its end
  SFNEC_ROLLOUT_STEPS = 20,  // of a rollout, at most. LunarLander: 60 as 12
  SFNEC_ROLLOUT_ASKED = 200, // actions of imagined states for one decision: bounds the time
};
// Per step, of what the next one counts in a mean. Acrobot at 5,000 steps: 1 -241, 0.95 -133, 0.8 -91, 0.6 -86.
#define SFNEC_ROLLOUT_LAMBDA 0.6f
// Of what the end may still count: a rollout with less left is over.
#define SFNEC_ROLLOUT_LEFT 0.01f
// Steps that a polynomial is off, at least: what is divided by it stays a number.
#define SFNEC_ERROR_LEAST 1e-9f
// Of the greatest magnitude of a feature: the change of a sweep of psi after which it is done.
#define SFNEC_PSI_TOLERANCE 1e-4f
// Share of an outcome above which the episode ends with it, or nothing moves: then a rollout or a path ends.
#define SFNEC_PATH_LIKELY 0.5f
// Squared, in steps: a path whose next state is nearer than a hundredth stands still.
#define SFNEC_PATH_SQUARED 1e-4f

#endif
