// replay.ts: the agents on the same task, side by side, step by step.
import type { Report, ReplayData } from './data';
import { choice, h, number, numberLike, section, signed } from './dom';
import { saver, svgOfCanvas } from './save';
import { followTheme } from './theme';
import { drawWorld, paintHeat } from './world';

interface Layers {
  values: boolean;
  memories: boolean;
  trail: boolean;
}

class Scene {
  readonly element: HTMLElement;
  private readonly canvas = h('canvas', { role: 'img' });
  private readonly facts = h('p', { class: 'facts' });
  private readonly bars: { row: HTMLElement; fill: HTMLElement; text: HTMLElement }[];
  private readonly heat: HTMLCanvasElement | null;
  private readonly sums: number[];
  private step = 0;
  private readonly most: number; // the highest |Q|, the length of the longest bar

  constructor(readonly data: ReplayData, readonly name: string, private readonly layers: Layers) {
    let sum = 0;
    this.sums = [0, ...data.frames.map((f) => (sum += f.reward))];
    this.most = Math.max(1e-9, ...data.frames.flatMap((f) => f.q.map((q) => Math.abs(q ?? 0))));
    this.bars = data.action_names.map((text) => {
      const fill = h('span', { class: 'fill' }), value = h('span', { class: 'q' });
      return { fill, text: value, row: h('div', { class: 'q-row' }, h('span', { class: 'action' }, text), h('span', { class: 'track' }, fill), value) };
    });
    this.heat = paintHeat(data.value_map.columns, data.value_map.rows, data.value_map.values);
    this.element = h('figure', { class: 'scene' }, h('figcaption', {}, name), this.canvas,
      h('div', { class: 'q-values' }, ...this.bars.map((b) => b.row)), this.facts,
      saver(() => `replay-${name.replace(/[^\w.-]+/g, '-')}-task-${data.task + 1}`, () => svgOfCanvas(this.canvas, () => this.draw(this.step)),
        () => ({ head: ['step', 'x', 'y', 'action', 'policy', 'reward', ...data.action_names.map((a) => `q_${a}`)], rows: data.frames.map((f, k) => [k, f.x, f.y, data.action_names[f.action] ?? '', f.policy + 1, f.reward, ...f.q]) })));
  }

  get length(): number {
    return this.data.frames.length;
  }

  draw(step: number): void {
    this.step = step;
    const k = Math.min(step, this.length - 1), { frames, memories, places } = this.data, layers = this.layers;
    const taken = new Set(frames[k].taken);
    drawWorld(this.canvas, Math.min(420, this.element.clientWidth || 300), this.data, {
      x: frames[k].x, y: frames[k].y, taken: (i) => taken.has(i),
      heat: layers.values ? this.heat : null,
      memories: layers.memories ? memories : [], places: layers.memories ? places : [],
      trail: layers.trail ? frames.slice(0, k + 1) : undefined, path: layers.memories ? frames[k].path : [],
    });
    this.tell(k);
  }

  private tell(k: number): void {
    const frame = this.data.frames[k], own = this.data.policy_count - 1;
    this.bars.forEach((bar, a) => {
      const q = frame.q[a] ?? null;
      bar.fill.style.width = `${q === null ? 0 : (100 * Math.abs(q)) / this.most}%`;
      bar.fill.classList.toggle('negative', (q ?? 0) < 0);
      bar.row.classList.toggle('chosen', a === frame.action);
      bar.text.textContent = numberLike(q, this.most);
    });
    const policy = frame.policy < 0 ? 'the episode is over'
      : frame.explored ? 'a random step'
      : this.data.places ? 'its plan'
      : frame.policy === own ? 'its own policy' : `the policy of task ${frame.policy + 1}`;
    const text = `Step ${k} of ${this.length - 1}: ${policy}. Return so far ${signed(this.sums[k], 2)}.`;
    this.facts.textContent = text;
    this.canvas.setAttribute('aria-label', `${this.name}. ${text}`);
  }
}

class Player {
  readonly element: HTMLElement;
  private step = 0;
  private timer = 0;
  private perSecond = 10;
  private readonly last: number;
  private readonly play = h('button', { type: 'button', class: 'primary', click: () => this.toggle() }, 'Play');
  private readonly slider: HTMLInputElement;

  constructor(private readonly scenes: Scene[], layers: Layers) {
    this.last = Math.max(...scenes.map((s) => s.length - 1));
    this.slider = h('input', { type: 'range', min: 0, max: this.last, value: 0, 'aria-label': 'Step', input: () => this.go(Number(this.slider.value)) });
    const speed = h('select', { change: () => this.setSpeed(Number(speed.value)) },
      ...[2, 5, 10, 25, 60].map((n) => h('option', { value: n, selected: n === this.perSecond }, `${n} steps a second`)));
    const layer = (key: keyof Layers, text: string) => h('label', {}, h('input', { type: 'checkbox', checked: layers[key],
      change: (event: Event) => { layers[key] = (event.target as HTMLInputElement).checked; this.draw(); } }), text);
    this.element = h('div', { class: 'player' },
      h('div', { class: 'bar', role: 'group', 'aria-label': 'Replay' },
        this.play,
        h('button', { type: 'button', 'aria-label': 'One step back', click: () => this.go(this.step - 1) }, '◀'),
        h('button', { type: 'button', 'aria-label': 'One step on', click: () => this.go(this.step + 1) }, '▶'),
        h('button', { type: 'button', click: () => this.go(0) }, 'Restart'),
        this.slider, h('label', { class: 'choice' }, h('span', {}, 'Speed'), speed)),
      h('div', { class: 'bar' }, layer('values', 'Values'), layer('memories', scenes.some((s) => s.data.places) ? 'Memories and plans' : 'Memories'), layer('trail', 'Trail')),
      h('div', { class: 'scenes' }, ...scenes.map((s) => s.element)));
    followTheme(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  private draw(): void {
    for (const scene of this.scenes) scene.draw(this.step);
  }

  private go(step: number): void {
    this.step = Math.min(this.last, Math.max(0, step));
    this.slider.value = String(this.step);
    if (this.step === this.last) this.stop();
    this.draw();
  }

  private toggle(): void {
    if (this.timer) return this.stop();
    if (this.step === this.last) this.go(0);
    this.timer = window.setInterval(() => this.go(this.step + 1), 1000 / this.perSecond);
    this.play.textContent = 'Pause';
  }

  stop(): void {
    window.clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = 'Play';
  }

  private setSpeed(perSecond: number): void {
    this.perSecond = perSecond;
    if (!this.timer) return;
    this.stop();
    this.toggle();
  }
}

// why an agent is seen to pass through walls, where it may
function wallNote(report: Report): string {
  const jumped = report.env === 'four_rooms' && report.configurations.some((c) => c.env_options.walls !== 'segment');
  return jumped ? ' In the paper’s world a wall stops only a step that would end in it, so an agent can step over a thin wall; “walls: segment” in the spec stops such steps.' : '';
}

export function replaySection(report: Report): HTMLElement {
  const playable = report.replays.filter((r) => r.data && !r.data.unsupported);
  const body = section('replay', 'Replay');
  if (!playable.length) {
    const failed = report.replays.find((r) => r.error);
    body.append(h('p', {}, failed ? `No agent could be replayed: ${failed.error}`
      : report.replays.length ? 'This world has no positions to draw.'
      : 'No trained agents were kept, so there is nothing to replay. Put “record: {agents: first}” into the spec of a new experiment.'));
    return body;
  }
  const seeds = [...new Set(playable.map((r) => String(r.data!.seed)))], tasks = [...new Set(playable.map((r) => r.data!.task))].sort((a, b) => a - b);
  const layers: Layers = { values: true, memories: true, trail: true };
  const about = h('p', {}), place = h('div', {});
  let seed = seeds[0], task = playable[0].data!.task, player: Player | null = null;
  const show = () => {
    const chosen = playable.filter((r) => String(r.data!.seed) === seed && r.data!.task === task);
    player?.stop();
    about.textContent = `Each agent after its training, acting greedily on task ${task + 1} of seed ${seed}; w = (${chosen[0].data!.w.map((w) => number(w)).join(', ')}).`;
    player = new Player(chosen.map((r) => new Scene(r.data!, report.configurations[r.configuration].name, layers)), layers);
    place.replaceChildren(player.element);
  };
  show();
  body.append(
    h('div', { class: 'bar' },
      choice('Task', tasks.map((t): [string, string] => [String(t), `task ${t + 1}`]), String(task), (value) => { task = Number(value); show(); }),
      choice('Seed', seeds.map((s): [string, string] => [s, `seed ${s}`]), seed, (value) => { seed = value; show(); })),
    about, place,
    h('p', { class: 'note' }, `Ground colour: the value of each position at the start (the best action’s Q), from purple (low) to yellow (high), for each agent on its own scale. Small dots: remembered positions; of an agent that plans, the states of its model, those in the agent’s colour where it has not tried every action, and a thin line along the path that it plans. Objects by their shape, hollow once taken. Large circle: the goal.${wallNote(report)}`));
  return body;
}
