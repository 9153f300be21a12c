// setting.ts: what the user has chosen, for all agents, and who wants to know.
import { PRESETS, type Preset, type Training, type Wanted } from './messages';

export const FEATURES = ['circle', 'square', 'triangle', 'goal'] as const;

// Rewards to begin with; each is w.
export const EXAMPLES: [string, number[]][] = [
  ['Circles', [1, 0, 0, 1]],
  ['Squares', [0, 1, 0, 1]],
  ['Avoid squares', [0.5, -1, 0.5, 1]],
  ['Everything', [1, 1, 1, 1]],
  ['Only the goal', [0, 0, 0, 1]],
  ['The goal costs', [1, 1, 1, -1]],
];

export interface Layers {
  values: boolean;
  memories: boolean;
  plan: boolean;
  trail: boolean;
  policies: boolean;
}

type Listener = () => void;

export class Setting {
  w: number[] = [...EXAMPLES[0][1]];
  version = 0;
  rate = 30;
  playing = true;
  learn = true;
  layers: Layers = { values: true, memories: false, plan: true, trail: true, policies: true };
  agents: Preset[] = [...PRESETS];
  training: Training = { seed: 1, tasks: 3, steps: 2000 };
  private readonly listeners: Listener[] = [];

  // Choices can come with the address: playground.html#seed=3&tasks=2&steps=5000&agents=sfnec,sfnec-plan&w=1,0,0,1
  constructor(hash: string, narrow: boolean) {
    if (narrow) this.agents = ['sfnec-plan'];
    const words = new URLSearchParams(hash.replace(/^#/, ''));
    const whole = (key: string, least: number, most: number, or: number) => {
      const value = Number(words.get(key) ?? NaN);
      return Number.isInteger(value) && value >= least && value <= most ? value : or;
    };
    const { seed, tasks, steps } = this.training;
    this.training = { seed: whole('seed', 0, 2 ** 32 - 1, seed), tasks: whole('tasks', 1, 20, tasks), steps: whole('steps', 10, 100000, steps) };
    const agents = PRESETS.filter((p) => words.get('agents')?.split(',').includes(p));
    if (agents.length) this.agents = agents;
    const w = words.get('w')?.split(',').map(Number) ?? [];
    if (w.length === FEATURES.length && w.every((x) => x >= -1 && x <= 1)) this.w = w;
  }

  get wanted(): Wanted {
    const { w, version, learn, layers } = this;
    // one core is for drawing
    const share = Math.min(1, Math.max(1, (navigator.hardwareConcurrency || 2) - 1) / Math.max(1, this.agents.length));
    return { w, version, learn, share, rate: this.playing ? this.rate : 0, values: layers.values, memories: layers.memories, plan: layers.plan };
  }

  follow(listener: Listener): void {
    this.listeners.push(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  setWeights(w: number[]): void {
    this.w = w;
    this.version++;
    this.changed();
  }
}
