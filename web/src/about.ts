// about.ts: what was run: spec, version, machine, sessions, options, and runs that failed.
import type { Report, Session } from './data';
import { duration, h, plural, section, table } from './dom';

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
    failures(report),
    h('h3', {}, 'Sessions'),
    table('Sessions', ['Started', 'Took', 'Ended', 'Version', 'Machine', 'Cores', 'Workers', 'Level', 'System', 'Command'],
      report.sessions.map((s) => [when(s.started), sessionTime(s), s.how ?? 'not ended', s.version, `${s.machine} (${s.host})`, s.cores,
        s.ranks > 1 ? `${s.workers} (${s.ranks} ranks)` : s.workers, s.simd, s.system, s.command ? h('code', {}, s.command) : '–'])),
    h('details', {}, h('summary', {}, 'The spec, with everything resolved'), h('pre', { tabindex: 0 }, report.spec)),
    h('details', {}, h('summary', {}, 'Options of the agents'), optionTables(report)));
}
