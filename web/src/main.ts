// main.ts: puts the page together.
import 'uplot/dist/uPlot.min.css';
import './palette.css';
import './style.css';
import { aboutSection, downloadSection, limits } from './about';
import { CurveChart, type Kind } from './curves';
import { readReports, type CurveKind, type Report } from './data';
import { experiments, live, remembered } from './experiments';
import { h, plural, section } from './dom';
import { gpiSection } from './gpi';
import { controls, legend, MANY, shortLegend, State } from './legend';
import { stepCurves, taskCurves } from './records';
import { replaySection } from './replay';
import { finding, titleOf } from './finding';
import { multiples } from './multiples';
import { statsSection, verdictSection, verdictSentence } from './stats';
import { sweepSection } from './sweeps';
import { weightSection } from './weights';
import { forgetFollowers, isDark, setTheme, watchTheme } from './theme';

function available(report: Report, kinds: Kind[]): Kind[] {
  const some = (key: CurveKind) => report.configurations.some((c) => c.curves[key]?.mean.some((v) => v !== null && v !== 0));
  return kinds.filter((kind) => some(kind.key));
}

// the curves of some of the numbers that are recorded of a task
function recorded(which: (curve: (typeof taskCurves)[number]) => boolean): Kind[] {
  return taskCurves.filter(which).map(({ key, title }) => ({ key, title, x: 'Task' }));
}

function curveSection(state: State): HTMLElement {
  const report = state.report;
  const help = report.metric.help;
  const lead = report.metric.is_return ? 'Average return over the tasks so far' : `${help[0].toUpperCase()}${help.slice(1)}, so far`;
  const kinds = available(report, [
    { key: 'average', title: lead, x: 'Task' },
    ...recorded((curve) => curve.headline),
    report.episode_window
      ? { key: 'episodes', title: `Return of an episode (mean of ${report.episode_window})`, x: 'Episode' }
      : { key: 'episodes', title: 'Return of the recorded episodes', x: 'Environment step' },
    { key: 'regret', title: 'Regret of each task: the optimum less the return', x: 'Task' },
    ...recorded((curve) => !curve.headline && !curve.level),
    { key: 'evaluation', title: 'Return of a greedy episode', x: 'Environment step' },
    ...stepCurves.map(({ key, title }) => ({ key, title, x: 'Environment step' })),
  ]);
  // with one task the curve is the one over episodes, or over steps
  const first = (kind: Kind) => (kind.key === 'episodes' ? 2 : kind.x === 'Environment step' ? 1 : 0);
  if (report.tasks === 1) kinds.sort((a, b) => first(b) - first(a));
  if (!kinds.length) kinds.push({ key: 'average', title: lead, x: 'Task' });
  const chart = new CurveChart(state, kinds, 'Curves');
  const many = report.configurations.length > MANY;
  return section('curves', 'Curves',
    many && h('p', { class: 'note' }, `There are ${report.configurations.length} configurations; the 8 best are shown at first.`),
    controls(state),
    h('div', { class: 'with-legend' }, chart.element, legend(state, chart)),
    h('p', { class: 'note' }, 'Drag over the curves to zoom in; double-click to see all again. Diamonds are published values. The list shows the values under the cursor, or the last ones.',
      report.optimum.average && ' The dashed line is the optimum: the most that these tasks can earn without noise.'),
    multiples(state, chart));
}

function resourceSection(state: State): HTMLElement | null {
  const kinds = available(state.report, [
    ...recorded((curve) => curve.level),
    { key: 'microseconds', title: 'Microseconds per step', x: 'Task' },
  ]);
  if (!kinds.length) return null;
  const charts = kinds.map((kind) => new CurveChart(state, [kind], kind.title, 260).element);
  return section('memory', 'Memory and time',
    h('p', {}, 'Entries of the whole agent at the end of each task, the states of a model that it plans over, and the time of a step. The choices above hold here too. Times depend on the machine and on what else ran on it.'),
    h('div', { class: 'pair' }, ...charts),
    shortLegend(state));
}

function header(report: Report): HTMLElement {
  const { done, wanted, failed } = report.coverage, found = finding(report);
  const switcher = h('button', { type: 'button', class: 'theme', click: () => { setTheme(isDark() ? 'light' : 'dark'); name(); } });
  const name = () => (switcher.textContent = isDark() ? 'Light' : 'Dark');
  name();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', name);
  return h('header', {},
    h('div', { class: 'top' },
      h('div', {}, h('p', { class: 'study' }, `${report.name} · ${report.env} · ${limits(report)} · ${plural(wanted, 'run')}`), h('h1', {}, titleOf(report))),
      h('div', { class: 'bar' }, h('button', { type: 'button', click: () => print() }, 'Print'), switcher)),
    done < wanted && h('p', { class: 'warning', role: 'note' },
      `Unfinished: ${done} of ${wanted} runs are done${failed ? `, ${failed} failed` : ''}. The numbers are those after ${plural(report.coverage.task, 'task')} of the ${plural(report.coverage.counted, 'run')} that are so far.`),
    h('p', { class: 'finding' }, `${found.numbers}.`),
    h('p', { class: 'lead' }, `${found.about} ${verdictSentence(report)}`.trim()));
}

function navigation(sections: HTMLElement[]): HTMLElement {
  return h('nav', { 'aria-label': 'Sections' }, ...sections.map((s) => h('a', { href: `#${s.id}` }, s.querySelector('h2')!.textContent!)));
}

// closed parts are opened on paper
function openForPrint(): void {
  const opened: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details'))
      if (!details.open) (details.open = true), opened.push(details);
  });
  addEventListener('afterprint', () => { for (const details of opened.splice(0)) details.open = false; });
}

// shows one of the experiments
function mount(reports: Report[], chosen: number): void {
  const report = reports[chosen];
  forgetFollowers();
  document.title = `${titleOf(report)} – sfnec report`;
  const state = new State(report);
  const sections = [curveSection(state), verdictSection(report), sweepSection(report), weightSection(report), statsSection(report), gpiSection(report),
    resourceSection(state), replaySection(report), aboutSection(report), downloadSection(report)].filter((s): s is HTMLElement => s !== null);
  document.getElementById('app')!.replaceChildren(
    h('a', { class: 'skip', href: '#curves' }, 'Skip to the curves'),
    ...(reports.length > 1 ? [experiments(reports, chosen, (i) => mount(reports, i))] : []),
    header(report), navigation(sections), h('main', {}, ...sections),
    h('footer', {}, `Made by sfnec ${report.version}. This page is one file and loads nothing.`));
}

function start(): void {
  const reports = readReports();
  watchTheme();
  openForPrint();
  mount(reports, remembered(reports.length));
  live(reports[0].reload);
}

start();
