// curves.ts: curves with bands, drawn by uPlot: hover, zoom, toggles, single seeds and published values.
import uPlot from 'uplot';
import { runValues, type Curve, type CurveKind, type Numbers } from './data';
import { choice, h } from './dom';
import { FEW, type State } from './legend';
import { font } from './palette';
import { saver, svgOfMade, type Rows } from './save';
import { colour, css, dash, followTheme, isOpen, mark, tracePath } from './theme';

export interface Kind {
  key: CurveKind;
  title: string; // of the y axis
  x: string;     // of the x axis
}

const OPTIMUM = -1; // among the names of configurations
const STEPS = 'Environment step'; // the x axis of curves over steps

type Line = { centre: Numbers; low: Numbers; high: Numbers };

// the distances of ticks on the x axis: tasks, episodes and steps are whole
const WHOLE = [1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].flatMap((power) => [power, 2 * power, 5 * power]);

// a name that fits beside the figure
const short = (name: string) => (name.length > 24 ? `${name.slice(0, 23)}…` : name);

const pixels = () => Math.max(1, window.devicePixelRatio || 1);

export class CurveChart {
  readonly element: HTMLElement;
  private readonly place = h('div', { class: 'plot' });
  private readonly heading = h('span', { class: 'at' });
  private readonly shown = h('span', {}); // the choice of the curve
  private plot: uPlot | null = null;
  private kind: Kind;
  private xs: number[] = [];
  private lines: (Line | null)[] = [];
  private curves: (Curve | null)[] = [];
  private indexOf = new Map<number, number>(); // of an x among xs
  private seedLines: Numbers[][] | null = null; // (configuration, run), over xs; made when they are first shown
  private near = true;   // on the screen, or almost
  private stale = false; // what is drawn is not what was chosen
  private reader: ((index: number | null) => void) | null = null;
  private drawn: (() => void) | null = null;

  constructor(private readonly state: State, private readonly kinds: Kind[], readonly label: string, private readonly height = 380) {
    this.kind = kinds[0];
    this.element = h('figure', { class: 'chart' },
      h('div', { class: 'bar' },
        this.axisSwitch(),
        this.shown,
        this.heading,
        h('span', { class: 'zoom' },
          h('button', { type: 'button', 'aria-label': 'Zoom in', title: 'Zoom in (+)', click: () => this.zoom(0.5) }, '+'),
          h('button', { type: 'button', 'aria-label': 'Zoom out', title: 'Zoom out (−)', click: () => this.zoom(2) }, '−'),
          h('button', { type: 'button', title: 'Show the whole curve (0)', click: () => this.zoom(Infinity) }, 'All'))),
      this.place,
      saver(() => `${state.report.name}-${this.kind.key}`, () => svgOfMade(() => this.make(h('div'), Math.max(560, this.place.clientWidth))), () => this.rows()));
    this.fillChoice();
    this.place.tabIndex = 0;
    this.place.setAttribute('role', 'group');
    this.place.addEventListener('keydown', (event) => this.key(event));
    state.follow(() => this.refresh());
    followTheme(() => this.build());
    new ResizeObserver(() => this.fit()).observe(this.place);
    new IntersectionObserver(([entry]) => {
      this.near = entry.isIntersecting;
      this.draw();
    }, { rootMargin: '200px' }).observe(this.place);
    this.load();
  }

  // Tells a reader which point the cursor is at; null: none.
  onCursor(reader: (index: number | null) => void): void {
    this.reader = reader;
  }

  // What the curves are at a point (null: at their ends), for the legend.
  read(configuration: number, index: number | null): { centre: number | null; low: number | null; high: number | null } | null {
    const line = this.lines[configuration];
    if (!line) return null;
    let at = index;
    if (at === null) for (at = this.xs.length - 1; at > 0 && line.centre[at] === null; at--);
    return { centre: line.centre[at] ?? null, low: line.low[at] ?? null, high: line.high[at] ?? null };
  }

  onDrawn(reader: () => void): void {
    this.drawn = reader;
  }

  nameOf(i: number): string {
    return this.state.report.configurations[i].name;
  }

  styleOf(i: number): number {
    return this.state.report.configurations[i].style;
  }

  // What is drawn, for the small figures.
  view() {
    const values = [...this.state.visible].flatMap((i) => (this.lines[i] ? [...this.lines[i]!.centre, ...this.lines[i]!.low, ...this.lines[i]!.high] : []));
    const best = this.optimum(), optimum = best ? this.spread(best, best.mean) : null;
    const known = [...values, ...(optimum ?? [])].filter((v): v is number => v !== null);
    const low = known.reduce((a, b) => Math.min(a, b), Infinity), high = known.reduce((a, b) => Math.max(a, b), -Infinity);
    return { xs: this.xs, lines: this.lines, optimum, low: Math.min(0, low), high: Number.isFinite(high) ? high : 1, title: this.kind.title, x: this.kind.x };
  }

  // What is shown, as a table.
  rows(): Rows {
    const shown = [...this.state.visible].filter((i) => this.curves[i]);
    return { head: ['configuration', 'curve', this.kind.x.toLowerCase().replace(/ /g, '_'), 'runs', 'mean', 'se', 'iqm', 'iqm_low', 'iqm_high'],
      rows: shown.flatMap((i) => this.curves[i]!.x.map((x, k) => {
        const c = this.curves[i]!;
        return [this.nameOf(i), this.kind.key, x, c.runs[k], c.mean[k], c.se[k], c.iqm[k], c.low[k], c.high[k]];
      })) };
  }

  // the kinds that share the present one's axis: tasks and episodes, or steps
  private offered(): Kind[] {
    return this.kinds.filter((k) => (k.x === STEPS) === (this.kind.x === STEPS));
  }

  private fillChoice(): void {
    const kinds = this.offered();
    this.shown.replaceChildren(kinds.length > 1
      ? choice('Show', kinds.map((k): [CurveKind, string] => [k.key, k.title]), this.kind.key, (key) => this.choose(key))
      : h('span', { class: 'name' }, this.kind.title));
  }

  private axisSwitch(): HTMLElement | false {
    const groups: [string, Kind | undefined][] = [
      ['Per task', this.kinds.find((k) => k.x !== STEPS)], ['Over steps', this.kinds.find((k) => k.x === STEPS)]];
    if (groups.some(([, first]) => !first)) return false;
    return h('fieldset', { class: 'axis' }, h('legend', { class: 'hidden' }, 'What the curves are drawn against'),
      ...groups.map(([text, first]) => h('label', {}, h('input', { type: 'radio', name: `axis ${this.label}`, value: text,
        checked: (first!.x === STEPS) === (this.kind.x === STEPS), change: () => { this.choose(first!.key); this.fillChoice(); } }), text)));
  }

  private choose(key: CurveKind): void {
    this.kind = this.kinds.find((k) => k.key === key)!;
    this.load();
    this.build();
    this.reader?.(null);
    this.drawn?.();
  }

  // ---- numbers ----

  // takes the curves of a kind
  private load(): void {
    this.curves = this.state.report.configurations.map((c) => c.curves[this.kind.key] ?? null);
    this.xs = [...new Set(this.curves.flatMap((c) => c?.x ?? []))].sort((a, b) => a - b);
    this.indexOf = new Map(this.xs.map((x, i) => [x, i]));
    this.seedLines = null;
    this.centre();
  }

  private spread(curve: Curve, values: Numbers): Numbers {
    const out: Numbers = new Array<number | null>(this.xs.length).fill(null);
    for (let i = 0; i < curve.x.length; i++) out[this.indexOf.get(curve.x[i])!] = values[i] ?? null;
    return out;
  }

  // works out what is drawn of them: means with errors, or interquartile means with intervals
  private centre(): void {
    const mean = this.state.centre === 'mean';
    this.lines = this.curves.map((curve) => {
      if (!curve) return null;
      const enough = (values: Numbers) => values.map((value, i) => (curve.runs[i] >= FEW ? value : null));
      const add = (sign: number) => curve.mean.map((value, i) => (value === null || curve.se[i] === null ? null : value + sign * curve.se[i]!));
      return {
        centre: this.spread(curve, mean ? curve.mean : curve.iqm),
        low: this.spread(curve, mean ? add(-1) : enough(curve.low)),
        high: this.spread(curve, mean ? add(1) : enough(curve.high)),
      };
    });
  }

  private seeds(configuration: number): Numbers[] {
    this.seedLines ??= this.curves.map((curve, i) => {
      if (!curve) return [];
      const runs = curve.values ?? this.state.report.configurations[i].runs.map((run) => runValues(run, this.kind.key));
      return runs.map((values) => this.spread(curve, values));
    });
    return this.seedLines[configuration];
  }

  // the most that can be earned, where it is known
  private optimum(): Curve | undefined {
    return this.state.report.optimum[this.kind.key];
  }

  private published(): { i: number; x: number; y: number; se: number | null }[] {
    if (this.kind.key !== 'average') return [];
    return this.state.report.verdicts
      .filter((v) => v.configuration !== undefined && this.state.visible.has(v.configuration))
      .map((v) => ({ i: v.configuration!, x: v.task, y: v.published, se: v.published_se }));
  }

  // room at both ends, so that marks on the first and the last point are whole
  private widen(min: number, max: number): [number, number] {
    if (this.xs.length < 2) return [(this.xs[0] ?? 1) - 0.5, (this.xs[0] ?? 1) + 0.5];
    const room = 0.02 * (this.xs[this.xs.length - 1] - this.xs[0]);
    return [min <= this.xs[0] ? this.xs[0] - room : min, max >= this.xs[this.xs.length - 1] ? this.xs[this.xs.length - 1] + room : max];
  }

  private range(u: uPlot): [number, number] {
    const from = u.scales.x.min ?? -Infinity, to = u.scales.x.max ?? Infinity;
    let low = Infinity, high = -Infinity;
    const take = (values: Numbers) => {
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        if (value === null || this.xs[i] < from || this.xs[i] > to) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    };
    for (const i of this.state.visible) {
      const line = this.lines[i];
      if (!line) continue;
      take(line.centre);
      if (this.state.bands) take(line.low), take(line.high);
      if (this.state.seeds) this.seeds(i).forEach(take);
    }
    const optimum = this.optimum();
    if (optimum) take(this.spread(optimum, optimum.mean));
    for (const mark of this.published()) if (mark.x >= from && mark.x <= to) (low = Math.min(low, mark.y)), (high = Math.max(high, mark.y));
    if (low > high) return [0, 1];
    return uPlot.rangeNum(low, high, { min: { pad: 0.06, soft: 0, mode: 2 }, max: { pad: 0.06, soft: 0, mode: 2 } }) as [number, number];
  }

  // ---- drawing ----

  build(): void {
    this.plot?.destroy();
    this.stale = false;
    this.plot = this.make(this.place, this.place.clientWidth || 600);
    this.describe();
  }

  private make(place: HTMLElement, width: number): uPlot {
    const text = css('--text'), grid = css('--grid');
    const type = `12px ${font}`;
    const axis = { stroke: text, font: type, labelFont: type, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const whole = (_u: uPlot, splits: number[]) => splits.map((v) => (Number.isInteger(v) ? v.toLocaleString('en') : ''));
    return new uPlot({
      width, height: this.height,
      padding: [null, () => this.labelRoom(width), null, null],
      legend: { show: false },
      cursor: { points: { size: 7 }, drag: { x: true, y: false }, focus: { prox: 24 } },
      focus: { alpha: 0.35 },
      scales: {
        x: { time: false, range: (_u, min, max) => this.widen(min, max) },
        y: { range: (u) => this.range(u) },
      },
      axes: [
        { ...axis, label: this.kind.x, labelSize: 20, labelGap: 0, size: 30, incrs: WHOLE, values: whole },
        { ...axis, label: this.kind.title, labelSize: 22, size: 64, values: (_u, splits) => splits.map((v) => v.toLocaleString('en', { maximumFractionDigits: 6 })) },
      ],
      series: [{}, ...this.lines.map((_, i) => ({
        show: this.state.visible.has(i),
        stroke: colour(this.styleOf(i)), width: 2, dash: dash(this.styleOf(i)), spanGaps: this.kind.x !== STEPS,
        points: { show: false },
      }))],
      hooks: {
        drawAxes: [(u) => this.drawUnder(u), (u) => this.drawOptimum(u)],
        draw: [(u) => this.drawSymbols(u), (u) => this.drawMarks(u), (u) => this.drawLabels(u)],
        setCursor: [(u) => this.moved(u.cursor.idx ?? null)],
        setScale: [(u, key) => key === 'x' && u.series.length > 1 && this.describe()],
      },
    }, this.data(), place);
  }

  // ---- names at the ends of the lines ----

  private labelled(): boolean {
    return this.state.visible.size <= 12 && this.height > 300;
  }

  private labelRoom(width: number): number {
    if (!this.labelled() || width < 560) return 16;
    const longest = Math.max(this.optimum() ? 7 : 0, ...[...this.state.visible].map((i) => short(this.nameOf(i)).length));
    return 26 + 6.6 * longest;
  }

  private drawLabels(u: uPlot): void {
    if (!this.labelled() || this.labelRoom(u.width) <= 16) return;
    const c = u.ctx, ratio = pixels(), gap = 15 * ratio;
    const to = u.scales.x.max ?? Infinity;
    const ends = [...this.state.visible].flatMap((i) => {
      const line = this.lines[i];
      let k = this.xs.length - 1;
      while (line && k >= 0 && (line.centre[k] === null || this.xs[k] > to)) k--;
      return line && k >= 0 ? [{ i, y: u.valToPos(line.centre[k]!, 'y', true) }] : [];
    });
    const best = this.optimum(), top = best?.mean[best.mean.length - 1];
    if (top != null) ends.push({ i: OPTIMUM, y: u.valToPos(top, 'y', true) });
    ends.sort((a, b) => a.y - b.y);
    // those that would lie over each other are moved apart, from the middle of each crowd
    for (let round = 0; round < 50; round++)
      for (let k = 1; k < ends.length; k++) {
        const over = gap - (ends[k].y - ends[k - 1].y);
        if (over > 0) (ends[k].y += over / 2), (ends[k - 1].y -= over / 2);
      }
    const x = u.bbox.left + u.bbox.width + 8 * ratio;
    c.save();
    c.font = `${12 * ratio}px ${font}`;
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    for (const { i, y } of ends) {
      if (i !== OPTIMUM) this.drawSymbol(c, i, x + 5 * ratio, y, 4 * ratio);
      c.fillStyle = css(i === OPTIMUM ? '--optimum' : '--text');
      c.fillText(i === OPTIMUM ? 'optimum' : short(this.nameOf(i)), x + 14 * ratio, y);
    }
    c.restore();
  }

  private drawSymbol(c: CanvasRenderingContext2D, i: number, x: number, y: number, r: number): void {
    const style = this.styleOf(i);
    tracePath(c, mark(style).shape, x, y, r);
    c.fillStyle = isOpen(style) ? css('--back') : colour(style);
    c.strokeStyle = colour(style);
    c.lineWidth = 1.5 * pixels();
    c.setLineDash([]);
    c.fill();
    c.stroke();
  }

  // on every point of a short curve, on some of a long one; they begin at different points so as not to hide each other
  private drawSymbols(u: uPlot): void {
    const step = this.xs.length > 12 ? Math.ceil(this.xs.length / 8) : 1;
    this.clipped(u, (c) => {
      for (const i of this.state.visible) {
        const line = this.lines[i];
        if (!line) continue;
        for (let k = step > 1 ? Math.floor(((2 * i + 1) * step) / (2 * this.lines.length)) % step : 0; k < this.xs.length; k += step)
          if (line.centre[k] !== null) this.drawSymbol(c, i, u.valToPos(this.xs[k], 'x', true), u.valToPos(line.centre[k]!, 'y', true), 3.6 * pixels());
      }
    });
  }

  private data(): uPlot.AlignedData {
    return [this.xs, ...this.lines.map((line) => line?.centre ?? new Array<null>(this.xs.length).fill(null))] as uPlot.AlignedData;
  }

  private describe(): void {
    const names = [...this.state.visible].filter((i) => this.lines[i]).map((i) => this.state.report.configurations[i].name);
    const what = names.length > 6 ? `${names.length} configurations` : names.join(', ');
    const { min, max } = this.plot?.scales.x ?? {};
    const first = Math.ceil(Math.max(min ?? 1, this.xs[0])), last = Math.floor(Math.min(max ?? 1, this.xs[this.xs.length - 1]));
    this.place.setAttribute('aria-label', `${this.label}: ${this.kind.title} of ${what}, ${this.kind.x.toLowerCase()} ${first} to ${last}. Left and right move the cursor, plus and minus zoom, 0 shows all.`);
  }

  private clipped(u: uPlot, draw: (c: CanvasRenderingContext2D) => void, beyond = 0): void {
    const c = u.ctx;
    c.save();
    c.beginPath();
    c.rect(u.bbox.left - beyond, u.bbox.top, u.bbox.width + 2 * beyond, u.bbox.height);
    c.clip();
    draw(c);
    c.restore();
  }

  private drawUnder(u: uPlot): void {
    const xs = this.xs.map((x) => u.valToPos(x, 'x', true));
    const y = (value: number) => u.valToPos(value, 'y', true);
    this.clipped(u, (c) => {
      for (const i of this.state.visible) {
        const line = this.lines[i];
        if (!line) continue;
        c.fillStyle = c.strokeStyle = colour(this.styleOf(i));
        if (this.state.bands) this.drawBand(c, line, xs, y);
        if (!this.state.seeds) continue;
        c.globalAlpha = this.state.visible.size > 8 ? 0.18 : 0.38;
        c.lineWidth = pixels();
        for (const values of this.seeds(i)) {
          c.beginPath();
          for (const part of this.parts(values)) part.forEach((k, at) => (at ? c.lineTo(xs[k], y(values[k]!)) : c.moveTo(xs[k], y(values[k]!))));
          c.stroke();
        }
      }
    });
  }

  // the places of the numbers that are there; over steps, where a task without any lies between two, in several parts
  private parts(values: Numbers): number[][] {
    const parts: number[][] = [[]];
    values.forEach((value, k) => {
      if (value !== null) parts[parts.length - 1].push(k);
      else if (this.kind.x === STEPS) parts.push([]);
    });
    return parts.filter((part) => part.length);
  }

  private drawBand(c: CanvasRenderingContext2D, line: Line, xs: number[], y: (value: number) => number): void {
    c.globalAlpha = this.state.visible.size > 8 ? 0.08 : 0.16;
    const both = line.low.map((low, k) => (low === null ? null : line.high[k]));
    for (const points of this.parts(both)) {
      c.beginPath();
      if (points.length === 1 && xs.length <= 12) c.rect(xs[points[0]] - 6 * pixels(), y(line.high[points[0]]!), 12 * pixels(), y(line.low[points[0]]!) - y(line.high[points[0]]!));
      for (const k of points) c.lineTo(xs[k], y(line.high[k]!));
      for (const k of points.reverse()) c.lineTo(xs[k], y(line.low[k]!));
      c.fill();
    }
  }

  // a dashed line with its name at the right; of a single task as wide as the figure
  private drawOptimum(u: uPlot): void {
    const optimum = this.optimum();
    if (!optimum) return;
    this.clipped(u, (c) => {
      const points = optimum.x.map((x, k) => [u.valToPos(x, 'x', true), optimum.mean[k]] as const)
        .filter((point): point is readonly [number, number] => point[1] !== null)
        .map(([x, y]): [number, number] => [x, u.valToPos(y, 'y', true)]);
      if (points.length === 1) points.unshift([u.bbox.left, points[0][1]]), points.push([u.bbox.left + u.bbox.width, points[0][1]]);
      c.strokeStyle = c.fillStyle = css('--optimum');
      c.lineWidth = 1.5 * pixels();
      c.setLineDash([6 * pixels(), 5 * pixels()]);
      c.beginPath();
      for (const [x, y] of points) c.lineTo(x, y);
      c.stroke();
      if (this.labelled() && this.labelRoom(u.width) > 16) return; // its name stands with the others
      c.font = `${12 * pixels()}px ${font}`;
      c.textAlign = 'right';
      c.fillText('optimum', Math.min(points[points.length - 1][0], u.bbox.left + u.bbox.width) - 4 * pixels(), points[points.length - 1][1] + 16 * pixels());
    });
  }

  // published values: a diamond with its standard error
  private drawMarks(u: uPlot): void {
    this.clipped(u, (c) => {
      const r = 6 * pixels(), { min = -Infinity, max = Infinity } = u.scales.x;
      const all = this.published().filter((m) => m.x >= min && m.x <= max);
      for (const mark of all) {
        // those of one task stand side by side, within their task
        const same = all.filter((m) => m.x === mark.x), task = u.valToPos(mark.x + 1, 'x', true) - u.valToPos(mark.x, 'x', true);
        const aside = Math.min(9 * pixels(), (0.7 * task) / same.length) * (same.indexOf(mark) - (same.length - 1) / 2);
        const x = u.valToPos(mark.x, 'x', true) + aside, y = u.valToPos(mark.y, 'y', true);
        c.strokeStyle = css('--text');
        c.lineWidth = 1.5 * pixels();
        c.fillStyle = colour(this.styleOf(mark.i));
        if (mark.se !== null) {
          c.beginPath();
          c.moveTo(x, u.valToPos(mark.y - mark.se, 'y', true));
          c.lineTo(x, u.valToPos(mark.y + mark.se, 'y', true));
          c.stroke();
        }
        c.beginPath();
        c.moveTo(x, y - r), c.lineTo(x + r, y), c.lineTo(x, y + r), c.lineTo(x - r, y), c.closePath();
        c.fill();
        c.stroke();
      }
    }, 20 * pixels());
  }

  // ---- changes ----

  private refresh(): void {
    this.centre();
    this.stale = true;
    this.draw();
    this.drawn?.();
  }

  // what is not on the screen is drawn when it comes there
  private draw(): void {
    const plot = this.plot;
    if (!plot || !this.near || !this.stale) return;
    this.stale = false;
    plot.batch(() => {
      plot.setData(this.data(), false);
      this.lines.forEach((_, i) => plot.series[i + 1].show !== this.state.visible.has(i) && plot.setSeries(i + 1, { show: this.state.visible.has(i) }));
      // the y axis follows what is shown, the x axis stays where the reader zoomed to
      plot.redraw();
    });
    this.describe();
  }

  private fit(): void {
    const width = this.place.clientWidth;
    if (!width) return;
    if (!this.plot) this.build();
    else if (this.plot.width !== width) this.plot.setSize({ width, height: this.height });
  }

  private moved(index: number | null): void {
    this.heading.textContent = index === null ? '' : `${this.kind.x.toLowerCase()} ${this.xs[index].toLocaleString('en')}`;
    this.reader?.(index);
  }

  private zoom(factor: number): void {
    const plot = this.plot;
    if (!plot || this.xs.length < 2) return;
    const first = this.xs[0], last = this.xs[this.xs.length - 1];
    const { min, max } = plot.scales.x as { min: number; max: number };
    const idx = plot.cursor.idx;
    const middle = idx !== null && idx !== undefined && factor < 1 ? this.xs[idx] : (min + max) / 2;
    const half = Math.max(0.5, (factor * (max - min)) / 2);
    plot.setScale('x', { min: Math.max(first, middle - half), max: Math.min(last, middle + half) });
  }

  private key(event: KeyboardEvent): void {
    const plot = this.plot;
    if (!plot) return;
    const step = event.shiftKey ? 10 : 1;
    const at = plot.cursor.idx ?? null;
    const go = (index: number) => {
      const i = Math.min(this.xs.length - 1, Math.max(0, index));
      plot.setCursor({ left: plot.valToPos(this.xs[i], 'x'), top: plot.over.clientHeight / 2 });
    };
    if (event.key === 'ArrowRight') go(at === null ? 0 : at + step);
    else if (event.key === 'ArrowLeft') go(at === null ? this.xs.length - 1 : at - step);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(this.xs.length - 1);
    else if (event.key === '+' || event.key === '=') this.zoom(0.5);
    else if (event.key === '-') this.zoom(2);
    else if (event.key === '0' || event.key === 'Escape') this.zoom(Infinity);
    else return;
    event.preventDefault();
  }
}
