// weights.ts: evaluations under several weight vectors: the return under each as a heat map, and the Pareto fronts.
import { figure, frontChart, weightChart } from './charts';
import type { Report } from './data';
import { h, section } from './dom';
import { ranked } from './finding';
import { swatch } from './legend';

export function weightSection(report: Report): HTMLElement | null {
  const all = ranked(report, (c) => (c.by_weights?.length ?? 0) > 1).slice(0, 16);
  if (!all.length) return null;
  const name = (i: number) => report.configurations[i].name;
  const rows = all.map((i) => ({ name: name(i), values: report.configurations[i].by_weights! }));
  const series = all.filter((i) => report.configurations[i].front?.length).map((i) => ({ style: report.configurations[i].style, name: name(i), points: report.configurations[i].front! }));
  const features = [0, 1].map((k) => report.feature_names[k] ?? `feature ${k + 1}`);
  return section('weights', 'Under other rewards',
    h('p', {}, 'The return of the agents in their last greedy evaluation, under each weight vector of the spec.'),
    figure(`${report.name}-weights`, () => [{ svg: weightChart(rows) }],
      () => ({ head: ['configuration', 'weights', 'return'], rows: rows.flatMap((r) => r.values.map((v, k) => [r.name, k + 1, v])) }),
      'Return of an episode, mean over the runs; a column is a weight vector of the list, in its order.'),
    ...(series.length ? [h('h3', {}, 'Pareto fronts'),
      h('p', { class: 'short-legend' }, ...series.map((s) => h('span', { class: 'named' }, swatch(s.style), s.name))),
      figure(`${report.name}-front`, () => [{ svg: frontChart(series, features) }],
        () => ({ head: ['configuration', 'on_front', ...series[0].points[0].means.map((_, k) => report.feature_names[k] ?? `feature_${k + 1}`)], rows: series.flatMap((s) => s.points.map((p) => [s.name, p.front ? 1 : 0, ...p.means])) }),
        'What an episode collects of the first two features, mean over the runs; filled: on the Pareto front of all features.')] : []));
}
