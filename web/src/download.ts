// download.ts: the data as files, made in the page.
import { runValues, type CurveKind, type Report } from './data';
import { h, section } from './dom';

type Cell = string | number | null | undefined;

function csv(head: string[], rows: Cell[][]): string {
  const cell = (value: Cell) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [head, ...rows].map((row) => row.map(cell).join(',') + '\n').join('');
}

export function tasksCsv(report: Report): string {
  const rows = report.configurations.flatMap((c) => c.runs.flatMap((run) => {
    const average = runValues(run, 'average');
    return run.total.map((total, t): Cell[] => [c.name, c.label, c.preset, c.point, run.seed, t + 1, total, average[t], run.steps[t], run.episodes[t], run.goals[t], run.entries[t], run.w_error[t], run.seconds[t]]);
  }));
  return csv(['configuration', 'label', 'preset', 'point', 'seed', 'task', 'return', 'average', 'steps', 'episodes', 'goals', 'entries', 'w_error', 'seconds'], rows);
}

export function curvesCsv(report: Report): string {
  const rows = report.configurations.flatMap((c) => (Object.keys(c.curves) as CurveKind[]).flatMap((kind) => {
    const curve = c.curves[kind]!;
    return curve.x.map((x, i): Cell[] => [c.name, kind, x, curve.runs[i], curve.mean[i], curve.se[i], curve.iqm[i], curve.low[i], curve.high[i]]);
  }));
  return csv(['configuration', 'curve', 'x', 'runs', 'mean', 'se', 'iqm', 'iqm_low', 'iqm_high'], rows);
}

export function statsCsv(report: Report): string {
  const rows = report.configurations.filter((c) => c.stats).map((c): Cell[] => {
    const s = c.stats!;
    return [c.name, report.coverage.task, s.count, s.mean.value, s.se, s.median.value, s.median.low, s.median.high, s.iqm.value, s.iqm.low, s.iqm.high,
      s.paired?.mean.value, s.paired?.mean.low, s.paired?.mean.high, s.paired?.p, s.improvement?.value, s.improvement?.low, s.improvement?.high];
  });
  return csv(['configuration', 'task', 'runs', 'mean', 'se', 'median', 'median_low', 'median_high', 'iqm', 'iqm_low', 'iqm_high',
    'difference', 'difference_low', 'difference_high', 'p', 'improvement', 'improvement_low', 'improvement_high'], rows);
}

export function usesCsv(report: Report): string {
  const rows = report.configurations.flatMap((c) => c.uses.flatMap((row, task) => row.map((count, policy): Cell[] => [c.name, task + 1, policy + 1, count])));
  return csv(['configuration', 'task', 'policy', 'transitions'], rows);
}

function save(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export function downloadSection(report: Report): HTMLElement {
  const file = (what: string, text: () => string, explain: string, kind = 'csv') =>
    h('li', {}, h('button', { type: 'button', click: () => save(`${report.name}-${what}.${kind}`, kind === 'csv' ? 'text/csv' : 'application/json', text()) }, `${report.name}-${what}.${kind}`), ` ${explain}`);
  return section('data', 'Data',
    h('p', {}, 'This page has all its numbers in it. They can be saved as files:'),
    h('ul', { class: 'downloads' },
      file('tasks', () => tasksCsv(report), 'every task of every run'),
      file('curves', () => curvesCsv(report), 'the curves with their bands'),
      file('statistics', () => statsCsv(report), 'the statistics of each configuration'),
      file('uses', () => usesCsv(report), 'how often each policy was followed, summed over the runs'),
      file('report', () => JSON.stringify(report, null, 1), 'everything, replays included', 'json')));
}
