// sweeps.ts: what the sweeps say: the best points, what each option does, and every point in a table.
import { axis, type Scale } from './boxes';
import { cellMean, effect, effectChart, figure, heatChart, mattering, parallelChart, valuesOf, type Point } from './charts';
import type { Configuration, Report } from './data';
import { h, plural, section } from './dom';
import { ranked } from './finding';
import { FEW, swatch } from './legend';
import { boxNote, boxRow, percent, plotTable, scaleOf } from './stats';

const FIRST = 12; // rows of a large sweep that are shown at first

function sweepText(c: Configuration): string {
  const entries = Object.entries(c.settings);
  return entries.length === 1 ? entries[0][1] : entries.map(([key, value]) => `${key}=${value}`).join(', ');
}

export function sweepSection(report: Report): HTMLElement | null {
  if (!report.sweeps.length) return null;
  const body = section('sweeps', report.sweeps.length === 1 ? 'Sweep' : 'Sweeps');
  body.append(...pictures(report));
  report.sweeps.forEach((_, s) => body.append(...sweepTable(report, s)));
  body.append(boxNote());
  return body;
}

// ---- pictures of all sweeps together ----

function pictures(report: Report): HTMLElement[] {
  const swept = ranked(report, (c) => Object.keys(c.settings).length > 0);
  const points = swept.sort((a, b) => a - b).map((i): Point => {
    const c = report.configurations[i];
    return { i, label: c.label, settings: c.settings, value: c.stats!.mean.value! };
  });
  const labels = [...new Set(points.map((p) => p.label))], keys = [...new Set(points.flatMap((p) => Object.keys(p.settings)))];
  const agents = labels.map((text) => ({ label: text, style: report.configurations.find((c) => c.label === text)!.agent_style }));
  const label = `${report.metric.help} after ${plural(report.coverage.task, 'task')}`;
  const seeds = [...new Set(points.map((p) => report.configurations[p.i].stats!.count))].sort((a, b) => a - b);
  const of = `${seeds[0]}${seeds.length > 1 ? ` to ${seeds[seeds.length - 1]}` : ''} seed${seeds[seeds.length - 1] === 1 ? '' : 's'} each`;
  if (points.length < 2) return [];
  const named = h('p', { class: 'short-legend' }, ...agents.map((agent) => h('span', { class: 'named' }, swatch(agent.style), agent.label)));
  const out = [h('h3', {}, 'What each option does'), named,
    figure(`${report.name}-effects`, () => keys.map((key) => ({ title: key, svg: effectChart(points, agents, key) })),
      () => ({ head: ['agent', 'key', 'value', 'mean'], rows: labels.flatMap((l) => keys.flatMap((key) => valuesOf(points, key).map((v) => [l, key, v, effect(points, l, key, v)]))) }),
      `Lines: the mean of ${label} over all points with that value, whatever the other options are. Dots: the points, ${of}.`, 3)];
  if (keys.length < 2) return out;
  out.push(h('h3', {}, 'All points'),
    figure(`${report.name}-parallel`, () => [{ svg: parallelChart(points, labels, keys, label) }],
      () => ({ head: ['agent', ...keys, 'mean'], rows: points.map((p) => [p.label, ...keys.map((key) => p.settings[key]), p.value]) }),
      `A line per point in the colour of its value, the best on top and thick, ${of}. A line below the axes does not have that option.`));
  const maps = labels.map((l) => ({ label: l, keys: mattering(points, l, keys) })).filter((map) => map.keys.length === 2);
  if (!maps.length) return out;
  const cells = maps.flatMap((m) => valuesOf(points, m.keys[0]).flatMap((x) => valuesOf(points, m.keys[1]).map((y) => [m.label, m.keys[0], x, m.keys[1], y, cellMean(points, m.label, m.keys, x, y)] as const)));
  const means = cells.map((cell) => cell[5]).filter((v): v is number => v !== null), [low, high] = [Math.min(...means), Math.max(...means)];
  out.push(h('h3', {}, 'The two options that matter most'),
    figure(`${report.name}-heat`, () => maps.map((m) => ({ title: m.label, svg: heatChart(points, m.label, m.keys, low, high) })),
      () => ({ head: ['agent', 'key', 'value', 'other_key', 'other_value', 'mean'], rows: cells.filter((cell) => cell[5] !== null).map((cell) => [...cell]) }),
      `Each cell is ${label}, the mean over the other options, ${of}.`, 3));
  return out;
}

// ---- the points of one agent ----

function sweepTable(report: Report, s: number): HTMLElement[] {
  const sweep = report.sweeps[s];
  const rows = ranked(report, (c) => c.label === sweep.label);
  const scale: Scale = scaleOf(report, rows);
  const keys = Object.keys(report.configurations[rows[0]].settings);
  const few = sweep.seeds < FEW;
  const sure = few ? `${plural(sweep.seeds, 'seed')} cannot tell luck from merit: run more before choosing.`
    : sweep.possible === 1 ? 'No other point may be the best (95 % confidence).'
    : `${sweep.possible} of ${sweep.points} points may be the best (95 % confidence).`;
  const word = (i: number) => {
    const contender = report.configurations[i].stats!.contender;
    return i === sweep.best ? (few ? '' : 'best') : !few && contender?.sweep === s && contender.possible ? 'may be best' : '';
  };
  const made = plotTable(report, `Sweep of ${sweep.label}`, `sweep-${s + 1}`, [keys.join(', '), h('span', {}, axis(scale)), 'Runs', 'Mean ± se', 'Median', 'Interquartile mean', 'Chance to be best', ''],
    rows.map((i) => {
      const contender = report.configurations[i].stats!.contender;
      return [...boxRow(report, scale, i, sweepText(report.configurations[i])), contender?.sweep === s ? percent(contender.chance) : '–', word(i)];
    }), 'numbers boxes words-last');
  const out = [h('h3', {}, `${sweep.label} by ${keys.join(' and ')}`),
    h('p', {}, `${few ? 'Highest mean' : 'Best'}: ${report.configurations[sweep.best].point}, over the ${plural(sweep.seeds, 'seed')} that all ${sweep.points} points have. ${sure}`), made];
  if (rows.length > FIRST) {
    made.classList.add('folded');
    const more = h('button', { type: 'button', click: () => { made.classList.remove('folded'); more.remove(); } }, `Show all ${rows.length} points`);
    out.push(more);
  }
  return out;
}
