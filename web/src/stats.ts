// stats.ts: ours against published values in plain words, statistics with intervals, and what the sweeps say.
import { axis, box, interval, makeScale, type Scale } from './boxes';
import type { Configuration, Estimate, Report, Verdict } from './data';
import { h, number, numberLike, plural, section, signed, table } from './dom';
import { swatch } from './legend';

// runs below which nothing is judged (SFNEC_ANALYSIS_FEW of study/analysis/analysis.h)
const FEW = 6;

function around(e: Estimate, scale?: number): string {
  const digits = scale ?? ((e.high !== null && e.low !== null && e.high - e.low) || e.value || 0) / 2;
  if (e.low === null || e.high === null) return numberLike(e.value, digits);
  return `${numberLike(e.value, digits)} [${numberLike(e.low, digits)}, ${numberLike(e.high, digits)}]`;
}

// 712 ± 31, or the mean alone where there is no error
function withError(mean: number | null, se: number | null | undefined): string {
  return `${numberLike(mean, se || mean || 0)}${se == null ? '' : ` ± ${numberLike(se, se)}`}`;
}

function percent(share: number | null): string {
  return share === null ? '–' : `${Math.round(100 * share)} %`;
}

function p(value: number): string {
  return value < 0.001 ? '< 0.001' : value.toFixed(3);
}

function publishedOf(report: Report, i: number): number | null {
  return report.verdicts.find((v) => v.configuration === i && v.task === report.coverage.task)?.published ?? null;
}

function named(i: number, text: string): HTMLElement {
  return h('span', { class: 'named' }, swatch(i), text);
}

// ---- ours against published ----

type Word = { text: string; kind: 'good' | 'near' | 'off' | 'none' };

function word(v: Verdict): Word {
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
  if (judged.length === 1) return good ? `${all} within two standard errors of the difference from ours.` : `${all} more than two standard errors of the difference from ours.`;
  return `${all} within two standard errors of the difference from ours.`;
}

export function verdictSection(report: Report): HTMLElement | null {
  if (!report.verdicts.length) return null;
  const values = report.verdicts.flatMap((v) => [v.published, ...(v.mean === undefined ? [] : [v.mean - 2 * (v.se ?? 0), v.mean + 2 * (v.se ?? 0)])]);
  const scale = makeScale(values);
  const rows = report.verdicts.map((v) => {
    const w = word(v);
    const name = v.agent + settingsText(v);
    const ours = v.mean === undefined ? '–' : withError(v.mean, v.se);
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

// ---- runs and boxes ----

function boxRow(report: Report, scale: Scale, i: number, text: string): (Node | string | number)[] {
  const stats = report.configurations[i].stats!;
  return [named(i, text), box(scale, stats.scores, i, text, publishedOf(report, i)), stats.count, withError(stats.mean.value, stats.se), around(stats.median), around(stats.iqm)];
}

function scaleOf(report: Report, indices: number[]): Scale {
  return makeScale(indices.flatMap((i) => [...(report.configurations[i].stats?.scores ?? []), publishedOf(report, i) ?? NaN]).filter(Number.isFinite));
}

function boxNote(): HTMLElement {
  return h('p', { class: 'note' }, 'Box: quartiles and median; whiskers: runs within 1.5 times the box; dots: runs; diamond: the published value after this task.');
}

export function statsSection(report: Report): HTMLElement {
  const all = report.configurations.map((_, i) => i).filter((i) => report.configurations[i].stats);
  // those of a sweep have their rows there
  const rows = all.filter((i) => !report.sweeps.some((s) => s.label === report.configurations[i].label));
  const scale = scaleOf(report, rows);
  const body = section('statistics', 'Statistics',
    h('p', {}, `${report.metric.help[0].toUpperCase()}${report.metric.help.slice(1)} after ${plural(report.coverage.task, 'task')}, one number per run. ${all.some((i) => report.configurations[i].stats!.iqm.low !== null)
      ? `Brackets are 95 % bootstrap intervals (${report.resamples.toLocaleString('en')} resamples), for those with ${FEW} runs or more.`
      : `Fewer than ${FEW} runs say little: no interval is given, only the standard error.`}`,
      rows.length < all.length && ' The points of sweeps are listed above.'),
    rows.length > 0 && table('Return of the runs', ['Configuration', h('span', {}, axis(scale)), 'Runs', 'Mean ± se', 'Median', 'Interquartile mean'],
      rows.map((i) => boxRow(report, scale, i, report.configurations[i].name)), 'numbers boxes'),
    rows.length > 0 && boxNote());
  const compared = comparison(report, all);
  if (compared) body.append(compared);
  const profile = profiles(report, all);
  if (profile) body.append(profile);
  return body;
}

function comparison(report: Report, all: number[]): HTMLElement | null {
  const others = all.filter((i) => report.configurations[i].stats!.paired);
  if (!others.length) return null;
  const reference = report.configurations[report.reference].name;
  const title = `Compared with ${reference}`;
  const holder = others.length > 12 ? h('details', {}, h('summary', {}, title)) : h('div', {}, h('h3', {}, title));
  holder.append(
    table(`Compared with ${reference}`, ['Configuration', 'Pairs', 'Mean difference', 'Better in', 'p', 'Probability of improvement'],
      others.map((i) => {
        const { paired, improvement } = report.configurations[i].stats!;
        return [named(i, report.configurations[i].name), paired!.count, around(paired!.mean), `${paired!.better} of ${paired!.count}`, p(paired!.p), around(improvement!, 0.5)];
      }), 'numbers'),
    h('p', { class: 'note' }, `Runs of the same seed are compared with each other: all agents of a seed see the same tasks. p: two-sided Wilcoxon signed-rank test, which from 5 seeds is never below 0.0625 and from 4 never below 0.125. Probability of improvement: that a run does better than one of ${reference}.`));
  return holder;
}

function profiles(report: Report, all: number[]): HTMLElement | null {
  if (!report.taus.length) return null;
  return h('details', {},
    h('summary', {}, `Performance profile: the share of runs above a value of ${report.metric.name}`),
    table('Performance profile', ['Configuration', ...report.taus.map((t) => `> ${number(t)}`)],
      all.map((i) => [named(i, report.configurations[i].name), ...report.configurations[i].stats!.profile.map((e) =>
        h('td', { class: 'share', style: `--share:${Math.round(100 * (e.value ?? 0))}%`, title: e.low === null ? '' : `95 % interval: ${percent(e.low)} to ${percent(e.high)}` }, percent(e.value)))]), 'numbers'));
}

// ---- sweeps ----

function sweepText(c: Configuration): string {
  const entries = Object.entries(c.settings);
  return entries.length === 1 ? entries[0][1] : entries.map(([key, value]) => `${key}=${value}`).join(', ');
}

export function sweepSection(report: Report): HTMLElement | null {
  if (!report.sweeps.length) return null;
  const body = section('sweeps', report.sweeps.length === 1 ? 'Sweep' : 'Sweeps');
  report.sweeps.forEach((sweep, s) => {
    const rows = report.configurations.map((_, i) => i).filter((i) => report.configurations[i].label === sweep.label && report.configurations[i].stats);
    const scale = scaleOf(report, rows);
    const keys = Object.keys(report.configurations[rows[0]].settings);
    const best = report.configurations[sweep.best];
    const few = sweep.seeds < FEW;
    const sure = few ? `${plural(sweep.seeds, 'seed')} cannot tell luck from merit: run more before choosing.`
      : sweep.possible === 1 ? 'No other point may be the best (95 % confidence).'
      : `${sweep.possible} of ${sweep.points} points may be the best (95 % confidence).`;
    body.append(h('h3', {}, `${sweep.label} by ${keys.join(' and ')}`),
      h('p', {}, `${few ? 'Highest mean' : 'Best'}: ${best.point}, over the ${plural(sweep.seeds, 'seed')} that all ${sweep.points} points have. ${sure}`));
    const grid = matrix(report, rows, keys);
    if (grid) body.append(grid);
    body.append(table(`Sweep of ${sweep.label}`, [keys.join(', '), h('span', {}, axis(scale)), 'Runs', 'Mean ± se', 'Median', 'Interquartile mean', 'Chance to be best', ''],
      rows.map((i) => {
        const contender = report.configurations[i].stats!.contender;
        return [...boxRow(report, scale, i, sweepText(report.configurations[i])),
          contender?.sweep === s ? percent(contender.chance) : '–',
          i === sweep.best ? (few ? '' : 'best') : !few && contender?.sweep === s && contender.possible ? 'may be best' : ''];
      }), 'numbers boxes words-last'));
  });
  body.append(boxNote());
  return body;
}

// the means of a sweep over two keys, as a grid of shaded cells
function matrix(report: Report, rows: number[], keys: string[]): HTMLElement | null {
  if (keys.length !== 2) return null;
  const values = (key: string) => [...new Set(rows.map((i) => report.configurations[i].settings[key]))];
  const [down, across] = [values(keys[0]), values(keys[1])];
  if (down.length < 2 || across.length < 2) return null;
  const mean = (a: string, b: string) => {
    const i = rows.find((r) => report.configurations[r].settings[keys[0]] === a && report.configurations[r].settings[keys[1]] === b);
    return i === undefined ? null : report.configurations[i].stats!.mean.value;
  };
  const means = rows.map((i) => report.configurations[i].stats!.mean.value!);
  const low = Math.min(...means), high = Math.max(...means);
  return table(`Means by ${keys[0]} and ${keys[1]}`, [`${keys[0]} \\ ${keys[1]}`, ...across],
    down.map((a) => [a, ...across.map((b) => {
      const value = mean(a, b);
      return h('td', { class: 'share', style: `--share:${value === null || high === low ? 0 : Math.round((100 * (value - low)) / (high - low))}%` }, number(value));
    })]), 'numbers');
}
