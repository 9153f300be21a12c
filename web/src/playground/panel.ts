// panel.ts: one agent: its worker, its picture and its numbers.
import { h, number, plural } from '../dom';
import { colour, css } from '../theme';
import { drawWorld, paintHeat, type World } from '../world';
import type { State } from './engine';
import { BIN, SIDE, type FromWorker, type Preset, type Step, type Tally, type ToWorker } from './messages';
import type { Layers, Setting } from './setting';
import AgentWorker from './worker?worker&inline';

export const ABOUT: Record<Preset, string> = {
  'sfnec-plan': 'plans over all that it has seen',
  'sfnec-plus': 'the paper’s, with two additions',
  sfnec: 'the paper’s agent',
};
const RECENT = 400; // steps that the strip of policies tells about, and of the trail at most
const WINDOW = 10; // bins of a point of the curve

export class Panel {
  readonly element: HTMLElement;
  curve: number[] = []; // return of 1,000 steps, a number for each bin since the weights changed
  tally: Tally | null = null;
  state: State | null = null;
  private worker: Worker | null = null;
  private trained = false;
  private world: World | null = null;
  private readonly canvas = h('canvas', { role: 'img' });
  private readonly bar = h('progress', { max: 1, value: 0 });
  private readonly progress = h('div', { class: 'learning' });
  private readonly score = h('output', { class: 'score' });
  private readonly share = h('span', { class: 'share-of' });
  private readonly strip = h('div', { class: 'strip', role: 'img' });
  private readonly follows = h('p', { class: 'follows' });
  private readonly facts = h('p', { class: 'facts' });
  private readonly saver = h('button', { type: 'button', disabled: true, click: () => this.post({ kind: 'save', trained: false }) }, 'Save agent');
  private readonly heat = h('canvas');
  private hasHeat = false;
  private spots: { memories: number[][]; places: number[][]; path: number[][] } = { memories: [], places: [], path: [] };
  private trail: Step[] = []; // of the episode
  private recent: number[] = []; // policies
  private bins: number[] = [];
  private before = { x: 0, y: 0 }; // where the agent is drawn to come from
  private arrived = 0; // when its last step came
  private dirty = true;
  private told = 0;
  private perSecond = 0;

  constructor(readonly preset: Preset, readonly index: number, private readonly module: WebAssembly.Module, private readonly setting: Setting,
    private readonly saved: (preset: Preset, trained: boolean, bytes: Uint8Array<ArrayBuffer>) => void) {
    this.progress.append(h('span', {}, 'Learning…'), this.bar);
    this.element = h('figure', { class: 'scene agent', 'data-agent': preset },
      h('figcaption', {}, h('span', { class: 'dot', style: `--line: var(--agent-${index})` }), h('b', {}, preset), h('span', { class: 'about' }, ABOUT[preset])),
      h('div', { class: 'frame' }, this.canvas, this.progress),
      h('div', { class: 'result' }, h('div', {}, this.score, h('span', { class: 'unit' }, ' per 1,000 steps')), this.share),
      h('div', { class: 'policies' }, this.strip, this.follows),
      h('div', { class: 'last' }, this.facts, this.saver));
  }

  // ---- the worker ----

  get isOpen(): boolean {
    return this.worker !== null;
  }

  get isTrained(): boolean {
    return this.trained;
  }

  open(): void {
    this.close();
    this.worker = new AgentWorker();
    this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.receive(event.data);
    this.worker.onerror = (event) => this.fail(event.message);
    this.post({ kind: 'open', module: this.module, preset: this.preset, training: this.setting.training, wanted: this.setting.wanted });
  }

  close(): void {
    this.worker?.terminate();
    this.worker = null;
    this.trained = this.hasHeat = false;
    this.tally = this.state = null;
    this.curve = this.bins = this.recent = [];
    this.trail = [];
    this.spots = { memories: [], places: [], path: [] };
    this.progress.hidden = false;
    this.saver.disabled = true;
    this.element.classList.remove('trained');
    this.dirty = true;
  }

  post(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private receive(message: FromWorker): void {
    this.dirty = true;
    switch (message.kind) {
      case 'opened':
        this.world = message.world;
        break;
      case 'training':
        return this.takeTraining(message.done, message.state);
      case 'trained':
        this.trained = true;
        this.progress.hidden = true;
        this.saver.disabled = false;
        this.element.classList.add('trained');
        break;
      case 'frame':
        this.state = message.state;
        this.perSecond = message.perSecond;
        return this.takeFrame(message.steps, message.bins, message.tally);
      case 'values':
        this.hasHeat = paintHeat(SIDE, SIDE, message.values, this.heat) !== null;
        break;
      case 'spots':
        this.spots = message;
        break;
      case 'saved':
        return this.saved(this.preset, message.trained, message.bytes);
      case 'failed':
        this.fail(message.message);
    }
  }

  private fail(message: string): void {
    this.progress.hidden = false;
    this.progress.replaceChildren(h('span', { role: 'alert' }, `This agent has stopped: ${message}`));
  }

  private takeTraining(done: number, state: State): void {
    const { tasks } = this.setting.training;
    this.state = state;
    this.bar.value = done / tasks;
    this.progress.replaceChildren(h('span', {}, `Learning task ${Math.min(tasks, Math.floor(done) + 1)} of ${tasks}`), this.bar);
  }

  private takeFrame(steps: Step[], bins: number[], tally: Tally): void {
    if (tally.version !== this.tally?.version) this.curve = this.bins = [];
    this.tally = tally;
    for (const step of steps) this.takeStep(step);
    if (steps.length) this.arrived = performance.now();
    for (const total of bins) {
      this.bins = [...this.bins, total].slice(-WINDOW);
      this.curve.push((this.bins.reduce((a, b) => a + b) * 1000) / BIN / this.bins.length);
    }
  }

  private takeStep(step: Step): void {
    const last = this.trail[this.trail.length - 1];
    if (last?.ended) this.trail = [];
    this.before = last && !last.ended ? last : step;
    this.trail.push(step);
    if (this.trail.length > RECENT) this.trail.shift();
    this.recent.push(step.policy);
    if (this.recent.length > RECENT) this.recent.shift();
  }

  // ---- drawing ----

  changed(): void {
    this.dirty = true;
  }

  draw(now: number): void {
    const { rate, layers } = this.setting;
    if (!this.world) return;
    // between two steps the agent moves evenly; where steps come faster than frames there is nothing between
    const part = this.trained && rate <= 60 ? Math.min(1, ((now - this.arrived) * rate) / 1000) : 1;
    if (this.dirty || part < 1) this.paint(part, layers);
    this.dirty = part < 1;
    if (now - this.told > 200) this.tell(now);
  }

  private paint(part: number, layers: Layers): void {
    const last = this.trail.length - 1, end = this.trail[last] ?? this.state ?? { x: 0.05, y: 0.05 };
    const here = last < 0 ? { x: end.x, y: end.y } : { x: this.before.x + part * (end.x - this.before.x), y: this.before.y + part * (end.y - this.before.y) };
    const trail = this.trail.map((step, i) => ({ ...(i === last ? here : step), colour: layers.policies ? this.policyColour(step.policy) : undefined }));
    const taken = this.state?.taken ?? 0;
    drawWorld(this.canvas, this.element.clientWidth, this.world!, {
      ...here, taken: (i) => Math.floor(taken / 2 ** i) % 2 === 1,
      heat: layers.values && this.hasHeat ? this.heat : null, smooth: true,
      memories: layers.memories ? this.spots.memories : [], places: layers.memories ? this.spots.places : [],
      path: layers.plan ? this.pathFrom(here) : [],
      trail: layers.trail && trail.length > 1 ? trail : undefined,
    });
  }

  // What is left of the planned path, which may have been asked for some steps ago; nothing if the agent has left it.
  private pathFrom(here: { x: number; y: number }): number[] {
    const away = this.spots.path.map(([x, y]) => Math.hypot(x - here.x, y - here.y));
    const nearest = away.indexOf(Math.min(...away));
    return nearest < 0 || away[nearest] > 0.09 ? [] : this.spots.path.slice(nearest).flatMap(([x, y]) => [x, y]);
  }

  private get plans(): boolean {
    return this.preset === 'sfnec-plan';
  }

  private policyColour(policy: number): string | undefined {
    return this.plans || policy < 0 ? undefined : policy === this.own ? css('--agent') : colour([4, 3, 5, 2, 0][policy % 5]);
  }

  // it has not taken up the present reward yet
  private get waits(): boolean {
    return this.tally !== null && this.tally.version !== this.setting.version;
  }

  // the policy of the present task, which is the last one
  private get own(): number {
    return (this.state?.tasks ?? 1) - 1;
  }

  private tell(now: number): void {
    this.told = now;
    const state = this.state, tally = this.tally;
    const earned = tally && !this.waits && tally.steps >= 20 ? (1000 * tally.total) / tally.steps : null;
    this.score.textContent = earned === null ? '–' : number(earned);
    this.share.textContent = earned !== null && tally && tally.optimum > 0 ? `${Math.round((100 * Math.max(0, earned)) / tally.optimum)} % of the optimum` : '';
    if (state) {
      const held = this.plans ? `${plural(state.places, 'state')} in its model` : `${state.entries.toLocaleString('en')} memories`;
      const speed = this.setting.rate === Infinity && this.setting.playing && this.trained ? ` · ${plural(Math.round(this.perSecond), 'step')}/s` : '';
      this.facts.textContent = `${held} · ${(state.bytes / 1e6).toFixed(1)} MB${speed}`;
    }
    this.tellPolicies();
    this.canvas.setAttribute('aria-label', `${this.preset} in the four rooms. ${this.score.textContent} reward per 1,000 steps since the reward changed.`);
  }

  // whose policy was followed in the last steps: the newest one in words, all as a strip
  private tellPolicies(): void {
    if (!this.trained || !this.recent.length) return void (this.follows.textContent = '');
    const latest = this.recent[this.recent.length - 1];
    if (this.plans) {
      this.strip.replaceChildren(h('span', { style: `flex-grow: 1; background: ${css('--agent')}` }, 'plan'));
      this.strip.setAttribute('aria-label', 'It has no policies to choose from: it plans');
      this.follows.textContent = this.waits ? 'plans anew…' : 'follows its plan for the present reward';
      return;
    }
    const name = (policy: number) => (policy < 0 ? 'a random step' : policy === this.own ? 'the present task' : `task ${policy + 1}`);
    this.follows.textContent = latest < 0 ? 'takes a random step' : `GPI follows the policy of ${name(latest)}`;
    const counts = new Map<number, number>();
    for (const policy of this.recent) counts.set(policy, (counts.get(policy) ?? 0) + 1);
    const parts = [...counts].sort(([a], [b]) => a - b);
    const percent = (count: number) => Math.round((100 * count) / this.recent.length);
    this.strip.replaceChildren(...parts.map(([policy, count]) =>
      h('span', { style: `flex-grow: ${count}; background: ${this.policyColour(policy) ?? css('--calm')}`, title: `${name(policy)}: ${percent(count)} %` }, percent(count) >= 12 && policy >= 0 ? (policy === this.own ? 'now' : policy + 1) : '')));
    this.strip.setAttribute('aria-label', `Policies followed in the last ${this.recent.length} steps: ${parts.map(([p, n]) => `${name(p)} ${percent(n)} %`).join(', ')}`);
  }
}
