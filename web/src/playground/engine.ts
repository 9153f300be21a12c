// engine.ts: libsfnec as WebAssembly: one agent in the four rooms; web/playground/playground.h is the other side.

import type { World } from '../world';

// The order of playground_state.
const STATE = ['x', 'y', 'taken', 'action', 'policy', 'explored', 'reward', 'ended', 'episodeSteps', 'episodeTotal',
  'tasks', 'entries', 'places', 'bytes'] as const;

export type State = Record<(typeof STATE)[number], number>;

type Native = (...values: number[]) => number;

// What the module asks of its surroundings. The library opens no file here and reads no variable: all of that fails, or
// is empty. Times go into no agent.
function surroundings(module: WebAssembly.Module, memory: () => DataView): WebAssembly.Imports {
  const known: Record<string, (...values: never[]) => number> = {
    environ_sizes_get: (count: number, size: number) => (memory().setUint32(count, 0, true), memory().setUint32(size, 0, true), 0),
    environ_get: () => 0,
    emscripten_notify_memory_growth: () => 0,
    clock_time_get: (_clock: number, _precision: bigint, at: number) => (memory().setBigUint64(at, BigInt(Math.round(1e6 * performance.now())), true), 0),
  };
  const imports: Record<string, Record<string, (...values: never[]) => number>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module))
    if (kind === 'function') (imports[from] ??= {})[name] = known[name] ?? (from === 'env' ? () => -52 : () => 52); // ENOSYS
  return imports;
}

export class Engine {
  readonly world: World;
  private readonly call: Record<string, Native>;
  private readonly memory: WebAssembly.Memory;
  private readonly self: number;
  private readonly out: number; // where the module writes a count
  private readonly weights: number; // (4) doubles

  private constructor(instance: WebAssembly.Instance, preset: string, seed: number, tasks: number, steps: number) {
    this.call = instance.exports as unknown as Record<string, Native>;
    this.memory = instance.exports.memory as WebAssembly.Memory;
    this.out = this.call.malloc(8);
    this.weights = this.call.malloc(32);
    const name = this.call.malloc(preset.length + 1);
    new Uint8Array(this.memory.buffer, name, preset.length + 1).set([...new TextEncoder().encode(preset), 0]);
    this.self = this.call.playground_open(name, seed, tasks, steps);
    this.call.free(name);
    if (!this.self) throw new Error(this.error());
    const goal = this.list('goal', 3)[0];
    this.world = {
      walls: this.list('walls', 4) as World['walls'],
      objects: this.list('objects', 3).map(([x, y, k]) => ({ x, y, class: k })),
      goal: { x: goal[0], y: goal[1], radius: goal[2] },
      glyphs: ['circle', 'square', 'triangle'],
    };
  }

  static async start(module: WebAssembly.Module, preset: string, seed: number, tasks: number, steps: number): Promise<Engine> {
    let memory: WebAssembly.Memory | null = null;
    const instance = await WebAssembly.instantiate(module, surroundings(module, () => new DataView(memory!.buffer)));
    memory = instance.exports.memory as WebAssembly.Memory;
    (instance.exports._initialize as () => void)();
    return new Engine(instance, preset, seed, tasks, steps);
  }

  train(most: number): void {
    this.check(this.call.playground_train(this.self, most));
  }

  get tasksDone(): number {
    return this.call.playground_get_tasks_done(this.self);
  }

  // The most that 1,000 steps under the present weights can earn, on average over a long time.
  get optimum(): number {
    return this.call.playground_get_optimum(this.self);
  }

  beginTask(w: number[]): void {
    this.check(this.call.playground_begin_task(this.self, this.put(w)));
  }

  setWeights(w: number[]): void {
    this.check(this.call.playground_set_weights(this.self, this.put(w)));
  }

  step(learn: boolean): void {
    this.check(this.call.playground_step(this.self, learn ? 1 : 0));
  }

  restart(): void {
    this.check(this.call.playground_restart(this.self));
  }

  state(): State {
    const numbers = this.doubles(this.call.playground_state(this.self), STATE.length);
    return Object.fromEntries(STATE.map((key, i) => [key, numbers[i]])) as State;
  }

  // max Q over the positions, as far as it is known; whether a round of questions is complete.
  values(side: number, most: number): { values: Float64Array; complete: boolean } {
    const at = this.call.playground_values(this.self, side, most, this.out);
    const complete = new Uint8Array(this.memory.buffer)[this.out] !== 0;
    return { values: at ? this.doubles(at, side * side).slice() : new Float64Array(0), complete };
  }

  spots(which: 'memories' | 'places' | 'path'): number[][] {
    return this.list(which, 3);
  }

  save(): Uint8Array<ArrayBuffer> {
    const at = this.call.playground_save(this.self, this.out);
    if (!at) throw new Error(this.error());
    return new Uint8Array(this.memory.buffer, at, this.count()).slice() as Uint8Array<ArrayBuffer>;
  }

  private list(which: string, width: number): number[][] {
    const at = this.call[`playground_${which}`](this.self, this.out);
    const all = this.doubles(at, width * this.count());
    return Array.from({ length: this.count() }, (_, i) => [...all.subarray(width * i, width * (i + 1))]);
  }

  private count(): number {
    return new DataView(this.memory.buffer).getUint32(this.out, true);
  }

  private put(w: number[]): number {
    this.doubles(this.weights, w.length).set(w);
    return this.weights;
  }

  // memory that grows is another buffer, so that views are made anew each time
  private doubles(at: number, count: number): Float64Array {
    return new Float64Array(this.memory.buffer, at, count);
  }

  private error(): string {
    const bytes = new Uint8Array(this.memory.buffer), at = this.call.playground_get_error();
    return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  private check(status: number): void {
    if (status) throw new Error(this.error());
  }
}
