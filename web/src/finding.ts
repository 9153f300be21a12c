// finding.ts: what a study found, in a sentence or two: what the page leads with.
import type { Configuration, Report } from './data';
import { numberLike, plural } from './dom';

// the same for all figures: 1,464, or 0.73
const told = (value: number, scale: number) => numberLike(value, scale);

export function isQuick(report: Report): boolean {
  return report.sessions.some((s) => / --quick( |$)/.test(s.command ?? ''));
}

export function titleOf(report: Report): string {
  return `${isQuick(report) ? 'Quick run: ' : ''}${report.title || report.name}`;
}

// Configurations that have runs, the best first.
export function ranked(report: Report, which: (c: Configuration, i: number) => boolean = () => true): number[] {
  const value = (i: number) => report.configurations[i].stats!.mean.value!;
  const sign = report.metric.less_is_better ? 1 : -1;
  return report.configurations.map((_, i) => i)
    .filter((i) => report.configurations[i].stats && which(report.configurations[i], i))
    .sort((a, b) => sign * (value(a) - value(b)));
}

// How much of the optimum of its tasks a configuration earned, in per cent; null where that is not known.
export function shareOfOptimum(report: Report, i: number): number | null {
  if (!report.metric.is_return || !report.optimum.average) return null;
  let earned = 0, most = 0;
  for (const run of report.configurations[i].runs)
    for (let t = 0; t < Math.min(report.coverage.task, run.total.length); t++) {
      if (run.optimum[t] === null || run.optimum[t] === undefined) return null;
      earned += run.total[t];
      most += run.optimum[t]!;
    }
  return most > 0 ? (100 * earned) / most : null;
}

const seedsOf = (report: Report, all: number[]): string => {
  const counts = all.map((i) => report.configurations[i].stats!.count);
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? plural(low, 'seed') : `${low} to ${high} seeds`;
};

// the few that lead by name, the rest by their range
function list(report: Report, all: number[], name: (i: number) => string): string {
  const value = (i: number) => report.configurations[i].stats!.mean.value!;
  const scale = Math.max(...all.map((i) => Math.abs(value(i))));
  // a name that ends with a number is parted from its own
  const one = (i: number) => `${name(i)}${/\d$/.test(name(i)) ? ':' : ''} ${told(value(i), scale)}`;
  if (all.length <= 4) return all.map(one).join(', ');
  const rest = all.slice(2).map(value);
  return `${all.slice(0, 2).map(one).join(', ')}, the others ${told(Math.min(...rest), scale)} to ${told(Math.max(...rest), scale)}`;
}

// "sfnec-plan 1,464, sfnec 646, the others 338 to 370", and what these numbers are
export function finding(report: Report): { numbers: string; about: string } {
  const all = ranked(report);
  if (!all.length) return { numbers: 'No run has a result yet', about: '' };
  const swept = report.sweeps.length > 0 && all.length > 4;
  const mean = (i: number) => report.configurations[i].stats!.mean.value!;
  const numbers = swept ? `${told(mean(all[0]), mean(all[0]))} is the best mean of ${all.length} points, by ${report.configurations[all[0]].name}; the worst is ${told(mean(all[all.length - 1]), mean(all[0]))}`
    : list(report, all, (i) => report.configurations[i].name);
  const share = shareOfOptimum(report, all[0]);
  const about = `${report.metric.help[0].toUpperCase()}${report.metric.help.slice(1)} after ${plural(report.coverage.task, 'task')}, mean of ${seedsOf(report, all)}.` +
    (share === null ? '' : ` ${swept ? 'The best' : report.configurations[all[0]].name} earns ${share.toFixed(share > 99 ? 1 : 0)} % of the optimum.`);
  return { numbers, about };
}
