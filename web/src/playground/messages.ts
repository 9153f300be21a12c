// messages.ts: what the page and the worker of an agent tell each other.
import type { World } from '../world';
import type { State } from './engine';

export const PRESETS = ['sfnec-plan', 'sfnec-plus', 'sfnec'] as const;
export type Preset = (typeof PRESETS)[number];

export interface Training {
  seed: number;
  tasks: number;
  steps: number; // of each task
}

export interface Wanted {
  w: number[];
  version: number; // of w; counts its changes
  rate: number; // steps per second; 0: paused, Infinity: as many as there is time for
  share: number; // of a core that the agent may use then, so that the page can draw
  learn: boolean;
  values: boolean;
  memories: boolean; // and places
  plan: boolean; // the planned path
}

export type ToWorker =
  | { kind: 'open'; module: WebAssembly.Module; preset: Preset; training: Training; wanted: Wanted }
  | { kind: 'wanted'; wanted: Wanted }
  | { kind: 'step' }
  | { kind: 'restart' }
  | { kind: 'new-task' }
  | { kind: 'save'; trained: boolean };

// One step of the agent: where it ended.
export interface Step {
  x: number;
  y: number;
  policy: number; // whose it followed; -1: a random step
  ended: boolean; // its episode
}

// What is known about the time since the weights were changed.
export interface Tally {
  version: number;
  steps: number;
  total: number; // return
  episodes: number;
  optimum: number; // the most that 1,000 steps earn
}

export const SIDE = 30; // positions of the value map along a side
export const BIN = 50; // steps of a point of the curve

export type FromWorker =
  | { kind: 'opened'; world: World }
  | { kind: 'training'; done: number; state: State; steps: Step[] }
  | { kind: 'trained'; size: number }
  | { kind: 'frame'; state: State; steps: Step[]; bins: number[]; tally: Tally; perSecond: number } // bins: returns of BIN steps each
  | { kind: 'values'; values: Float64Array }
  | { kind: 'spots'; memories: number[][]; places: number[][]; path: number[][] }
  | { kind: 'saved'; trained: boolean; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'failed'; message: string };
