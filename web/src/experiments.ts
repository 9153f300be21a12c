// experiments.ts: several experiments on one page, with what each found, and a page that follows runs that go on.
import type { Report } from './data';
import { h } from './dom';
import { finding, titleOf } from './finding';

// what was chosen outlives a reload; a browser may refuse to keep it
const KEY = 'sfnec-experiment';

export function remembered(count: number): number {
  try {
    return Math.min(count - 1, Math.max(0, Number(sessionStorage.getItem(KEY)) || 0));
  } catch {
    return 0;
  }
}

function remember(i: number): void {
  try {
    sessionStorage.setItem(KEY, String(i));
  } catch {
    // then the first is shown again
  }
}

export function experiments(reports: Report[], chosen: number, choose: (i: number) => void): HTMLElement {
  return h('div', { class: 'experiments' },
    h('p', { class: 'study' }, `${reports.length} experiments`),
    h('ul', { 'aria-label': 'Experiments' }, ...reports.map((report, i) => {
      const { done, wanted } = report.coverage;
      return h('li', {}, h('button', { type: 'button', 'aria-current': i === chosen ? 'true' : null, click: () => { remember(i); choose(i); } },
        h('strong', {}, titleOf(report)), h('span', {}, `${finding(report).numbers}${done < wanted ? ` (${done} of ${wanted} runs)` : ''}`)));
    })));
}

// Reads the page anew every so many seconds, unless the reader holds it.
export function live(seconds: number): void {
  if (!seconds) return;
  let timer = 0;
  const go = () => (timer = window.setTimeout(() => location.reload(), 1000 * seconds));
  const button = h('button', { type: 'button', click: () => {
    if (timer) window.clearTimeout(timer), (timer = 0);
    else go();
    button.textContent = timer ? 'Hold' : 'Follow';
  } }, 'Hold');
  document.getElementById('app')!.prepend(h('p', { class: 'live', role: 'status' }, `Live: the page is read anew every ${seconds} s while the runs go on. `, button));
  go();
}
