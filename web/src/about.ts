// about.ts: what was run: spec, version, machine, sessions, options, and runs that failed; and its data as files, made in the
// page.
import { runValues, type CurveKind, type Report } from './data';
import { duration, h, plural, section, table } from './dom';
import { csv, saveText, type Cell } from './save';
import { taskColumns, type Session, type TaskNumbers } from './records';

function sessionTime(session: Session): string {
  if (!session.ended) return '–';
  return duration((Date.parse(session.ended) - Date.parse(session.started)) / 1000);
}

const when = (text: string | null) => (text ? text.replace('T', ' ').replace('Z', ' UTC') : '–');

export function limits(report: Report): string {
  const parts = [plural(report.tasks, 'task')];
  if (report.steps) parts.push(`${report.steps.toLocaleString('en')} steps each`);
  if (report.episodes) parts.push(`${plural(report.episodes, 'episode')} each`);
  return parts.join(', ');
}

// options in which the configurations differ; the others are the same for all
function optionTables(report: Report): HTMLElement {
  const keys = [...new Set(report.configurations.flatMap((c) => Object.keys(c.options)))];
  const differs = (key: string) => new Set(report.configurations.map((c) => c.options[key])).size > 1;
  const some = keys.filter(differs), same = keys.filter((key) => !differs(key));
  const out = h('div', {});
  if (some.length)
    out.append(h('h4', {}, 'Options in which they differ'),
      table('Options in which the configurations differ', ['Configuration', ...some], report.configurations.map((c) => [c.name, ...some.map((key) => c.options[key] ?? '–')])));
  out.append(h('h4', {}, 'Options that all have'),
    h('p', { class: 'options' }, ...same.map((key) => h('code', {}, `${key}=${report.configurations[0].options[key]}`))));
  return out;
}

function failures(report: Report): HTMLElement | null {
  const rows = report.configurations.flatMap((c) => c.runs.filter((r) => r.error).map((r) => [c.name, r.seed, r.error!]));
  return rows.length ? h('div', {}, h('h3', {}, 'Runs that failed'), table('Runs that failed', ['Configuration', 'Seed', 'Error'], rows)) : null;
}

export function aboutSection(report: Report): HTMLElement {
  const seconds = report.configurations.flatMap((c) => c.runs.flatMap((r) => r.seconds)).reduce((a, b) => a + b, 0);
  const fact = (name: string, value: string) => [h('dt', {}, name), h('dd', {}, value)];
  const commands = [...new Set(report.sessions.flatMap((s) => (s.command ? [s.command] : [])))];
  const seeds = report.configurations[0]?.runs.map((r) => r.seed) ?? [];
  return section('about', 'What was run',
    h('dl', { class: 'facts' },
      ...fact('Study', `${report.name}${report.spec_path ? ` (${report.spec_path})` : ''}`),
      ...fact('World', report.env),
      ...fact('Length', limits(report)),
      ...fact('Seeds', seeds.length > 12 ? `${seeds.length}, from ${seeds[0]} to ${seeds[seeds.length - 1]}` : seeds.join(', ')),
      ...fact('Runs', `${report.coverage.done} of ${report.coverage.wanted} finished${report.coverage.failed ? `, ${report.coverage.failed} failed` : ''}`),
      ...fact('Computing time', `${duration(seconds)}, summed over the runs`),
      ...fact('Page made', `${when(report.made)} by sfnec ${report.version}`)),
    commands.length > 0 && h('h3', {}, commands.length > 1 ? 'Commands' : 'Command'),
    commands.length > 0 && h('pre', { class: 'command', tabindex: 0 }, commands.join('\n')),
    failures(report),
    h('h3', {}, 'Sessions'),
    table('Sessions', ['Started', 'Took', 'Ended', 'Version', 'Machine', 'Cores', 'Workers', 'Level', 'System'],
      report.sessions.map((s) => [when(s.started), sessionTime(s), s.how ?? 'not ended', s.version, `${s.machine} (${s.host})`, s.cores,
        s.ranks > 1 ? `${s.workers} (${s.ranks} ranks)` : s.workers, s.simd, s.system]), 'wraps'),
    h('details', {}, h('summary', {}, 'The spec, with everything resolved'), h('pre', { tabindex: 0 }, report.spec)),
    h('details', {}, h('summary', {}, 'Options of the agents'), optionTables(report)));
}

// ---- files ----

// a cell for each number that is recorded of a task; the average so far comes after the headline
function columns<T>(cell: (name: keyof TaskNumbers, heading: string) => T, average: T): T[] {
  return taskColumns.flatMap(({ name, heading, headline }) => (headline ? [cell(name, heading), average] : [cell(name, heading)]));
}

function tasksCsv(report: Report): string {
  const rows = report.configurations.flatMap((c) => c.runs.flatMap((run) => {
    const average = runValues(run, 'average');
    return run.total.map((_, t): Cell[] => [c.name, c.label, c.preset, c.point, run.seed, t + 1, ...columns((name) => run[name][t], average[t])]);
  }));
  return csv({ head: ['configuration', 'label', 'preset', 'point', 'seed', 'task', ...columns((_, heading) => heading, 'average')], rows });
}

function curvesCsv(report: Report): string {
  const rows = report.configurations.flatMap((c) => (Object.keys(c.curves) as CurveKind[]).flatMap((kind) => {
    const curve = c.curves[kind]!;
    return curve.x.map((x, i): Cell[] => [c.name, kind, x, curve.runs[i], curve.mean[i], curve.se[i], curve.iqm[i], curve.low[i], curve.high[i]]);
  }));
  return csv({ head: ['configuration', 'curve', 'x', 'runs', 'mean', 'se', 'iqm', 'iqm_low', 'iqm_high'], rows });
}

function statsCsv(report: Report): string {
  const rows = report.configurations.filter((c) => c.stats).map((c): Cell[] => {
    const s = c.stats!;
    return [c.name, report.coverage.task, s.count, s.mean.value, s.se, s.median.value, s.median.low, s.median.high, s.iqm.value, s.iqm.low, s.iqm.high,
      s.paired?.mean.value, s.paired?.mean.low, s.paired?.mean.high, s.paired?.p, s.improvement?.value, s.improvement?.low, s.improvement?.high];
  });
  return csv({ head: ['configuration', 'task', 'runs', 'mean', 'se', 'median', 'median_low', 'median_high', 'iqm', 'iqm_low', 'iqm_high',
    'difference', 'difference_low', 'difference_high', 'p', 'improvement', 'improvement_low', 'improvement_high'], rows });
}

function usesCsv(report: Report): string {
  const rows = report.configurations.flatMap((c) => c.uses.flatMap((row, task) => row.map((count, policy): Cell[] => [c.name, task + 1, policy + 1, count])));
  return csv({ head: ['configuration', 'task', 'policy', 'transitions'], rows });
}

export function downloadSection(report: Report): HTMLElement {
  const file = (what: string, text: () => string, explain: string, kind = 'csv') =>
    h('li', {}, h('button', { type: 'button', click: () => saveText(`${report.name}-${what}.${kind}`, kind === 'csv' ? 'text/csv' : 'application/json', text()) }, `${report.name}-${what}.${kind}`), ` ${explain}`);
  return section('data', 'Data',
    h('p', {}, 'This page has all its numbers in it. They can be saved as files:'),
    h('ul', { class: 'downloads' },
      file('tasks', () => tasksCsv(report), 'every task of every run'),
      file('curves', () => curvesCsv(report), 'the curves with their bands'),
      file('statistics', () => statsCsv(report), 'the statistics of each configuration'),
      file('uses', () => usesCsv(report), 'how often each policy was followed, summed over the runs'),
      file('report', () => JSON.stringify(report, null, 1), 'everything, replays included', 'json')));
}
