// gpi.ts: which old policy was used when: a heat map over tasks and policies.
import type { Report } from './data';
import { choice, h, number, section } from './dom';
import { ranked } from './finding';
import { font } from './palette';
import { saver, svgOfCanvas } from './save';
import { css, followTheme, rampText } from './theme';

const LEFT = 44, BOTTOM = 34, TOP = 6, RIGHT = 8;

function reuses(uses: number[][]): boolean {
  return uses.some((row) => row.some((count, policy) => count > 0 && policy + 1 < row.length));
}

class HeatMap {
  readonly canvas = h('canvas', { tabindex: 0, role: 'img' });
  readonly readout = h('p', { class: 'readout', 'aria-live': 'polite' });
  readonly holder = h('div', { class: 'heat' }, this.canvas);
  private uses: number[][] = [];
  private at: [number, number] | null = null; // task, policy
  private cell = 10;

  constructor(private readonly room: number) {
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => this.mark(null));
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    followTheme(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.holder);
  }

  show(uses: number[][], name: string): void {
    this.uses = uses;
    this.at = null;
    const last = uses[uses.length - 1] ?? [];
    const sum = last.reduce((a, b) => a + b, 0);
    const old = sum ? Math.round((100 * (sum - last[last.length - 1])) / sum) : 0;
    const text = !uses.length ? `${name} was not run.` : `${name}: in task ${uses.length}, ${old} % of the steps followed a policy of an earlier task.`;
    this.canvas.setAttribute('aria-label', `${text} Arrow keys move over the cells.`);
    this.readout.textContent = text;
    this.readout.dataset.text = text;
    this.draw();
  }

  private share(task: number, policy: number): number {
    const row = this.uses[task];
    const sum = row.reduce((a, b) => a + b, 0);
    return sum ? (row[policy] ?? 0) / sum : 0;
  }

  draw(): void {
    this.holder.classList.toggle('hidden', !this.uses.length);
    const count = this.uses.length;
    const room = Math.min(this.room, this.holder.clientWidth || this.room);
    if (!count || room < 50) return;
    this.cell = Math.max(3, Math.min(40, (room - LEFT - RIGHT) / count));
    const width = LEFT + RIGHT + this.cell * count, height = TOP + BOTTOM + this.cell * count;
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const c = this.canvas.getContext('2d')!;
    c.scale(ratio, ratio);
    this.drawCells(c, count);
    this.drawAxes(c, count, width, height);
  }

  private drawCells(c: CanvasRenderingContext2D, count: number): void {
    const gap = this.cell > 8 ? 1 : 0;
    for (let task = 0; task < count; task++)
      for (let policy = 0; policy < this.uses[task].length; policy++) {
        // the root makes small shares visible
        c.fillStyle = rampText(Math.sqrt(this.share(task, policy)));
        c.fillRect(LEFT + task * this.cell, TOP + (count - 1 - policy) * this.cell, this.cell - gap, this.cell - gap);
      }
    if (!this.at) return;
    c.strokeStyle = css('--accent');
    c.lineWidth = 2;
    c.strokeRect(LEFT + this.at[0] * this.cell, TOP + (count - 1 - this.at[1]) * this.cell, this.cell - gap, this.cell - gap);
  }

  private drawAxes(c: CanvasRenderingContext2D, count: number, width: number, height: number): void {
    c.fillStyle = css('--text');
    c.font = `12px ${font}`;
    const step = [1, 2, 5, 10, 20, 50, 100].find((s) => s * this.cell >= 26) ?? 100;
    for (let k = 1; k <= count; k++) {
      if (k !== 1 && k % step) continue;
      c.textAlign = 'center';
      c.fillText(String(k), LEFT + (k - 0.5) * this.cell, height - BOTTOM + 15);
      c.textAlign = 'right';
      c.fillText(String(k), LEFT - 6, TOP + (count - k + 0.5) * this.cell + 4);
    }
    c.textAlign = 'center';
    c.fillText('Task', (LEFT + width - RIGHT) / 2, height - 3);
    c.save();
    c.translate(11, (TOP + height - BOTTOM) / 2);
    c.rotate(-Math.PI / 2);
    c.fillText('Policy of task', 0, 0);
    c.restore();
  }

  private mark(at: [number, number] | null): void {
    const valid = at && at[0] >= 0 && at[0] < this.uses.length && at[1] >= 0 && at[1] < this.uses[at[0]].length;
    this.at = valid ? at : null;
    this.readout.textContent = this.at
      ? `Task ${this.at[0] + 1}: the policy of task ${this.at[1] + 1}${this.at[0] === this.at[1] ? ' (its own)' : ''} was followed for ${number(100 * this.share(...this.at))} % of the steps.`
      : this.readout.dataset.text ?? '';
    this.draw();
  }

  private point(event: PointerEvent): void {
    const area = this.canvas.getBoundingClientRect();
    const task = Math.floor((event.clientX - area.left - LEFT) / this.cell);
    const policy = this.uses.length - 1 - Math.floor((event.clientY - area.top - TOP) / this.cell);
    if (task !== this.at?.[0] || policy !== this.at?.[1]) this.mark([task, policy]);
  }

  private key(event: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const [task, policy] = this.at ?? [this.uses.length - 1 - move[0], -move[1]];
    const next = Math.min(this.uses.length - 1, Math.max(0, task + move[0]));
    this.mark([next, Math.min(this.uses[next].length - 1, Math.max(0, policy + move[1]))]);
  }
}

function colourKey(): HTMLElement {
  const stops = [0, 0.25, 0.5, 0.75, 1].map((s) => `${rampText(Math.sqrt(s))} ${100 * s}%`).join(',');
  return h('div', { class: 'colour-key', 'aria-hidden': 'true' }, '0 %', h('span', { style: `background:linear-gradient(to right,${stops})` }), '100 % of the steps of a task');
}

const MOST = 6; // agents side by side

export function gpiSection(report: Report): HTMLElement | null {
  const candidates = ranked(report, (c) => reuses(c.uses));
  if (!candidates.length) return null;
  const maps = candidates.slice(0, MOST).map((i) => ({ i, map: new HeatMap(candidates.length > 1 ? 420 : 640) }));
  let seed = '';
  const usesOf = (i: number) => report.configurations[i].runs.find((r) => r.seed === seed)?.uses ?? (seed ? [] : report.configurations[i].uses);
  const show = () => { for (const { i, map } of maps) map.show(usesOf(i), seed ? `${report.configurations[i].name}, seed ${seed}` : report.configurations[i].name); };
  const seeds = [...new Set(maps.flatMap(({ i }) => report.configurations[i].runs.filter((r) => r.uses?.length).map((r) => r.seed)))];
  requestAnimationFrame(show);
  return section('gpi', 'Use of old policies',
    h('p', {}, 'For each step the agent follows the best of all the policies it has learned (generalised policy improvement). A column is a task; the diagonal is the task’s own policy, below it are those of earlier tasks.'),
    h('div', { class: 'bar' }, choice('Runs', [['', 'all seeds together'], ...seeds.map((s): [string, string] => [s, `seed ${s}`])], seed, (value) => { seed = value; show(); })),
    h('div', { class: 'side-by-side' }, ...maps.map(({ i, map }) => h('figure', {}, h('figcaption', {}, report.configurations[i].name), map.holder, map.readout,
      saver(() => `${report.name}-policies-${i + 1}`, () => svgOfCanvas(map.canvas, () => map.draw()),
        () => ({ head: ['configuration', 'task', 'policy', 'transitions'], rows: usesOf(i).flatMap((row, task) => row.map((count, policy) => [report.configurations[i].name, task + 1, policy + 1, count])) }))))),
    colourKey(),
    candidates.length > MOST && h('p', { class: 'note' }, `The ${MOST} best of ${candidates.length} configurations that reuse policies are drawn.`));
}
