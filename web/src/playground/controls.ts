// controls.ts: sliders, buttons and switches.
import { h, svg } from '../dom';
import { objectColour } from '../theme';
import { PRESETS, type Preset } from './messages';
import { EXAMPLES, FEATURES, type Layers, type Setting } from './setting';

// the shape that stands for a feature on the map
function icon(feature: string): SVGElement {
  const fill = feature === 'goal' ? 'var(--goal)' : objectColour(feature), line = { fill, stroke: 'var(--outline)', 'stroke-width': 1.2 };
  const shape = feature === 'circle' ? svg('circle', { cx: 10, cy: 10, r: 6.5, ...line })
    : feature === 'square' ? svg('rect', { x: 4, y: 4, width: 12, height: 12, ...line })
    : feature === 'triangle' ? svg('path', { d: 'M10 2.5 17 15.5H3Z', ...line })
    : svg('circle', { cx: 10, cy: 10, r: 8, fill, 'fill-opacity': 0.35, stroke: fill, 'stroke-width': 2 });
  return svg('svg', { width: 20, height: 20, viewBox: '0 0 20 20', 'aria-hidden': 'true' }, shape);
}

const text = (value: number) => (value > 0 ? '+' : value < 0 ? '−' : '') + Math.abs(value).toFixed(1);

export function weights(setting: Setting): HTMLElement {
  const sliders = FEATURES.map((feature, i) => {
    const value = h('output', {});
    const input = h('input', { type: 'range', min: -1, max: 1, step: 0.1, 'aria-label': `Reward of a ${feature}`,
      input: () => setting.setWeights(setting.w.map((w, k) => (k === i ? Number(input.value) : w))) });
    return { input, value, row: h('label', { class: 'weight' }, icon(feature), h('span', { class: 'name' }, feature), value, input) };
  });
  const examples = EXAMPLES.map(([name, w]) => ({ w, button: h('button', { type: 'button', class: 'chip', click: () => setting.setWeights([...w]) }, name) }));
  const surprise = h('button', { type: 'button', class: 'chip', click: () =>
    setting.setWeights([...FEATURES.slice(0, -1).map(() => Math.round(20 * Math.random() - 10) / 10), 1]) }, 'Surprise me');
  const show = () => {
    sliders.forEach(({ input, value }, i) => {
      input.value = String(setting.w[i]);
      input.style.setProperty('--at', `${50 + 50 * setting.w[i]}%`);
      value.textContent = text(setting.w[i]);
      value.className = setting.w[i] > 0 ? 'plus' : setting.w[i] < 0 ? 'minus' : '';
    });
    for (const { w, button } of examples) button.setAttribute('aria-pressed', String(w.every((x, i) => x === setting.w[i])));
  };
  setting.follow(show);
  show();
  return h('section', { class: 'weights', 'aria-labelledby': 'weights-title' },
    h('h2', { id: 'weights-title' }, 'What is worth something'),
    h('div', { class: 'sliders' }, ...sliders.map((s) => s.row)),
    h('div', { class: 'chips', role: 'group', 'aria-label': 'Examples' }, ...examples.map((e) => e.button), surprise));
}

function radios<T>(legend: string, options: [T, string, string][], value: () => T, choose: (value: T) => void): HTMLElement {
  return h('fieldset', { class: 'segments' }, h('legend', {}, legend), ...options.map(([key, name, title]) =>
    h('label', { title }, h('input', { type: 'radio', name: legend, checked: key === value(), change: () => choose(key) }), h('span', {}, name))));
}

function checkbox(name: string, checked: boolean, change: (on: boolean) => void, title = ''): HTMLElement {
  const input = h('input', { type: 'checkbox', checked, change: () => change(input.checked) });
  return h('label', { class: 'check', title }, input, name);
}

export interface Actions {
  step: () => void;
  restart: () => void;
  newTask: () => void;
  anew: () => void;
}

export function playing(setting: Setting, actions: Actions): HTMLElement {
  const play = h('button', { type: 'button', class: 'primary play', click: () => { setting.playing = !setting.playing; setting.changed(); } });
  const show = () => (play.textContent = setting.playing ? 'Pause' : 'Play');
  setting.follow(show);
  show();
  const layer = (key: keyof Layers, name: string, title: string) => checkbox(name, setting.layers[key], (on) => { setting.layers[key] = on; setting.changed(); }, title);
  return h('section', { class: 'playing', 'aria-labelledby': 'playing-title' },
    h('h2', { id: 'playing-title' }, 'Watch'),
    h('div', { class: 'bar' }, play,
      h('button', { type: 'button', click: () => { setting.playing = false; setting.changed(); actions.step(); } }, 'Step'),
      h('button', { type: 'button', click: actions.restart }, 'Restart episode')),
    radios<number>('Speed', [[10, '1×', '10 steps a second'], [30, '3×', '30 steps a second'], [100, '10×', '100 steps a second'], [Infinity, 'Max', 'as many steps as there is time for']],
      () => setting.rate, (rate) => { setting.rate = rate; setting.changed(); }),
    h('div', { class: 'checks' },
      checkbox('Learn', setting.learn, (on) => { setting.learn = on; setting.changed(); }, 'off: the agent acts greedily and stays as it is'),
      layer('values', 'Values', 'what the agent expects from each position'),
      layer('plan', 'Plan', 'the path that sfnec-plan plans'),
      layer('memories', 'Memories', 'the memories behind the present choice; of sfnec-plan the states of its model'),
      layer('trail', 'Trail', 'where the agent went in this episode'),
      layer('policies', 'Policies', 'colours the trail by the policy that was followed')));
}

export function agents(setting: Setting, actions: Actions): HTMLElement {
  const toggle = (preset: Preset) => checkbox(preset, setting.agents.includes(preset), (on) => {
    setting.agents = PRESETS.filter((p) => (p === preset ? on : setting.agents.includes(p)));
    setting.changed();
  });
  const seed = h('input', { type: 'number', min: 0, max: 2 ** 32 - 1, step: 1, value: setting.training.seed, inputmode: 'numeric' });
  const tasks = h('input', { type: 'number', min: 1, max: 20, step: 1, value: setting.training.tasks, inputmode: 'numeric' });
  const steps = h('input', { type: 'number', min: 100, max: 100000, step: 100, value: setting.training.steps, inputmode: 'numeric' });
  const whole = (input: HTMLInputElement) => (input.value = String(Math.min(Number(input.max), Math.max(Number(input.min), Math.round(Number(input.value)) || 0))), Number(input.value));
  const anew = () => {
    setting.training = { seed: whole(seed), tasks: whole(tasks), steps: whole(steps) };
    actions.anew();
  };
  const another = () => {
    seed.value = String(1 + Math.floor(Math.random() * 9999));
    anew();
  };
  const field = (name: string, input: HTMLInputElement) => h('label', { class: 'field' }, h('span', {}, name), input);
  return h('section', { class: 'agents', 'aria-labelledby': 'agents-title' },
    h('h2', { id: 'agents-title' }, 'Agents'),
    h('div', { class: 'checks' }, ...PRESETS.map(toggle)),
    h('div', { class: 'fields' }, field('Seed', seed), field('Tasks', tasks), field('Steps each', steps)),
    h('div', { class: 'bar' },
      h('button', { type: 'button', click: anew }, 'Begin anew'),
      h('button', { type: 'button', click: another }, 'New seed'),
      h('button', { type: 'button', title: 'keeps the policy learned under the present reward, and begins a new task', click: actions.newTask }, 'Keep as a task')));
}
