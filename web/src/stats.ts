// stats.ts: ours against published values in plain words, and statistics with intervals.
import { axis, box, difference, interval, makeScale, type Scale } from './boxes';
import { figure, profileChart } from './charts';
import type { Estimate, Report, Verdict } from './data';
import { h, number, numberLike, plural, section, signed, table } from './dom';
import { isQuick, ranked, shareOfOptimum } from './finding';
import { FEW, swatch } from './legend';
import { rowsOfTable, saver, svgOfTable } from './save';

function around(e: Estimate, scale?: number): string {
  const digits = scale ?? ((e.high !== null && e.low !== null && e.high - e.low) || e.value || 0) / 2;
  if (e.low === null || e.high === null) return numberLike(e.value, digits);
  return `${numberLike(e.value, digits)} [${numberLike(e.low, digits)}, ${numberLike(e.high, digits)}]`;
}

// 712 ± 31, or the mean alone where there is no error
function withError(mean: number | null, se: number | null | undefined): string {
  return `${numberLike(mean, se || mean || 0)}${se == null ? '' : ` ± ${numberLike(se, se)}`}`;
}

export function percent(share: number | null): string {
  return share === null ? '–' : `${Math.round(100 * share)} %`;
}

function p(value: number): string {
  return value < 0.001 ? '< 0.001' : value.toFixed(3);
}

function publishedOf(report: Report, i: number): number | null {
  return report.verdicts.find((v) => v.configuration === i && v.task === report.coverage.task)?.published ?? null;
}

function named(report: Report, i: number, text: string): HTMLElement {
  return h('span', { class: 'named' }, swatch(report.configurations[i].style), text);
}

// A table with a picture in each row, which can be saved.
export function plotTable(report: Report, caption: string, name: string, head: Parameters<typeof table>[1], rows: Parameters<typeof table>[2], kind: string): HTMLElement {
  const made = table(caption, head, rows, kind);
  return h('div', { class: 'figure' }, made, saver(() => `${report.name}-${name}`, () => svgOfTable(made), () => rowsOfTable(made)));
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
  if (isQuick(report)) return 'This is a quick run, too small to be compared with published values.';
  if (!report.verdicts.length) return '';
  if (!judged.length) return 'There are not enough runs yet to compare with the published values.';
  const good = judged.filter((w) => w.kind === 'good').length;
  const all = judged.length === 1 ? 'The one published value lies' : `${good} of ${judged.length} published values lie`;
  if (judged.length === 1) return good ? `${all} within two standard errors of the difference from ours.` : `${all} more than two standard errors of the difference from ours.`;
  return `${all} within two standard errors of the difference from ours.`;
}

export function verdictSection(report: Report): HTMLElement | null {
  if (!report.verdicts.length || isQuick(report)) return null;
  const values = report.verdicts.flatMap((v) => [v.published, ...(v.mean === undefined ? [] : [v.mean - 2 * (v.se ?? 0), v.mean + 2 * (v.se ?? 0)])]);
  const scale = makeScale(values);
  const several = new Set(report.verdicts.map((v) => v.task)).size > 1;
  const rows = report.verdicts.map((v) => {
    const w = word(v);
    const name = `${v.agent}${settingsText(v)}${several ? `, task ${v.task}` : ''}`;
    const ours = v.mean === undefined ? '–' : withError(v.mean, v.se);
    const theirs = `${number(v.published)}${v.published_se === null ? '' : ` ± ${number(v.published_se)}`}`;
    return [name, h('td', {}, h('span', { class: `verdict ${w.kind}` }, w.text)), ours, theirs,
      v.errors == null || !Number.isFinite(v.errors) ? '–' : `${signed(v.errors, 1)} se`, v.task, v.count ?? 0,
      v.mean === undefined ? '' : interval(scale, v.mean, v.se ?? null, v.published, v.published_se, report.configurations[v.configuration ?? 0].style, `${name}: ours ${ours}, published ${theirs}`),
      v.source ?? ''];
  });
  return section('verdict', 'Ours against published',
    plotTable(report, 'Ours against published', 'published', ['Agent', 'Verdict', 'Ours', 'Published', 'Difference', 'After task', 'Runs', h('span', {}, axis(scale)), 'Source'], rows, 'numbers words-last verdicts'),
    h('p', { class: 'note' },
      'Return of a task, averaged over the tasks so far; ± is one standard error (se) of the mean over the runs. The difference is in standard errors of both, ' +
      'or of ours alone where none was published. Agrees: at most 2; somewhat higher or lower: at most 3. In the picture: ours with 2 se to each side, and the published value as a diamond.'));
}

// ---- runs and boxes ----

export function boxRow(report: Report, scale: Scale, i: number, text: string): (Node | string | number)[] {
  const stats = report.configurations[i].stats!;
  return [named(report, i, text), box(scale, stats.scores, report.configurations[i].style, text, publishedOf(report, i)), stats.count, withError(stats.mean.value, stats.se), around(stats.median), around(stats.iqm)];
}

export function scaleOf(report: Report, indices: number[]): Scale {
  return makeScale(indices.flatMap((i) => [...(report.configurations[i].stats?.scores ?? []), publishedOf(report, i) ?? NaN]).filter(Number.isFinite));
}

export function boxNote(): HTMLElement {
  return h('p', { class: 'note' }, 'Box: quartiles and median; whiskers: runs within 1.5 times the box; dots: runs; diamond: the published value after this task.');
}

export function statsSection(report: Report): HTMLElement {
  const all = ranked(report);
  // those of a sweep have their rows there
  const rows = all.filter((i) => !report.sweeps.some((s) => s.label === report.configurations[i].label));
  const scale = scaleOf(report, rows);
  const best = rows.some((i) => shareOfOptimum(report, i) !== null);
  const body = section('statistics', 'Statistics',
    h('p', {}, `${report.metric.help[0].toUpperCase()}${report.metric.help.slice(1)} after ${plural(report.coverage.task, 'task')}, one number per run. ${all.some((i) => report.configurations[i].stats!.iqm.low !== null)
      ? `Brackets are 95 % bootstrap intervals (${report.resamples.toLocaleString('en')} resamples), for those with ${FEW} runs or more.`
      : `Fewer than ${FEW} runs say little: no interval is given, only the standard error.`}`,
      rows.length < all.length && ' The points of sweeps are listed above.'),
    rows.length > 0 && plotTable(report, 'Return of the runs', 'runs', ['Configuration', h('span', {}, axis(scale)), 'Runs', 'Mean ± se', ...(best ? ['Of optimum'] : []), 'Median', 'Interquartile mean'],
      rows.map((i) => {
        const [name, picture, runs, mean, ...rest] = boxRow(report, scale, i, report.configurations[i].name), share = shareOfOptimum(report, i);
        return [name, picture, runs, mean, ...(best ? [share === null ? '–' : `${share.toFixed(1)} %`] : []), ...rest];
      }), 'numbers boxes'),
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
  const ends = (i: number): [number, number, number] => {
    const { mean, se } = report.configurations[i].stats!.paired!, value = mean.value ?? 0;
    return [value, mean.low ?? value - (se ?? 0), mean.high ?? value + (se ?? 0)];
  };
  const scale = makeScale([0, ...others.flatMap(ends)]);
  const whole = others.every((i) => report.configurations[i].stats!.paired!.mean.low !== null);
  holder.append(
    plotTable(report, `Compared with ${reference}`, 'differences', ['Configuration', h('span', {}, axis(scale)), 'Mean difference', 'Pairs', 'Better in', 'p', 'Probability of improvement'],
      others.map((i) => {
        const { paired, improvement } = report.configurations[i].stats!, name = report.configurations[i].name;
        return [named(report, i, name), difference(scale, ...ends(i), report.configurations[i].style, `${name}: difference ${around(paired!.mean)}`), around(paired!.mean), paired!.count, `${paired!.better} of ${paired!.count}`, p(paired!.p), around(improvement!, 0.5)];
      }), 'numbers boxes'),
    h('p', { class: 'note' }, `In the picture: the mean difference to ${reference}, which is 0, with ${whole ? 'its 95 % interval' : 'its 95 % interval, or below 6 pairs its standard error'}.`),
    h('p', { class: 'note' }, `Runs of the same seed are compared with each other: all agents of a seed see the same tasks. p: two-sided Wilcoxon signed-rank test, which from 5 seeds is never below 0.0625 and from 4 never below 0.125. Probability of improvement: that a run does better than one of ${reference}.`));
  return holder;
}

function profiles(report: Report, all: number[]): HTMLElement | null {
  if (!report.taus.length) return null;
  const drawn = all.slice(0, 10).map((i) => ({ style: report.configurations[i].style, name: report.configurations[i].name, scores: report.configurations[i].stats!.scores }));
  return h('div', {},
    h('h3', {}, 'Performance profile'),
    figure(`${report.name}-profile`, () => [{ svg: profileChart(drawn, report.metric.help) }],
      () => ({ head: ['configuration', 'value', 'percent_of_runs_above'], rows: drawn.flatMap((s) => [...s.scores].sort((a, b) => a - b).map((v, k) => [s.name, v, 100 * (1 - (k + 1) / s.scores.length)])) }),
      `The share of runs above a value of ${report.metric.help}. Where one line is above another for all values, it is better in every respect.${all.length > drawn.length ? ` The ${drawn.length} best are drawn.` : ''}`),
    h('details', {}, h('summary', {}, 'As a table, with intervals'),
      table('Performance profile', ['Configuration', ...report.taus.map((t) => `> ${number(t)}`)],
        all.map((i) => [named(report, i, report.configurations[i].name), ...report.configurations[i].stats!.profile.map((e) =>
          h('td', { class: 'share', style: `--share:${Math.round(100 * (e.value ?? 0))}%`, title: e.low === null ? '' : `95 % interval: ${percent(e.low)} to ${percent(e.high)}` }, percent(e.value)))]), 'numbers')));
}
