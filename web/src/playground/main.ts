// main.ts: puts the playground together.
import 'uplot/dist/uPlot.min.css';
import '../palette.css';
import '../style.css';
import './playground.css';
import { h } from '../dom';
import { agentStyles } from '../palette';
import { colour, followTheme, isDark, setTheme, watchTheme } from '../theme';
import { Chart } from './chart';
import { agents, playing, weights, type Actions } from './controls';
import { PRESETS, type Preset } from './messages';
import { Panel } from './panel';
import address from './playground.wasm?inline';
import { Setting } from './setting';

function download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function header(): HTMLElement {
  const switcher = h('button', { type: 'button', class: 'theme', click: () => setTheme(isDark() ? 'light' : 'dark') });
  const name = () => (switcher.textContent = isDark() ? 'Light' : 'Dark');
  followTheme(name);
  name();
  return h('header', {},
    h('div', { class: 'top' },
      h('div', {}, h('h1', {}, 'Change the reward, watch the agents'),
        h('p', { class: 'lead' }, 'These agents learn a few tasks in four rooms, here in your browser. Then move a slider: the reward is another one, and they act otherwise at once.')),
      switcher));
}

// how to check that the browser's agents are the native ones, to the byte
function bytesSection(setting: Setting, panels: Panel[]): HTMLElement {
  const lines = h('div', { class: 'commands' });
  const show = () => {
    const { seed, tasks, steps } = setting.training;
    lines.replaceChildren(...panels.filter((p) => setting.agents.includes(p.preset)).map((p) => h('div', { class: 'command' },
      h('code', {}, `sfnec train --agent ${p.preset} --seed ${seed} --tasks ${tasks} --steps ${steps} --save ${p.preset}.agent`),
      h('button', { type: 'button', disabled: !p.isTrained, 'data-save': p.preset, click: () => p.post({ kind: 'save', trained: true }) }, 'Save as trained'))));
  };
  setting.follow(show);
  show();
  return h('details', { toggle: show }, h('summary', {}, 'The same agents as the command’s, to the byte'),
    h('p', {}, 'The page runs the library itself, as WebAssembly. An agent saved as it was at the end of its training is the same file as the one that this command writes. “Save agent” above saves it as it is now. sfnec eval, watch and film read both.'),
    lines);
}

function notes(): HTMLElement {
  return h('details', {}, h('summary', {}, 'What is shown, and keys'),
    h('p', {}, 'Circles, squares and triangles are objects that the agent takes by walking over them, hollow once taken; the large circle is the goal, which ends an episode. The reward of a step is the sum of what it took, weighed by the sliders. Ground colour: the best value over all policies, from low to high, for each agent on its own scale. An episode is cut off after 500 steps.'),
    h('p', {}, 'sfnec and sfnec-plus weigh the policies of all their tasks anew (GPI): the trail and the strip show whose policy is followed, the present task’s in the agent’s colour. sfnec-plan has one model of the world, and plans for the present reward: dots are its states, those in the agent’s colour where some action was never tried, the thin line is its plan. Moving a slider gives the present task another reward; “Keep as a task” keeps the policy that was learned, and begins another. “Optimum” is the most that the world allows, without noise. The paper trains on 20,000 steps a task (“Steps each”), which takes longer to begin.'),
    h('p', {}, 'Keys: space plays and pauses, s takes one step, r restarts the episode, 1 to 6 choose an example; arrows move a slider that has the focus.'));
}

function keys(setting: Setting, actions: Actions, examples: HTMLElement): void {
  addEventListener('keydown', (event) => {
    const on = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|TEXTAREA)$/.test(on.tagName) || (on as HTMLInputElement).type === 'number') return;
    if (event.key === ' ' && !/^(BUTTON|INPUT|SUMMARY)$/.test(on.tagName)) setting.playing = !setting.playing, setting.changed(), event.preventDefault();
    else if (event.key === 's') setting.playing = false, setting.changed(), actions.step();
    else if (event.key === 'r') actions.restart();
    else if (/^[1-6]$/.test(event.key)) examples.querySelectorAll<HTMLButtonElement>('.chip')[Number(event.key) - 1].click();
  });
}

async function start(): Promise<void> {
  watchTheme();
  const setting = new Setting(location.hash, matchMedia('(max-width: 700px)').matches);
  const bytes = Uint8Array.from(atob(address.slice(address.indexOf(',') + 1)), (c) => c.charCodeAt(0));
  const module = await WebAssembly.compile(bytes);
  const saved = (preset: Preset, trained: boolean, file: Uint8Array<ArrayBuffer>) =>
    download(`${preset}-seed${setting.training.seed}${trained ? '' : '-now'}.agent`, file);
  const panels = PRESETS.map((preset, i) => new Panel(preset, i, module, setting, saved));
  const shown = () => panels.filter((p) => setting.agents.includes(p.preset));
  const chart = new Chart(shown);
  const scenes = h('div', { class: 'scenes' });
  const actions: Actions = {
    step: () => shown().forEach((p) => p.post({ kind: 'step' })),
    restart: () => shown().forEach((p) => p.post({ kind: 'restart' })),
    newTask: () => (setting.version++, setting.changed(), shown().forEach((p) => p.post({ kind: 'new-task' }))),
    anew: () => (shown().forEach((p) => p.open()), setting.changed()),
  };
  const reward = weights(setting);
  document.getElementById('app')!.replaceChildren(header(), h('main', {}, reward, h('div', { class: 'stage' }, scenes,
    h('figure', { class: 'chart' }, h('figcaption', {}, 'Reward per 1,000 steps, over the steps since the reward changed; dashed: the optimum'), chart.element)),
    h('div', { class: 'controls-rest' }, playing(setting, actions), agents(setting, actions)),
    h('div', { class: 'words' }, notes(), bytesSection(setting, panels))),
    h('footer', {}, 'sfnec playground. This page is one file and loads nothing.'));

  let visible = '';
  const apply = () => {
    if (visible !== setting.agents.join()) {
      visible = setting.agents.join();
      scenes.replaceChildren(...shown().map((p) => p.element));
      for (const panel of shown()) if (!panel.isOpen) panel.open();
      chart.rebuild();
    }
    for (const panel of panels) {
      panel.changed();
      panel.post({ kind: 'wanted', wanted: { ...setting.wanted, rate: shown().includes(panel) ? setting.wanted.rate : 0 } });
    }
  };
  const paint = () => PRESETS.forEach((preset, i) => document.documentElement.style.setProperty(`--agent-${i}`, colour(agentStyles[preset])));
  setting.follow(apply);
  followTheme(() => (paint(), chart.rebuild(), panels.forEach((p) => p.changed())));
  keys(setting, actions, reward);
  new ResizeObserver(() => panels.forEach((p) => p.changed())).observe(scenes);
  paint();
  apply();
  let charted = 0;
  const frame = (now: number) => {
    for (const panel of shown()) panel.draw(now);
    if (now - charted > 250) (charted = now), chart.draw();
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

start().catch((error) => document.getElementById('app')!.replaceChildren(h('p', { class: 'warning', role: 'alert' },
  `The playground cannot run in this browser: ${error}. It needs WebAssembly with 128-bit instructions (Chrome 91, Firefox 89, Safari 16.4 or newer).`)));
