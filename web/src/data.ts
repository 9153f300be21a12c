// data.ts: the data that `sfnec report` puts into the page; src/show/report/data.h is the other side.
import type { Charted, Session, Stepped, TaskNumbers } from './records';
import type { World } from './world';

export type Numbers = (number | null)[];

export interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
}

export interface Curve {
  x: number[];
  runs: number[];
  mean: Numbers;
  se: Numbers;
  iqm: Numbers;
  low: Numbers;
  high: Numbers;
  values?: Numbers[]; // of the single runs; for curves over episodes and steps only
}

export interface Run extends TaskNumbers {
  id: string;
  seed: string;
  state: string;
  error: string | null;
  tasks_wanted: number;
  uses?: number[][];
}

export interface Stats {
  count: number;
  scores: number[];
  se: number | null;
  mean: Estimate;
  median: Estimate;
  iqm: Estimate;
  profile: Estimate[];
  paired?: { count: number; better: number; worse: number; mean: Estimate; se: number | null; p: number };
  improvement?: Estimate;
  contender?: { sweep: number; mean: number; chance: number | null; possible: boolean };
}

export interface Configuration {
  name: string;
  label: string;
  preset: string;
  style: number; // its number in palette.ts, and that of its agent where all points of a sweep share one
  agent_style: number;
  point: string;
  settings: Record<string, string>;
  options: Record<string, string>;
  env_options: Record<string, string>;
  runs: Run[];
  uses: number[][];
  curves: Partial<Record<CurveKind, Curve>>;
  stats: Stats | null;
  by_weights?: Numbers; // return of an episode in the last evaluation, by weight vector
  front?: { means: number[]; front: boolean }[]; // features of an episode under each, and whether that is on the Pareto front
}

// what is recorded of a task, what follows from it, the return of an episode against episodes, and what is recorded over
// steps
export type CurveKind = Charted | 'average' | 'regret' | 'microseconds' | 'episodes' | 'evaluation' | Stepped;

export interface Verdict {
  agent: string;
  settings: Record<string, string>;
  task: number;
  published: number;
  published_se: number | null;
  source: string | null;
  configuration?: number;
  count?: number;
  mean?: number;
  se?: number | null;
  errors?: number | null;
}

export interface Frame {
  x: number;
  y: number;
  action: number;
  policy: number;
  explored: boolean;
  reward: number;
  taken: number[];
  q: Numbers;
  path?: number[]; // of an agent that plans: x, y after each of the next steps
}

export interface ReplayData extends World {
  env: string;
  label: string;
  unsupported?: boolean;
  seed: number;
  task: number;
  w: number[];
  total: number;
  terminated: boolean;
  class_names?: string[];
  action_names: string[];
  policy_count: number;
  frames: Frame[];
  value_map: { columns: number; rows: number; values: Numbers };
  memories: [number, number][];
  places?: [number, number, number][]; // states of the model of an agent that plans; the third is 1 where some action was never tried
}

export interface Replay {
  configuration: number;
  error?: string;
  data?: ReplayData;
}

export interface Report {
  format: number;
  version: string;
  made: string;
  name: string;
  title: string;
  env: string;
  tasks: number;
  steps: number;
  episodes: number;
  spec: string;
  spec_path: string | null;
  reload: number; // the page reads itself anew after so many seconds; 0: never
  coverage: { task: number; wanted: number; done: number; failed: number; counted: number; early: number };
  metric: { name: string; help: string; is_return: boolean; less_is_better: boolean }; // what the results are judged by
  reference: number;
  resamples: number;
  curve_resamples: number;
  episode_window: number;
  sessions: Session[];
  taus: number[];
  optimum: Partial<Record<CurveKind, Curve>>; // for figures of the return
  feature_names: string[];
  configurations: Configuration[];
  verdicts: Verdict[];
  sweeps: { label: string; points: number; seeds: number; best: number; possible: number }[];
  replays: Replay[];
}

// The values of one run along a curve over tasks.
export function runValues(run: Run, kind: CurveKind): Numbers {
  switch (kind) {
    case 'average': {
      let sum = 0;
      return run.total.map((value, task) => (sum += value) / (task + 1));
    }
    case 'regret':
      return run.total.map((value, task) => (run.optimum[task] == null ? null : run.optimum[task]! - value));
    case 'microseconds':
      return run.seconds.map((seconds, task) => (run.steps[task] ? (1e6 * seconds) / run.steps[task] : null));
    default:
      return kind in run ? run[kind as Charted] : []; // those over episodes and steps are told with the curve
  }
}

// One experiment, or several.
export function readReports(): Report[] {
  const data = JSON.parse(document.getElementById('data')!.textContent!) as Report | Report[];
  return Array.isArray(data) ? data : [data];
}
