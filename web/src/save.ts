// save.ts: figures as files: SVG, PNG and CSV, made in the page.
//
// What is drawn on a canvas is drawn once more, by the same code, on a recorder that writes down SVG: there is no second
// renderer. A PNG is the SVG at twice its size.
import { h } from './dom';
import { css } from './theme';

export type Cell = string | number | null | undefined;
export interface Rows {
  head: string[];
  rows: Cell[][];
}

export function csv({ head, rows }: Rows): string {
  const cell = (value: Cell) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [head, ...rows].map((row) => row.map(cell).join(',') + '\n').join('');
}

export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export const saveText = (name: string, type: string, text: string) => save(name, new Blob([text], { type }));

function savePng(name: string, svg: string): void {
  const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(svg)!.map(Number);
  const image = new Image();
  image.onload = () => {
    const canvas = h('canvas', { width: Math.round(2 * width), height: Math.round(2 * height) });
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => blob && save(name, blob), 'image/png');
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

// The buttons below a figure. `name` is that of the files.
export function saver(name: () => string, draw: () => string | Promise<string>, rows: () => Rows): HTMLElement {
  const button = (kind: string, act: () => void) => h('button', { type: 'button', 'aria-label': `Save ${name()} as ${kind}`, click: act }, kind);
  return h('div', { class: 'save', role: 'group', 'aria-label': 'Save the figure' }, h('span', {}, 'Save'),
    button('SVG', async () => saveText(`${name()}.svg`, 'image/svg+xml', await draw())),
    button('PNG', async () => savePng(`${name()}.png`, await draw())),
    button('CSV', () => saveText(`${name()}.csv`, 'text/csv', csv(rows()))));
}

// ---- elements ----

const escape = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
const TAKEN = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'opacity', 'font-size', 'font-family', 'font-weight', 'text-anchor'];

// An SVG element as text, with the styles of the page in it.
function inner(element: SVGSVGElement): string {
  const copy = element.cloneNode(true) as SVGSVGElement;
  const from = element.querySelectorAll('*'), to = copy.querySelectorAll('*');
  from.forEach((one, i) => {
    const style = getComputedStyle(one);
    for (const key of TAKEN) to[i].setAttribute(key, style.getPropertyValue(key));
    to[i].removeAttribute('class');
    to[i].removeAttribute('style');
  });
  return copy.innerHTML;
}

function wrap(width: number, height: number, content: string, viewBox = `0 0 ${width} ${height}`): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${viewBox}">` +
    `<rect width="100%" height="100%" fill="${css('--back')}"/>${content}</svg>`;
}

// Elements below each other in rows of so many, each under its title if it has one.
export function svgOf(elements: { title?: string; svg: SVGSVGElement }[], columns = 1): string {
  const size = (svg: SVGSVGElement) => svg.viewBox.baseVal;
  const width = Math.max(...elements.map((e) => size(e.svg).width)), titled = elements.some((e) => e.title);
  let content = '', y = 0, tall = 0;
  elements.forEach(({ title, svg }, i) => {
    if (i && i % columns === 0) (y += tall), (tall = 0);
    const x = (i % columns) * (width + 12), top = titled ? 18 : 0;
    if (title) content += `<text x="${x + 6}" y="${y + 14}" fill="${css('--text')}" font-family="${escape(css('--font'))}" font-size="12" font-weight="600">${escape(title)}</text>`;
    content += `<svg x="${x}" y="${y + top}" width="${size(svg).width}" height="${size(svg).height}">${inner(svg)}</svg>`;
    tall = Math.max(tall, size(svg).height + top + 6);
  });
  return wrap(Math.min(columns, elements.length) * (width + 12), y + tall, content);
}

// The pictures in the rows of a table, with the names of the rows.
export function svgOfTable(table: HTMLElement): string {
  const rows = [...table.querySelectorAll<HTMLTableRowElement>('tr')].filter((row) => row.querySelector('svg.row-plot'));
  const name = (row: HTMLTableRowElement) => (row.parentElement!.tagName === 'THEAD' ? '' : row.cells[0].textContent ?? '');
  const left = 20 + 7 * Math.max(...rows.map((row) => name(row).length));
  let content = '', y = 4, width = 0;
  for (const row of rows) {
    const svg = row.querySelector<SVGSVGElement>('svg.row-plot')!, box = svg.viewBox.baseVal;
    content += `<text x="8" y="${y + box.height / 2 + 4}" fill="${css('--text')}" font-family="${escape(css('--font'))}" font-size="12">${escape(name(row))}</text>` +
      `<svg x="${left}" y="${y}" width="${box.width}" height="${box.height}">${inner(svg)}</svg>`;
    y += box.height + 2;
    width = Math.max(width, left + box.width + 8);
  }
  return wrap(width, y + 4, content);
}

// What a table shows.
export function rowsOfTable(table: HTMLElement): Rows {
  const text = (cell: Element) => (cell.querySelector('svg.row-plot') ? '' : (cell.textContent ?? '').trim());
  const lines = [...table.querySelectorAll('tr')].map((row) => [...row.cells].map(text));
  const kept = (row: string[]) => row.filter((_, i) => lines.some((line) => line[i]));
  return { head: kept(lines[0]), rows: lines.slice(1).map(kept) };
}

// ---- canvases ----

interface Drawing {
  fillStyle: string; strokeStyle: string; lineWidth: number; globalAlpha: number; font: string; textAlign: string; textBaseline: string;
  lineJoin: string; lineCap: string; dash: number[]; matrix: DOMMatrix; clip: string;
}

class RecordedPath {
  d = '';
  constructor(from?: RecordedPath) { this.d = from?.d ?? ''; }
  moveTo(x: number, y: number) { this.d += `M${x} ${y}`; }
  lineTo(x: number, y: number) { this.d += `${this.d ? 'L' : 'M'}${x} ${y}`; }
  closePath() { if (this.d) this.d += 'Z'; }
  rect(x: number, y: number, w: number, height: number) { this.d += `M${x} ${y}h${w}v${height}h${-w}Z`; }
  bezierCurveTo(...at: number[]) { this.d += `C${at.join(' ')}`; }
  arc(x: number, y: number, r: number, from: number, to: number) {
    const at = (angle: number) => `${x + r * Math.cos(angle)} ${y + r * Math.sin(angle)}`;
    if (to - from >= 2 * Math.PI - 1e-6) this.d += `M${at(0)}A${r} ${r} 0 1 1 ${at(Math.PI)}A${r} ${r} 0 1 1 ${at(2 * Math.PI)}Z`;
    else this.d += `${this.d ? 'L' : 'M'}${at(from)}A${r} ${r} 0 ${to - from > Math.PI ? 1 : 0} 1 ${at(to)}`;
  }
  addPath(path: RecordedPath) { this.d += path.d; }
}

// What of a canvas's context is used here and by uPlot.
class Recorder extends RecordedPath {
  private out = '';
  private clips = 0;
  private readonly stack: Drawing[] = [];
  private readonly ruler = document.createElement('canvas').getContext('2d')!;
  fillStyle = 'black'; strokeStyle = 'black'; lineWidth = 1; globalAlpha = 1; font = '12px sans-serif'; textAlign = 'start'; textBaseline = 'alphabetic';
  lineJoin = 'miter'; lineCap = 'butt'; dash: number[] = []; matrix = new DOMMatrix(); clipped = ''; imageSmoothingEnabled = true; lineDashOffset = 0;

  constructor(readonly canvas: HTMLCanvasElement) { super(); }

  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, lineJoin, lineCap, dash, matrix } = this;
    this.stack.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, lineJoin, lineCap, dash, matrix, clip: this.clipped });
  }
  restore() {
    const { clip, ...rest } = this.stack.pop() ?? {} as Drawing;
    Object.assign(this, rest);
    if (clip !== undefined) this.clipped = clip;
  }
  beginPath() { this.d = ''; }
  setLineDash(dash: number[]) { this.dash = dash; }
  translate(x: number, y: number) { this.matrix = this.matrix.translate(x, y); }
  rotate(angle: number) { this.matrix = this.matrix.rotate((180 / Math.PI) * angle); }
  scale(x: number, y: number) { this.matrix = this.matrix.scale(x, y); }
  transform(...m: number[]) { this.matrix = this.matrix.multiply(new DOMMatrix(m)); }
  setTransform(...m: number[]) { this.matrix = new DOMMatrix(m.length === 6 ? m : undefined); }
  measureText(text: string) { this.ruler.font = this.font; return this.ruler.measureText(text); }
  clearRect() { this.out = ''; }
  clip(path: RecordedPath = this) {
    const id = `c${++this.clips}`;
    this.out += `<clipPath id="${id}"${this.clipped && ` clip-path="${this.clipped}"`}><path d="${path.d}"${this.placed()}/></clipPath>`;
    this.clipped = `url(#${id})`;
  }

  private placed(): string {
    const { a, b, c, d, e, f, isIdentity } = this.matrix;
    return isIdentity ? '' : ` transform="matrix(${[a, b, c, d, e, f].join(' ')})"`;
  }
  private put(tag: string, attributes: string, content = '') {
    const clip = this.clipped && ` clip-path="${this.clipped}"`;
    const drawn = `<${tag} ${attributes}${this.placed()}${this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : ''}${content ? `>${content}</${tag}>` : '/>'}`;
    this.out += clip ? `<g${clip}>${drawn}</g>` : drawn;
  }
  fill(path: RecordedPath = this) { this.put('path', `d="${path.d}" fill="${escape(String(this.fillStyle))}"`); }
  stroke(path: RecordedPath = this) {
    if (path.d) this.put('path', `d="${path.d}" fill="none" stroke="${escape(String(this.strokeStyle))}" stroke-width="${this.lineWidth}" stroke-linejoin="${this.lineJoin}" stroke-linecap="${this.lineCap}"${this.dash.length ? ` stroke-dasharray="${this.dash.join(' ')}"` : ''}`);
  }
  fillRect(x: number, y: number, w: number, height: number) { const path = new RecordedPath(); path.rect(x, y, w, height); this.fill(path); }
  strokeRect(x: number, y: number, w: number, height: number) { const path = new RecordedPath(); path.rect(x, y, w, height); this.stroke(path); }
  fillText(text: string, x: number, y: number) {
    const anchor = this.textAlign === 'center' ? 'middle' : this.textAlign === 'right' || this.textAlign === 'end' ? 'end' : 'start';
    const base = this.textBaseline === 'middle' ? 'central' : this.textBaseline === 'top' ? 'hanging' : this.textBaseline === 'bottom' ? 'text-after-edge' : 'auto';
    this.put('text', `x="${x}" y="${y}" fill="${escape(String(this.fillStyle))}" style="font:${escape(this.font)}" text-anchor="${anchor}" dominant-baseline="${base}"`, escape(text) || ' ');
  }
  strokeText() { /* nothing here outlines text */ }
  drawImage(image: HTMLCanvasElement, x: number, y: number, w: number, height: number) {
    this.put('image', `href="${image.toDataURL()}" x="${x}" y="${y}" width="${w}" height="${height}" preserveAspectRatio="none" style="image-rendering:${this.imageSmoothingEnabled ? 'auto' : 'pixelated'}"`);
  }
  text(ratio: number): string {
    const { width, height } = this.canvas;
    return wrap(width / ratio, height / ratio, this.out, `0 0 ${width} ${height}`);
  }
}

// A canvas as SVG: `redraw` draws it once more, on a recorder.
export function svgOfCanvas(canvas: HTMLCanvasElement, redraw: () => void): string {
  const recorder = new Recorder(canvas);
  canvas.getContext = (() => recorder) as unknown as typeof canvas.getContext;
  redraw();
  delete (canvas as { getContext?: unknown }).getContext;
  redraw();
  return recorder.text(Math.max(1, window.devicePixelRatio || 1));
}

// The same for what makes its own canvas and draws it in a microtask, as uPlot does.
export async function svgOfMade(make: () => { destroy(): void }): Promise<string> {
  const { getContext } = HTMLCanvasElement.prototype, path = window.Path2D;
  const recorders: Recorder[] = [];
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement) {
    if (!this.dataset.recorded) {
      this.dataset.recorded = 'yes';
      HTMLCanvasElement.prototype.getContext = getContext; // the recorder measures by a real one
      recorders.push(new Recorder(this));
    }
    return recorders[recorders.length - 1];
  } as unknown as typeof getContext;
  window.Path2D = RecordedPath as unknown as typeof Path2D;
  try {
    const made = make();
    await Promise.resolve();
    await Promise.resolve();
    const text = recorders[0].text(Math.max(1, window.devicePixelRatio || 1));
    made.destroy();
    return text;
  } finally {
    HTMLCanvasElement.prototype.getContext = getContext;
    window.Path2D = path;
  }
}
