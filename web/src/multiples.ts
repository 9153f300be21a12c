// multiples.ts: the curves of the large figure once more, each configuration in a small one of its own: its band and its
// runs are seen, and the others stay behind it in grey.
import type { CurveChart } from './curves';
import { h, number, svg } from './dom';
import type { State } from './legend';
import { saver, svgOf } from './save';
import { colour, followTheme } from './theme';

const WIDTH = 250, HEIGHT = 150, LEFT = 42, BOTTOM = 20, TOP = 6, RIGHT = 6, MOST = 16;

const ticks = (low: number, high: number) => {
  const raw = (high - low || 1) / 3, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw)!;
  const out: number[] = [];
  for (let t = Math.ceil(low / step); t * step <= high + 1e-9; t++) out.push(t * step);
  return out;
};

const short = (value: number) => (Math.abs(value) >= 1e4 ? `${value / 1000}k` : value.toLocaleString('en', { maximumFractionDigits: 4 }).replace('-', '−'));

function panel(chart: CurveChart, i: number, all: number[]): SVGSVGElement {
  const { xs, lines, low, high, optimum, title } = chart.view(), name = chart.nameOf(i);
  const x = (v: number) => LEFT + ((v - xs[0]) / (xs[xs.length - 1] - xs[0] || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (v: number) => HEIGHT - BOTTOM - ((v - low) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
  const path = (values: (number | null)[]) => values.reduce((d, v, k) => (v === null ? d : `${d}${d ? 'L' : 'M'}${x(xs[k]).toFixed(1)} ${y(v).toFixed(1)}`), '');
  const line = lines[i]!, known = line.low.map((v, k) => (v === null || line.high[k] === null ? -1 : k)).filter((k) => k >= 0);
  const last = line.centre.filter((v) => v !== null).pop();
  const out = svg('svg', { class: 'panel', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: 'img', 'aria-label': `${title} of ${name}, at the end ${number(last ?? null)}` },
    ...ticks(low, high).map((t) => svg('g', {}, svg('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(t), y2: y(t) }), svg('text', { x: LEFT - 5, y: y(t) + 4, 'text-anchor': 'end' }, short(t)))),
    ...ticks(xs[0], xs[xs.length - 1]).filter(Number.isInteger).map((t) => svg('text', { x: x(t), y: HEIGHT - 5, 'text-anchor': 'middle' }, short(t))),
    ...all.filter((k) => k !== i && lines[k]).map((k) => svg('path', { class: 'other', d: path(lines[k]!.centre) })),
    optimum && svg('path', { class: 'optimum', d: path(optimum) }),
    known.length > 1 && svg('path', { class: 'band', d: `${known.map((k, n) => `${n ? 'L' : 'M'}${x(xs[k]).toFixed(1)} ${y(line.high[k]!).toFixed(1)}`).join('')}${known.reverse().map((k) => `L${x(xs[k]).toFixed(1)} ${y(line.low[k]!).toFixed(1)}`).join('')}Z` }),
    svg('path', { class: 'own', d: path(line.centre) }));
  if (xs.length === 1 && last !== undefined && last !== null) out.append(svg('circle', { class: 'dot', cx: LEFT, cy: y(last), r: 3 }));
  out.style.setProperty('--line', colour(chart.styleOf(i)));
  return out;
}

export function multiples(state: State, chart: CurveChart): HTMLElement {
  const grid = h('div', { class: 'multiples' });
  const note = h('p', { class: 'note' });
  let panels: { title: string; svg: SVGSVGElement }[] = [];
  const draw = () => {
    const all = [...state.visible].sort((a, b) => a - b).filter((i) => chart.view().lines[i]);
    panels = all.slice(0, MOST).map((i) => ({ title: chart.nameOf(i), svg: panel(chart, i, all) }));
    grid.replaceChildren(...panels.map((p) => h('figure', {}, h('figcaption', {}, p.title), p.svg)));
    note.textContent = `${chart.view().title} against ${chart.view().x.toLowerCase()}, one figure each, all on one scale; ${state.bandText()}, the others in grey.${all.length > MOST ? ` The first ${MOST} of ${all.length} are drawn.` : ''}`;
  };
  chart.onDrawn(draw);
  followTheme(draw);
  draw();
  return h('div', {}, h('h3', {}, 'Each alone'), grid, note,
    saver(() => `${state.report.name}-each`, () => svgOf(panels, 3), () => chart.rows()));
}
