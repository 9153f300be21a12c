// chart.ts: the returns of the agents since the reward changed, beside the optimum.
import uPlot from 'uplot';
import { h } from '../dom';
import { agentStyles } from '../palette';
import { colour, css, dash } from '../theme';
import { BIN } from './messages';
import type { Panel } from './panel';

const LEAST = 500; // steps that it shows at least

export class Chart {
  readonly element = h('div', { class: 'plot', role: 'img' });
  private plot: uPlot | null = null;
  private shown: Panel[] = [];

  constructor(private readonly panels: () => Panel[]) {
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(this.element);
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(200, this.element.clientWidth), height: 170 };
  }

  // Makes the chart again: for other agents, or another theme.
  rebuild(): void {
    this.plot?.destroy();
    this.shown = this.panels();
    const axis = { stroke: css('--soft'), grid: { stroke: css('--grid'), width: 1 }, ticks: { show: false }, font: '12px ' + css('--font') };
    this.plot = new uPlot({
      ...this.size(),
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: (_u, _low, high) => [0, Math.max(LEAST, high ?? 0)] }, y: { range: (_u, low, high) => [Math.min(0, low ?? 0), Math.max(20, 1.08 * (high ?? 0))] } },
      axes: [{ ...axis, size: 30, values: (_u, ticks) => ticks.map((t) => t.toLocaleString('en')) }, { ...axis, size: 46 }],
      series: [{}, { label: 'optimum', stroke: css('--optimum'), dash: [5, 4], width: 1.5, points: { show: false } },
        ...this.shown.map((p) => ({ label: p.preset, stroke: colour(agentStyles[p.preset]), dash: dash(agentStyles[p.preset]), width: 2, points: { show: false }, spanGaps: true }))],
    }, this.data(), this.element);
  }

  draw(): void {
    if (!this.plot) return;
    this.plot.setData(this.data());
    const told = this.shown.map((p) => `${p.preset} ${p.curve.length ? Math.round(p.curve[p.curve.length - 1]) : 'not yet'}`);
    this.element.setAttribute('aria-label', `Reward per 1,000 steps since the reward changed: ${told.join(', ')}.`);
  }

  private data(): uPlot.AlignedData {
    const length = Math.max(LEAST / BIN, ...this.shown.map((p) => p.curve.length));
    // a long curve is thinned out
    const stride = Math.ceil(length / 600), count = Math.ceil(length / stride);
    const x = Array.from({ length: count }, (_, i) => (i * stride + 1) * BIN);
    const optimum = this.shown.map((p) => p.tally?.optimum).find((o) => o !== undefined && Number.isFinite(o)) ?? null;
    return [x, x.map(() => optimum), ...this.shown.map((p) => x.map((_, i) => p.curve[i * stride] ?? null))];
  }
}
