// replay.ts: the agents on the same task, side by side, step by step.
import type { Report, ReplayData } from './data';
import { h, number, numberLike, section, signed } from './dom';
import { css, followTheme, objectColour, ramp, tracePath } from './theme';

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
  private readonly most: number; // the highest |Q|, the length of the longest bar

  constructor(readonly data: ReplayData, readonly name: string, private readonly layers: Layers) {
    let sum = 0;
    this.sums = [0, ...data.frames.map((f) => (sum += f.reward))];
    this.most = Math.max(1e-9, ...data.frames.flatMap((f) => f.q.map((q) => Math.abs(q ?? 0))));
    this.bars = data.action_names.map((text) => {
      const fill = h('span', { class: 'fill' }), value = h('span', { class: 'q' });
      return { fill, text: value, row: h('div', { class: 'q-row' }, h('span', { class: 'action' }, text), h('span', { class: 'track' }, fill), value) };
    });
    this.heat = paintHeat(data);
    this.element = h('figure', { class: 'scene' }, h('figcaption', {}, name), this.canvas,
      h('div', { class: 'q-values' }, ...this.bars.map((b) => b.row)), this.facts);
  }

  get length(): number {
    return this.data.frames.length;
  }

  draw(step: number): void {
    const side = Math.min(420, this.element.clientWidth || 300), ratio = Math.max(1, window.devicePixelRatio || 1);
    const pixels = Math.round(side * ratio);
    if (this.canvas.width !== pixels) this.canvas.width = this.canvas.height = pixels;
    this.canvas.style.width = this.canvas.style.height = `${side}px`;
    const c = this.canvas.getContext('2d')!;
    c.setTransform(pixels, 0, 0, -pixels, 0, pixels); // the unit square, y upwards
    const k = Math.min(step, this.length - 1);
    this.drawGround(c, 1 / side);
    this.drawThings(c, k, 1 / side);
    this.drawAgent(c, k, 1 / side);
    this.tell(k);
  }

  private drawGround(c: CanvasRenderingContext2D, px: number): void {
    c.fillStyle = css('--room');
    c.fillRect(0, 0, 1, 1);
    if (this.layers.values && this.heat) {
      c.imageSmoothingEnabled = false;
      c.save();
      c.transform(1, 0, 0, -1, 0, 1);
      c.drawImage(this.heat, 0, 0, 1, 1);
      c.restore();
    }
    const goal = this.data.goal;
    if (goal) {
      c.fillStyle = c.strokeStyle = css('--goal');
      c.lineWidth = 2 * px;
      c.beginPath();
      c.arc(goal.x, goal.y, goal.radius, 0, 2 * Math.PI);
      c.globalAlpha = 0.35;
      c.fill();
      c.globalAlpha = 1;
      c.stroke();
    }
    // on whole pixels, so that walls that touch show no seam
    const side = this.canvas.width, snap = (at: number) => Math.round(at * side) / side;
    c.fillStyle = css('--wall');
    for (const [x0, y0, x1, y1] of this.data.walls) c.fillRect(snap(x0), snap(y0), snap(x1) - snap(x0), snap(y1) - snap(y0));
    if (!this.layers.memories) return;
    c.fillStyle = css('--memory');
    for (const [x, y] of this.data.memories) c.fillRect(x - 1.25 * px, y - 1.25 * px, 2.5 * px, 2.5 * px);
    for (const [x, y, frontier] of this.data.places ?? []) {
      c.fillStyle = frontier ? css('--agent') : css('--memory');
      c.fillRect(x - 1.25 * px, y - 1.25 * px, 2.5 * px, 2.5 * px);
    }
  }

  // objects by the shape of their class; those that were taken are hollow
  private drawThings(c: CanvasRenderingContext2D, k: number, px: number): void {
    const taken = new Set(this.data.frames[k].taken);
    c.lineWidth = 1.5 * px;
    this.data.objects.forEach((o, i) => {
      const shape = this.data.glyphs[o.class];
      tracePath(c, shape, o.x, o.y, 0.02, -1);
      c.strokeStyle = css('--outline');
      c.fillStyle = objectColour(shape);
      c.globalAlpha = taken.has(i) ? 0.35 : 1;
      if (!taken.has(i)) c.fill();
      c.stroke();
      c.globalAlpha = 1;
    });
  }

  private drawAgent(c: CanvasRenderingContext2D, k: number, px: number): void {
    const frames = this.data.frames;
    if (this.layers.trail) {
      for (const [style, width] of [[css('--outline'), 4], [css('--trail'), 2]] as const) {
        c.strokeStyle = style;
        c.lineWidth = width * px;
        c.lineJoin = 'round';
        c.beginPath();
        for (let i = 0; i <= k; i++) c.lineTo(frames[i].x, frames[i].y);
        c.stroke();
      }
    }
    const path = frames[k].path ?? [];
    if (this.layers.memories && path.length) {
      c.strokeStyle = css('--agent');
      c.lineWidth = 1.5 * px;
      c.beginPath();
      c.moveTo(frames[k].x, frames[k].y);
      for (let i = 0; i < path.length; i += 2) c.lineTo(path[i], path[i + 1]);
      c.stroke();
    }
    // a ring around a dot: like no object
    for (const [style, radius] of [[css('--outline'), 0.03], [css('--trail'), 0.025], [css('--agent'), 0.016]] as const) {
      c.fillStyle = style;
      c.beginPath();
      c.arc(frames[k].x, frames[k].y, radius, 0, 2 * Math.PI);
      c.fill();
    }
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

// the value of each position as a small picture, to be stretched over the room
function paintHeat(data: ReplayData): HTMLCanvasElement | null {
  const { columns, rows, values } = data.value_map;
  const known = values.filter((v): v is number => v !== null);
  if (!known.length) return null;
  const low = Math.min(...known), high = Math.max(...known);
  const canvas = h('canvas', { width: columns, height: rows });
  const c = canvas.getContext('2d')!;
  const image = c.createImageData(columns, rows);
  // a position in a wall takes the value of one beside it: its colour reaches below the wall's edge
  const near = (i: number): number | null => {
    const x = i % columns, y = Math.floor(i / columns);
    for (let reach = 0; reach <= 3; reach++)
      for (let dy = -reach; dy <= reach; dy++)
        for (let dx = -reach; dx <= reach; dx++) {
          if (x + dx < 0 || x + dx >= columns || y + dy < 0 || y + dy >= rows) continue;
          const value = values[(y + dy) * columns + x + dx];
          if (value !== null) return value;
        }
    return null;
  };
  values.forEach((_, i) => {
    const value = near(i);
    if (value === null) return;
    // values go up from the bottom row, pictures down from the top one
    const at = 4 * ((rows - 1 - Math.floor(i / columns)) * columns + (i % columns));
    image.data.set([...ramp(high > low ? (value - low) / (high - low) : 0), 255], at);
  });
  c.putImageData(image, 0, 0);
  return canvas;
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

  private stop(): void {
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
  const first = playable[0].data!;
  const layers: Layers = { values: true, memories: true, trail: true };
  const scenes = playable.map((r) => new Scene(r.data!, report.configurations[r.configuration].name, layers));
  body.append(
    h('p', {}, `Each agent after its training, acting greedily on task ${first.task + 1} of seed ${first.seed}; w = (${first.w.map((w) => number(w)).join(', ')}).`),
    new Player(scenes, layers).element,
    h('p', { class: 'note' }, 'Ground colour: the value of each position at the start (the best action’s Q), from dark (low) to yellow (high), for each agent on its own scale. Small dots: remembered positions; of an agent that plans, the places of its model, those in the agent’s colour where it has not tried every action, and a thin line along the path that it plans. Circles, squares and triangles: objects by class, hollow once taken. Large circle: the goal.'));
  return body;
}
