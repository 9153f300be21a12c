// verdict.ts: ours against published values, in plain words.
import { axis, interval, makeScale } from './boxes';
import type { Report, Verdict } from './data';
import { h, number, numberLike, section, signed, table } from './dom';

type Word = { text: string; kind: 'good' | 'near' | 'off' | 'none' };

export function word(v: Verdict): Word {
  if (v.mean === undefined) return { text: 'not run yet', kind: 'none' };
  if (v.errors === null || v.errors === undefined || !Number.isFinite(v.errors)) return { text: 'too few runs to say', kind: 'none' };
  const side = v.errors > 0 ? 'higher' : 'lower';
  if (Math.abs(v.errors) <= 2) return { text: 'agrees', kind: 'good' };
  return Math.abs(v.errors) <= 3 ? { text: `somewhat ${side}`, kind: 'near' } : { text: side, kind: 'off' };
}

function settingsText(v: Verdict): string {
  return Object.entries(v.settings).map(([key, value]) => ` ${key}=${value}`).join('');
}

export function verdictSentence(report: Report): string {
  const judged = report.verdicts.map(word).filter((w) => w.kind !== 'none');
  if (!report.verdicts.length) return 'The spec has no published values to compare with.';
  if (!judged.length) return 'There are not enough runs yet to compare with the published values.';
  const good = judged.filter((w) => w.kind === 'good').length;
  const all = judged.length === 1 ? 'The one published value lies' : `${good} of ${judged.length} published values lie`;
  if (judged.length === 1) return good ? `${all} within two standard errors of ours.` : `${all} more than two standard errors from ours.`;
  return `${all} within two standard errors of ours.`;
}

export function verdictSection(report: Report): HTMLElement | null {
  if (!report.verdicts.length) return null;
  const values = report.verdicts.flatMap((v) => [v.published, ...(v.mean === undefined ? [] : [v.mean - 2 * (v.se ?? 0), v.mean + 2 * (v.se ?? 0)])]);
  const scale = makeScale(values);
  const rows = report.verdicts.map((v) => {
    const w = word(v);
    const name = v.agent + settingsText(v);
    const ours = v.mean === undefined ? '–' : `${numberLike(v.mean, v.se || v.mean)}${v.se == null ? '' : ` ± ${numberLike(v.se, v.se)}`}`;
    const theirs = `${number(v.published)}${v.published_se === null ? '' : ` ± ${number(v.published_se)}`}`;
    return [name, v.task, v.count ?? 0, ours, theirs,
      v.errors == null || !Number.isFinite(v.errors) ? '–' : `${signed(v.errors, 1)} se`,
      h('td', {}, h('span', { class: `verdict ${w.kind}` }, w.text)),
      v.mean === undefined ? '' : interval(scale, v.mean, v.se ?? null, v.published, v.published_se, v.configuration ?? 0, `${name}: ours ${ours}, published ${theirs}`),
      v.source ?? ''];
  });
  return section('verdict', 'Ours against published',
    table('Ours against published', ['Agent', 'After task', 'Runs', 'Ours', 'Published', 'Difference', 'Verdict', h('span', {}, axis(scale)), 'Source'], rows, 'numbers words-last verdicts'),
    h('p', { class: 'note' },
      'Return of a task, averaged over the tasks so far; ± is one standard error (se) of the mean over the runs. The difference is in standard errors of both, ' +
      'or of ours alone where none was published. Agrees: at most 2; somewhat higher or lower: at most 3. In the picture: ours with 2 se to each side, and the published value as a diamond.'));
}
