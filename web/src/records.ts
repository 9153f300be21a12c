// records.ts: what is recorded, made from the tables of src/run/record.c and src/study/store/session.c by
// tests/web/tool_records.c. Do not edit it; tests/web/records.sh says when and how to make it again.

// Of a run: one number per task.
export interface TaskNumbers {
  total: number[]; // undiscounted reward summed over the task's transitions
  steps: number[]; // transitions of the task
  episodes: number[]; // episodes that ended in the task, the one cut off by its end included
  goals: number[]; // episodes that terminated
  entries: number[]; // episodic entries of the whole agent at the task's end
  w_error: number[]; // distance of the agent's w from the task's at the task's end; 0 if w is given or not used
  seconds: number[]; // wall time of the task
  optimum: (number | null)[]; // the most that the task can earn without noise; NaN if that is not known
  places: number[]; // representative states of the model at the task's end; 0 for an agent that does not plan
}

// One start of the program.
export interface Session {
  version: string; // of the program
  host: string; // name of the machine
  machine: string; // its processor
  cores: number; // that it has
  system: string; // operating system
  simd: string; // instruction-set level in use
  workers: number; // jobs at the same time, of all ranks
  ranks: number; // processes
  command: string | null; // command line that goes on with the study
  started: string; // when, in UTC
  ended: string | null; // when; missing while it runs and if it was killed
  how: string | null; // how it ended: done, interrupted, failed or killed
}

// The columns of a table of tasks, in their order; the average so far comes after the headline.
export const taskColumns: { name: keyof TaskNumbers; heading: string; headline: boolean }[] = [
  { name: 'total', heading: 'return', headline: true },
  { name: 'steps', heading: 'steps', headline: false },
  { name: 'episodes', heading: 'episodes', headline: false },
  { name: 'goals', heading: 'goals', headline: false },
  { name: 'entries', heading: 'entries', headline: false },
  { name: 'w_error', heading: 'w_error', headline: false },
  { name: 'seconds', heading: 'seconds', headline: false },
  { name: 'optimum', heading: 'optimum', headline: false },
  { name: 'places', heading: 'places', headline: false },
];

// The numbers that are drawn against tasks; a level is what is there at the task's end.
export type Charted = 'total' | 'goals' | 'entries' | 'w_error' | 'places';
export const taskCurves: { key: Charted; title: string; headline: boolean; level: boolean }[] = [
  { key: 'total', title: 'Return of each task', headline: true, level: false },
  { key: 'goals', title: 'Goals reached in a task', headline: false, level: false },
  { key: 'entries', title: 'Entries in memory', headline: false, level: true },
  { key: 'w_error', title: 'Distance of the learned w from the true one', headline: false, level: false },
  { key: 'places', title: 'States of the model', headline: false, level: true },
];

// The numbers of bins that are drawn against environment steps.
export type Stepped = 'step_total' | 'step_episode_return' | 'step_episode_steps' | 'step_exploration' | 'step_loss' | 'step_entries' | 'step_places';
export const stepCurves: { key: Stepped; title: string }[] = [
  { key: 'step_total', title: 'Reward of a step' },
  { key: 'step_episode_return', title: 'Return of an episode' },
  { key: 'step_episode_steps', title: 'Length of an episode' },
  { key: 'step_exploration', title: 'Share of random actions' },
  { key: 'step_loss', title: 'Loss of psi' },
  { key: 'step_entries', title: 'Entries in memory' },
  { key: 'step_places', title: 'States of the model' },
];
