// legend.ts: what the reader chose, which every figure follows, and the lists to choose from: the configurations, each with
// its line and its value under the cursor.
import type { CurveChart } from './curves';
import type { Report } from './data';
import { h, numberLike, svg } from './dom';
import { ranked } from './finding';
import { colour, dash, followTheme, isOpen, markPath } from './theme';

// Runs below which nothing is judged and no interval is given (SFNEC_ANALYSIS_FEW of study/analysis/analysis.h).
export const FEW = 6;

export class State {
  readonly visible: Set<number>;
  centre: 'mean' | 'iqm' = 'mean';
  bands: boolean;
  seeds = false;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly report: Report) {
    this.visible = new Set(firstChoice(report));
    this.bands = this.visible.size <= 3; // more bands lie over each other; each alone is drawn below
  }

  // whether any curve has enough runs for an interval
  get intervals(): boolean {
    return this.report.configurations.some((c) => (c.stats?.count ?? 0) >= FEW);
  }

  // what the bands are
  bandText(): string {
    return this.centre === 'mean' ? 'bands are one standard error of the mean' : this.intervals ? `bands are 95 % intervals, from ${FEW} seeds on` : 'no bands: too few seeds for an interval';
  }

  follow(listener: () => void): void {
    this.listeners.push(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  show(indices: Iterable<number>): void {
    this.visible.clear();
    for (const i of indices) this.visible.add(i);
    this.changed();
  }

  toggle(i: number): void {
    if (!this.visible.delete(i)) this.visible.add(i);
    this.changed();
  }
}

// The best configurations by their mean.
function best(report: Report, count: number): number[] {
  return ranked(report).slice(0, count);
}

export const MANY = 10;

function firstChoice(report: Report): number[] {
  const count = report.configurations.length;
  return count <= MANY ? report.configurations.map((_, i) => i) : best(report, 8);
}

export function swatch(style: number): SVGElement {
  const line = svg('line', { x1: 1, y1: 6, x2: 33, y2: 6, 'stroke-width': 2.5 });
  const mark = svg('path', { d: markPath(style, 17, 6, 4), 'stroke-width': 1.5 });
  const paint = () => {
    for (const part of [line, mark]) part.setAttribute('stroke', colour(style));
    line.setAttribute('stroke-dasharray', dash(style).join(' '));
    mark.setAttribute('fill', isOpen(style) ? 'var(--back)' : colour(style));
  };
  paint();
  followTheme(paint);
  return svg('svg', { class: 'swatch', width: 34, height: 12, 'aria-hidden': 'true' }, line, mark);
}

export function legend(state: State, chart: CurveChart): HTMLElement {
  const configurations = state.report.configurations;
  const cells: HTMLElement[] = [];
  const boxes: HTMLInputElement[] = [];
  let cursor: number | null = null;

  const fill = () => {
    configurations.forEach((_, i) => {
      const value = chart.read(i, cursor);
      boxes[i].checked = state.visible.has(i);
      if (!value || value.centre === null) cells[i].textContent = '–';
      else {
        const half = value.high === null || value.low === null ? null : (value.high - value.low) / 2;
        const centre = numberLike(value.centre, half || value.centre);
        cells[i].textContent = half === null ? centre
          : state.centre === 'mean' ? `${centre} ± ${numberLike(half, half || value.centre)}`
          : `${centre} [${numberLike(value.low, half || value.centre)}, ${numberLike(value.high, half || value.centre)}]`;
      }
    });
  };

  const rows = configurations.map((c, i) => {
    boxes[i] = h('input', { type: 'checkbox', change: () => state.toggle(i) });
    cells[i] = h('span', { class: 'value' });
    return h('li', {},
      h('label', {}, boxes[i], swatch(c.style), h('span', { class: 'name' }, c.name)),
      h('button', { type: 'button', class: 'only', 'aria-label': `Show only ${c.name}`, click: () => state.show([i]) }, 'only'),
      cells[i]);
  });
  state.follow(fill);
  chart.onCursor((index) => {
    cursor = index;
    fill();
  });
  fill();
  const button = (text: string, show: () => Iterable<number>) => h('button', { type: 'button', click: () => state.show(show()) }, text);
  return h('div', { class: 'legend' },
    h('div', { class: 'bar', role: 'group', 'aria-label': 'Which configurations are shown' },
      button('All', () => configurations.keys()), button('None', () => []),
      configurations.length > MANY && button('Best 8', () => best(state.report, 8))),
    h('ul', { 'aria-label': 'Configurations' }, ...rows));
}

// The choices that all figures follow.
export function controls(state: State): HTMLElement {
  const option = (centre: 'mean' | 'iqm', text: string, title: string) =>
    h('label', { title }, h('input', { type: 'radio', name: 'centre', value: centre, checked: state.centre === centre,
      change: () => { state.centre = centre; state.changed(); } }), text);
  const flag = (key: 'bands' | 'seeds', text: string) =>
    h('label', {}, h('input', { type: 'checkbox', name: key, checked: state[key],
      change: (event: Event) => { state[key] = (event.target as HTMLInputElement).checked; state.changed(); } }), text);
  return h('div', { class: 'bar controls' },
    h('fieldset', {}, h('legend', { class: 'hidden' }, 'What the lines are'),
      option('mean', 'Mean ± standard error', 'The mean over the seeds, as in the paper'),
      state.intervals ? option('iqm', 'IQM, 95 % interval', `The interquartile mean over the seeds, with its bootstrap interval from ${FEW} seeds on`)
        : option('iqm', 'IQM', `The interquartile mean over the seeds. Fewer than ${FEW} seeds say little: no interval is given`)),
    flag('bands', 'Bands'), flag('seeds', 'Single seeds'));
}

// The lines that are shown, for a figure that has no list of its own.
export function shortLegend(state: State): HTMLElement {
  const out = h('p', { class: 'short-legend' });
  const items = state.report.configurations.map((c) => h('span', { class: 'named' }, swatch(c.style), c.name));
  const fill = () => out.replaceChildren(...items.filter((_, i) => state.visible.has(i)));
  state.follow(fill);
  fill();
  return out;
}
