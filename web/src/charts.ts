// charts.ts: figures as elements of SVG, where nothing has to follow a cursor: profiles, the effects of options, parallel
// coordinates, heat maps, Pareto fronts.
import { h, number, svg } from './dom';
import { saver, svgOf, type Rows } from './save';
import { colour, dash, followTheme, isOpen, markPath, rampText } from './theme';

export interface Scale {
  low: number;
  high: number;
  ticks: number[];
}

// A scale with about so many round ticks over all values; from 0 if that is near.
export function makeScale(values: number[], parts = 4): Scale {
  let low = Infinity, high = -Infinity;
  for (const value of values) (low = Math.min(low, value)), (high = Math.max(high, value));
  if (!Number.isFinite(low)) return { low: 0, high: 1, ticks: [0, 1] };
  if (low > 0 && low < 0.5 * high) low = 0;
  if (low === high) (low -= 1), (high += 1);
  const raw = (high - low) / parts;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw)!;
  const ticks: number[] = [];
  for (let t = Math.ceil(low / step); t * step <= high; t++) ticks.push(t * step || 0);
  return { low, high, ticks };
}

export const tickText = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 4 }).replace('-', '−');

// A frame of SVG in the look of the page; `name` is what is read aloud.
function canvas(width: number, height: number, name: string): SVGSVGElement {
  return svg('svg', { class: 'drawing', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': name });
}

// A figure with its note and the buttons that save it. Colours follow light and dark by drawing it again.
export function figure(name: string, draw: () => { title?: string; svg: SVGSVGElement }[], rows: () => Rows, note: string, columns = 1): HTMLElement {
  const place = h('div', { class: columns > 1 ? 'multiples' : 'drawings' });
  let drawn: { title?: string; svg: SVGSVGElement }[] = [];
  const fill = () => {
    drawn = draw();
    place.replaceChildren(...drawn.map((d) => h('figure', {}, d.title && h('figcaption', {}, d.title), d.svg)));
  };
  fill();
  followTheme(fill);
  return h('div', { class: 'figure' }, place, h('p', { class: 'note' }, note), saver(() => name, () => svgOf(drawn, columns), rows));
}

const LEFT = 50, BOTTOM = 40, TOP = 10, RIGHT = 14;

// axes around a frame of that size; gives where values lie
function axes(out: SVGSVGElement, width: number, height: number, x: Scale | null, y: Scale, xLabel: string, yLabel: string) {
  const [right, bottom] = [width - RIGHT, height - BOTTOM];
  const at = (scale: Scale, value: number, from: number, to: number) => from + ((value - scale.low) / (scale.high - scale.low)) * (to - from);
  for (const t of y.ticks)
    out.append(svg('line', { class: 'grid', x1: LEFT, x2: right, y1: at(y, t, bottom, TOP), y2: at(y, t, bottom, TOP) }),
      svg('text', { x: LEFT - 6, y: at(y, t, bottom, TOP) + 4, 'text-anchor': 'end' }, tickText(t)));
  for (const t of x?.ticks ?? []) out.append(svg('text', { x: at(x!, t, LEFT, right), y: bottom + 16, 'text-anchor': 'middle' }, tickText(t)));
  out.append(svg('line', { class: 'axis', x1: LEFT, x2: right, y1: bottom, y2: bottom }),
    svg('text', { x: (LEFT + right) / 2, y: height - 5, 'text-anchor': 'middle' }, xLabel),
    svg('text', { x: 0, y: 0, 'text-anchor': 'middle', transform: `translate(12 ${(TOP + bottom) / 2}) rotate(-90)` }, yLabel));
  return { x: (value: number) => at(x!, value, LEFT, right), y: (value: number) => at(y, value, bottom, TOP) };
}

const styled = (i: number) => ({ stroke: colour(i), 'stroke-width': 2, 'stroke-dasharray': dash(i).join(' ') || null, fill: 'none' });

function symbol(i: number, x: number, y: number, r = 4): SVGElement {
  return svg('path', { d: markPath(i, x, y, r), fill: isOpen(i) ? 'var(--back)' : colour(i), stroke: colour(i), 'stroke-width': 1.5 });
}

// ---- the share of runs above a value ----

export function profileChart(series: { style: number; name: string; scores: number[] }[], label: string): SVGSVGElement {
  const width = 640, height = 300, x = makeScale(series.flatMap((s) => s.scores), 6), y = { low: 0, high: 100, ticks: [0, 25, 50, 75, 100] };
  const names = 60 + 7 * Math.max(...series.map((s) => s.name.length));
  const out = canvas(width + names, height, `Share of runs above a value, of ${series.map((s) => s.name).join(', ')}`);
  const to = axes(out, width, height, x, y, label, 'runs above (%)');
  for (const { style, scores } of series) {
    const sorted = [...scores].sort((a, b) => a - b);
    let d = `M${to.x(x.low)} ${to.y(100)}`;
    sorted.forEach((score, k) => (d += `H${to.x(score).toFixed(1)}V${to.y(100 * (1 - (k + 1) / sorted.length)).toFixed(1)}`));
    out.append(svg('path', { ...styled(style), d: `${d}H${to.x(x.high)}` }));
  }
  series.forEach(({ style, name }, k) => out.append(svg('line', { ...styled(style), x1: width + 4, x2: width + 34, y1: 20 + 18 * k, y2: 20 + 18 * k }), svg('text', { x: width + 40, y: 24 + 18 * k }, name)));
  return out;
}

// ---- sweeps ----

export interface Point {
  i: number; // the configuration
  label: string;
  settings: Record<string, string>;
  value: number;
}

// The values of a key in the order of the plan.
export const valuesOf = (points: Point[], key: string) => [...new Set(points.flatMap((p) => (key in p.settings ? [p.settings[key]] : [])))];

const mean = (values: number[]) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : null);

// The mean over all points of an agent that have a value of a key.
export function effect(points: Point[], label: string, key: string, value: string): number | null {
  return mean(points.filter((p) => p.label === label && p.settings[key] === value).map((p) => p.value));
}

export function effectChart(points: Point[], agents: { label: string; style: number }[], key: string): SVGSVGElement {
  const width = 300, height = 210, y = makeScale(points.map((p) => p.value), 3), values = valuesOf(points, key), labels = agents.map((agent) => agent.label);
  const out = canvas(width, height, `Effect of ${key}: ${labels.map((label) => `${label} ${values.map((v) => `${v}: ${number(effect(points, label, key, v))}`).join(', ')}`).join('; ')}`);
  const to = axes(out, width, height, null, y, key, '');
  const place = (k: number) => LEFT + ((k + 0.5) / values.length) * (width - RIGHT - LEFT);
  values.forEach((value, k) => out.append(svg('text', { x: place(k), y: height - BOTTOM + 16, 'text-anchor': 'middle' }, value)));
  for (const p of points) if (key in p.settings) out.append(svg('circle', { class: 'faint', cx: place(values.indexOf(p.settings[key])) + 6 * (labels.indexOf(p.label) - (labels.length - 1) / 2), cy: to.y(p.value), r: 2 }));
  agents.forEach(({ label, style }) => {
    const found = values.map((value, k) => [place(k), effect(points, label, key, value)] as const).filter((at): at is readonly [number, number] => at[1] !== null);
    out.append(svg('path', { ...styled(style), d: found.map(([x, v], k) => `${k ? 'L' : 'M'}${x} ${to.y(v)}`).join('') }), ...found.map(([x, v]) => symbol(style, x, to.y(v))));
  });
  return out;
}

export function parallelChart(points: Point[], labels: string[], keys: string[], label: string): SVGSVGElement {
  const all = labels.length > 1 ? ['agent', ...keys] : keys, width = Math.max(520, 130 * (all.length + 1)), height = 320, top = 34, bottom = height - 50;
  const scale = makeScale(points.map((p) => p.value), 5), { low, high } = scale;
  const out = canvas(width, height, `${points.length} points of a sweep over ${keys.join(', ')} as parallel coordinates`);
  const column = (k: number) => 60 + (k / all.length) * (width - 140);
  const share = (value: number) => (value - low) / (high - low);
  const options = all.map((key) => (key === 'agent' ? labels : valuesOf(points, key)));
  const of = (p: Point, key: string) => (key === 'agent' ? p.label : p.settings[key]);
  const level = (k: number, value: string | undefined) => (value === undefined ? -0.14 : options[k].length > 1 ? options[k].indexOf(value) / (options[k].length - 1) : 0.5);
  const y = (at: number) => bottom - at * (bottom - top);
  const sorted = [...points].sort((a, b) => a.value - b.value);
  sorted.forEach((p, rank) => {
    const aside = 0.08 * ((rank + 0.5) / sorted.length - 0.5);
    const d = all.map((key, k) => `${k ? 'L' : 'M'}${column(k)} ${y(level(k, of(p, key)) + aside).toFixed(1)}`).join('') + `L${column(all.length)} ${y(share(p.value)).toFixed(1)}`;
    out.append(svg('path', { d, fill: 'none', stroke: rampText(share(p.value)), 'stroke-width': rank === sorted.length - 1 ? 4 : 1.5 }, svg('title', {}, `${p.label} ${Object.entries(p.settings).map(([key, v]) => `${key}=${v}`).join(', ')}: ${number(p.value)}`)));
  });
  const upright = (k: number, name: string) => out.append(svg('line', { class: 'axis', x1: column(k), x2: column(k), y1: top - 8, y2: bottom + 8 }), svg('text', { class: 'strong', x: column(k), y: 14, 'text-anchor': 'middle' }, name));
  all.forEach((key, k) => {
    upright(k, key);
    options[k].forEach((value, at) => out.append(svg('text', { class: 'on-lines', x: column(k) + 5, y: y(options[k].length > 1 ? at / (options[k].length - 1) : 0.5) + 4 }, value)));
  });
  upright(all.length, 'value');
  for (const t of scale.ticks) out.append(svg('text', { x: column(all.length) + 6, y: y(share(t)) + 4 }, tickText(t)));
  out.append(svg('text', { x: width / 2, y: height - 6, 'text-anchor': 'middle' }, `value: ${label}`));
  return out;
}

// The two keys whose values differ most in their means.
export function mattering(points: Point[], label: string, keys: string[]): string[] {
  const size = (key: string) => {
    const means = valuesOf(points, key).map((value) => effect(points, label, key, value)).filter((v): v is number => v !== null);
    return means.length > 1 ? Math.max(...means) - Math.min(...means) : -1;
  };
  return keys.filter((key) => size(key) >= 0).sort((a, b) => size(b) - size(a)).slice(0, 2);
}

export function cellMean(points: Point[], label: string, [across, up]: string[], x: string, y: string): number | null {
  return mean(points.filter((p) => p.label === label && p.settings[across] === x && p.settings[up] === y).map((p) => p.value));
}

export function heatChart(points: Point[], label: string, keys: string[], low: number, high: number): SVGSVGElement {
  const xs = valuesOf(points, keys[0]), ys = valuesOf(points, keys[1]), cell = 62, tall = 34, left = 84;
  const width = left + cell * xs.length + 10, height = tall * ys.length + 46;
  const out = canvas(width, height, `${label}: means by ${keys[0]} and ${keys[1]}`);
  ys.forEach((value, k) => out.append(svg('text', { x: left - 6, y: (ys.length - 1 - k) * tall + tall / 2 + 8, 'text-anchor': 'end' }, value)));
  xs.forEach((value, k) => out.append(svg('text', { x: left + (k + 0.5) * cell, y: ys.length * tall + 20, 'text-anchor': 'middle' }, value)));
  xs.forEach((x, a) => ys.forEach((y, b) => {
    const value = cellMean(points, label, keys, x, y);
    if (value === null) return;
    const [px, py] = [left + a * cell, 4 + (ys.length - 1 - b) * tall];
    out.append(svg('rect', { x: px, y: py, width: cell - 2, height: tall - 2, fill: rampText(high > low ? (value - low) / (high - low) : 1) }),
      svg('text', { class: 'on-ramp', x: px + cell / 2 - 1, y: py + tall / 2 + 3, 'text-anchor': 'middle' }, number(value)));
  }));
  out.append(svg('text', { x: left + (cell * xs.length) / 2, y: height - 4, 'text-anchor': 'middle' }, keys[0]),
    svg('text', { x: 0, y: 0, 'text-anchor': 'middle', transform: `translate(12 ${(tall * ys.length) / 2}) rotate(-90)` }, keys[1]));
  return out;
}

// ---- evaluations under several weight vectors ----

export function weightChart(rows: { name: string; values: (number | null)[] }[]): SVGSVGElement {
  const count = Math.max(...rows.map((r) => r.values.length)), left = 20 + 7 * Math.max(...rows.map((r) => r.name.length));
  const cell = Math.max(6, Math.min(62, 800 / count)), tall = 30, width = left + cell * count + 10, height = tall * rows.length + 40;
  const known = rows.flatMap((r) => r.values).filter((v): v is number => v !== null), low = Math.min(...known), high = Math.max(...known);
  const out = canvas(width, height, `Returns under ${count} weight vectors, from ${number(low)} to ${number(high)}`);
  rows.forEach((row, r) => {
    out.append(svg('text', { x: left - 8, y: r * tall + tall / 2 + 4, 'text-anchor': 'end' }, row.name));
    row.values.forEach((value, k) => {
      if (value === null) return;
      out.append(svg('rect', { x: left + k * cell, y: r * tall, width: cell - (cell > 12 ? 2 : 0), height: tall - 2, fill: rampText(high > low ? (value - low) / (high - low) : 1) }, svg('title', {}, `${row.name}, weights ${k + 1}: ${number(value)}`)));
      if (cell > 40) out.append(svg('text', { class: 'on-ramp', x: left + (k + 0.5) * cell - 1, y: r * tall + tall / 2 + 3, 'text-anchor': 'middle' }, number(value)));
    });
  });
  const step = Math.ceil(26 / cell);
  for (let k = 0; k < count; k += step) out.append(svg('text', { x: left + (k + 0.5) * cell, y: rows.length * tall + 14, 'text-anchor': 'middle' }, k + 1));
  out.append(svg('text', { x: left + (cell * count) / 2, y: height - 4, 'text-anchor': 'middle' }, 'weight vector'));
  return out;
}

// ---- Pareto fronts ----

export function frontChart(series: { style: number; name: string; points: { means: number[]; front: boolean }[] }[], features: string[]): SVGSVGElement {
  const width = 560, height = 380, all = series.flatMap((s) => s.points);
  const x = makeScale(all.map((p) => p.means[0]), 5), y = makeScale(all.map((p) => p.means[1] ?? p.means[0]), 5);
  const out = canvas(width, height, `Pareto fronts of ${series.map((s) => s.name).join(', ')}`);
  const to = axes(out, width, height, x, y, `${features[0]} per episode`, `${features[1] ?? features[0]} per episode`);
  for (const { style, points } of series) {
    const at = (p: { means: number[] }) => [to.x(p.means[0]), to.y(p.means[1] ?? p.means[0])] as const;
    const front = points.filter((p) => p.front).sort((a, b) => a.means[0] - b.means[0]);
    out.append(svg('path', { ...styled(style), d: front.map((p, k) => `${k ? 'L' : 'M'}${at(p).join(' ')}`).join('') }));
    for (const p of points) {
      const mark = symbol(style, ...at(p), p.front ? 4.5 : 3);
      if (!p.front) mark.setAttribute('fill', 'var(--back)');
      else mark.setAttribute('fill', colour(style));
      out.append(mark);
    }
  }
  return out;
}
