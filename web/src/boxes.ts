// boxes.ts: box plots that lie: one row each, all on the same scale, so that long names and phones have room.
import { makeScale, tickText, type Scale } from './charts';
import { number, svg } from './dom';
import { colour, followTheme, markPath } from './theme';

const WIDTH = 290, HEIGHT = 30, PAD = 10;

export { makeScale, type Scale };

const place = (scale: Scale, value: number) => PAD + ((value - scale.low) / (scale.high - scale.low)) * (WIDTH - 2 * PAD);

// As numpy.quantile does it.
function quantile(sorted: number[], share: number): number {
  const at = share * (sorted.length - 1), i = Math.floor(at);
  return i + 1 < sorted.length ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

// A row's picture, in the colour of a style if it has one.
function frame(label: string, height: number, style?: number): SVGSVGElement {
  const out = svg('svg', { class: 'row-plot', viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height, role: 'img', 'aria-label': label });
  const paint = () => out.style.setProperty('--line', colour(style!));
  if (style !== undefined) paint(), followTheme(paint);
  return out;
}

function gridLines(scale: Scale): SVGElement[] {
  return scale.ticks.map((t) => svg('line', { class: 'grid', x1: place(scale, t), x2: place(scale, t), y1: 0, y2: HEIGHT }));
}

export function axis(scale: Scale): SVGElement {
  const out = frame(`scale from ${number(scale.low)} to ${number(scale.high)}`, 18);
  for (const t of scale.ticks)
    out.append(svg('text', { x: Math.min(WIDTH - 14, Math.max(14, place(scale, t))), y: 13, 'text-anchor': 'middle' }, tickText(t)));
  return out;
}

// Quartiles, whiskers within 1.5 times their distance, every run as a dot, and the published mean as a diamond.
export function box(scale: Scale, values: number[], style: number, name: string, published: number | null): SVGElement {
  const sorted = [...values].sort((a, b) => a - b);
  const [q1, q2, q3] = [0.25, 0.5, 0.75].map((share) => quantile(sorted, share));
  const inside = sorted.filter((v) => v >= q1 - 1.5 * (q3 - q1) && v <= q3 + 1.5 * (q3 - q1));
  const [w0, w1] = [Math.min(...inside, q1), Math.max(...inside, q3)];
  const x = (value: number) => place(scale, value), y = HEIGHT / 2;
  const out = frame(`${name}: median ${number(q2)}, quartiles ${number(q1)} and ${number(q3)}, from ${number(sorted[0])} to ${number(sorted[sorted.length - 1])}`, HEIGHT, style);
  const shape = svg('g', { class: 'box' },
    svg('line', { x1: x(w0), x2: x(w1), y1: y, y2: y }),
    svg('line', { x1: x(w0), x2: x(w0), y1: y - 4, y2: y + 4 }), svg('line', { x1: x(w1), x2: x(w1), y1: y - 4, y2: y + 4 }),
    svg('rect', { x: x(q1), y: y - 8, width: Math.max(1, x(q3) - x(q1)), height: 16 }),
    svg('line', { class: 'median', x1: x(q2), x2: x(q2), y1: y - 8, y2: y + 8 }));
  const dots = svg('g', { class: 'dots' }, ...values.map((v, k) => svg('circle', { cx: x(v), cy: y + ((k % 3) - 1) * 4, r: 2.6 }, svg('title', {}, number(v)))));
  out.append(...gridLines(scale), shape, dots);
  if (published !== null) out.append(diamond(x(published), y, published));
  return out;
}

function diamond(x: number, y: number, value: number): SVGElement {
  return svg('path', { class: 'published', d: `M${x} ${y - 6}l5 6l-5 6l-5 -6z` }, svg('title', {}, `published: ${number(value)}`));
}

// Ours with two standard errors to each side, and the published mean with its own.
export function interval(scale: Scale, mean: number, se: number | null, published: number, publishedSe: number | null, style: number, label: string): SVGElement {
  const x = (value: number) => Math.min(WIDTH - 2, Math.max(2, place(scale, value))), y = HEIGHT / 2;
  const out = frame(label, HEIGHT, style);
  out.append(...gridLines(scale));
  if (se !== null) out.append(svg('rect', { class: 'two-errors', x: x(mean - 2 * se), y: y - 6, width: Math.max(1, x(mean + 2 * se) - x(mean - 2 * se)), height: 12 }));
  if (publishedSe !== null) out.append(svg('line', { class: 'published-error', x1: x(published - publishedSe), x2: x(published + publishedSe), y1: y, y2: y }));
  out.append(svg('line', { class: 'ours', x1: x(mean), x2: x(mean), y1: y - 9, y2: y + 9 }), diamond(x(published), y, published));
  return out;
}

// A difference to 0 with its interval, or with its standard error to each side.
export function difference(scale: Scale, value: number, low: number, high: number, style: number, label: string): SVGElement {
  const x = (at: number) => place(scale, at), y = HEIGHT / 2;
  const out = frame(label, HEIGHT, style);
  out.append(...gridLines(scale), svg('line', { class: 'zero', x1: x(0), x2: x(0), y1: 0, y2: HEIGHT }),
    svg('g', { class: 'box' }, svg('line', { x1: x(low), x2: x(high), y1: y, y2: y }), svg('line', { x1: x(low), x2: x(low), y1: y - 4, y2: y + 4 }), svg('line', { x1: x(high), x2: x(high), y1: y - 4, y2: y + 4 })),
    svg('path', { class: 'mark', d: markPath(style, x(value), y, 4.5) }));
  return out;
}
