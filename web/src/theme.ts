// theme.ts: light and dark, and what the figures take from the palette.
import { objects, stops, styles, type Mark } from './palette';

let forced: 'light' | 'dark' | null = null;
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners: (() => void)[] = [];

export function isDark(): boolean {
  return forced ? forced === 'dark' : system.matches;
}

// Styles go by their number in the palette; a configuration of a report names its own.
const style = (i: number) => styles[i % styles.length];

export function colour(i: number): string {
  return isDark() ? style(i).dark : style(i).light;
}

// In pixels, for a line of that width.
export function dash(i: number, width = 2): number[] {
  return style(i).dash.map((part) => part * width);
}

export function mark(i: number): { shape: Mark; open: boolean } {
  return { shape: style(i).mark, open: style(i).open };
}

// The colour of an object by its shape.
export function objectColour(shape: string): string {
  return (objects[shape] ?? objects.circle)[isDark() ? 'dark' : 'light'];
}

export const isOpen = (i: number) => style(i).open;

// The mark of a style as the path of an SVG.
export function markPath(i: number, x: number, y: number, r: number): string {
  let d = '';
  const path = {
    beginPath() {}, closePath: () => (d += 'Z'), lineTo: (px: number, py: number) => (d += `${d ? 'L' : 'M'}${px.toFixed(2)} ${py.toFixed(2)}`),
    arc: () => (d = `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`),
    rect: (px: number, py: number, w: number, height: number) => (d = `M${px} ${py}h${w}v${height}h${-w}Z`),
  };
  tracePath(path as unknown as CanvasRenderingContext2D, style(i).mark, x, y, r);
  return d;
}

// Draws the outline of a mark or an object around a point, y downwards unless `up` is -1.
export function tracePath(c: CanvasRenderingContext2D, shape: string, x: number, y: number, r: number, up = 1): void {
  const corners = (count: number, from: number, reach: (k: number) => number) => {
    for (let k = 0; k < count; k++) {
      const angle = from + (2 * Math.PI * k) / count;
      c.lineTo(x + reach(k) * r * Math.sin(angle), y - up * reach(k) * r * Math.cos(angle));
    }
    c.closePath();
  };
  c.beginPath();
  if (shape === 'circle') c.arc(x, y, r, 0, 2 * Math.PI);
  else if (shape === 'square') c.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
  else if (shape === 'triangle') corners(3, 0, () => 1.2);
  else if (shape === 'upside') corners(3, Math.PI, () => 1.2);
  else if (shape === 'pentagon') corners(5, 0, () => 1.1);
  else if (shape === 'star') corners(10, 0, (k) => (k % 2 ? 0.45 : 1.15));
  else if (shape === 'cross') corners(12, 0, (k) => (k % 3 === 0 ? 0.4 : 1.04));
  else corners(4, 0, () => 1.25); // a diamond
}

// A colour of the palette; asked for often, as the playground draws 60 times a second.
const known = new Map<string, string>();

export function css(name: string): string {
  let value = known.get(name);
  if (value === undefined) known.set(name, (value = getComputedStyle(document.documentElement).getPropertyValue(name).trim()));
  return value;
}

export function followTheme(listener: () => void): void {
  listeners.push(listener);
}

// What was drawn has gone: nobody follows any more.
export function forgetFollowers(): void {
  listeners.length = 0;
}

export function setTheme(theme: 'light' | 'dark' | null): void {
  forced = theme;
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  known.clear();
  for (const listener of listeners) listener();
}

// Paper is white whatever the screen is; afterwards the screen is as before.
export function watchTheme(): void {
  system.addEventListener('change', () => setTheme(forced));
  let before: 'light' | 'dark' | null = null;
  addEventListener('beforeprint', () => {
    before = forced;
    setTheme('light');
  });
  addEventListener('afterprint', () => setTheme(before));
}

// Values from low to high.
const RAMP = stops.map((text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)));

export function ramp(share: number): [number, number, number] {
  const at = Math.min(1, Math.max(0, share)) * (RAMP.length - 1);
  const i = Math.min(RAMP.length - 2, Math.floor(at));
  const t = at - i;
  return [0, 1, 2].map((c) => Math.round(RAMP[i][c] * (1 - t) + RAMP[i + 1][c] * t)) as [number, number, number];
}

export function rampText(share: number): string {
  return `rgb(${ramp(share).join(',')})`;
}
