// worker.ts: one agent, which learns and plays in slices of time, so that the page can draw and messages arrive.
import { Engine } from './engine';
import { BIN, SIDE, type FromWorker, type Step, type Tally, type ToWorker, type Wanted } from './messages';

const SLICE = 12; // milliseconds of work between two looks at the messages
const FRAME = 15; // milliseconds between two messages about steps
const ASKING = 0.2; // share of the time that questions for the picture may take

let engine: Engine | null = null;
let planned = false;
let wanted: Wanted;
let tasks = 0;
let trained: Uint8Array<ArrayBuffer> | null = null; // the file of the agent at the end of its training

let tally: Tally = { version: -1, steps: 0, total: 0, episodes: 0, optimum: 0 };
let steps: Step[] = []; // since the last message
let bins: number[] = [];
let bin = { steps: 0, total: 0 };
let due = 0; // steps
let single = 0; // steps that were asked for one by one
let last = 0; // when steps were counted last
let told = 0; // when the page was told last
let asked = { at: 0, took: 0 }; // the last questions
let stale = true; // the picture is not that of the present state
let measured = { from: 0, steps: 0, perSecond: 0 };

const post = (message: FromWorker, move: Transferable[] = []) => (self as unknown as Worker).postMessage(message, move);

// without the pause of 4 ms that timers make
const channel = new MessageChannel();
channel.port1.onmessage = () => tick();
const soon = (pause: number) => (pause > 0 ? setTimeout(tick, pause) : channel.port2.postMessage(0));

// ---- training ----

function train(e: Engine): void {
  const end = performance.now() + SLICE;
  while (performance.now() < end && e.tasksDone < tasks) {
    e.train(5);
    const state = e.state();
    steps.push({ x: state.x, y: state.y, policy: -1, ended: true });
  }
  const done = e.tasksDone;
  if (performance.now() - told >= FRAME || done >= tasks) {
    told = performance.now();
    post({ kind: 'training', done, state: e.state(), steps: steps.slice(-1) });
    steps = [];
  }
  if (done < tasks) return;
  trained = e.save();
  post({ kind: 'trained', size: trained.length });
  e.beginTask(wanted.w);
  e.restart();
  count(e);
  last = performance.now();
}

// ---- playing ----

// Counts anew, for other weights.
function count(e: Engine): void {
  tally = { version: wanted.version, steps: 0, total: 0, episodes: 0, optimum: e.optimum };
  bin = { steps: 0, total: 0 };
  stale = true;
}

function step(e: Engine): void {
  e.step(wanted.learn);
  const state = e.state();
  steps.push({ x: state.x, y: state.y, policy: state.explored ? -1 : state.policy, ended: state.ended !== 0 });
  tally.steps++;
  tally.total += state.reward;
  tally.episodes += state.ended;
  bin.total += state.reward;
  if (++bin.steps === BIN) bins.push(bin.total), (bin = { steps: 0, total: 0 });
  // for an agent that plans and learns every question takes a new plan: one at the beginning of an episode is enough
  stale ||= !planned || !wanted.learn || wanted.rate === 0 || state.episodeSteps % 100 === 1;
}

function play(e: Engine): void {
  const now = performance.now(), end = now + SLICE;
  if (wanted.version !== tally.version) {
    e.setWeights(wanted.w);
    count(e);
  }
  due = Math.min(wanted.rate * ((now - last) / 1000) + due, wanted.rate === Infinity ? Infinity : 1 + wanted.rate / 20);
  if (wanted.rate === 0) due = 0;
  if (Number.isNaN(due)) due = 0; // no time has passed
  last = now;
  let made = 0;
  for (; due >= 1 && performance.now() < end; due--, made++) step(e);
  if (due === Infinity) due = 0;
  for (; single > 0; single--) step(e);
  measure(now, made);
  if (now - told >= FRAME || steps.length > 2000) tell(e, now);
}

function measure(now: number, made: number): void {
  measured.steps += made;
  if (now - measured.from < 500) return;
  measured = { from: now, steps: 0, perSecond: (1000 * measured.steps) / (now - measured.from) };
}

function tell(e: Engine, now: number): void {
  told = now;
  post({ kind: 'frame', state: e.state(), steps, bins, tally, perSecond: measured.perSecond });
  steps = [];
  bins = [];
}

// ---- what the page draws around the agent ----

// Asked together, as an agent that plans makes a plan for them whenever it has learned something, and seldom enough.
function think(e: Engine): void {
  const now = performance.now();
  if (!stale || now - asked.at < Math.max(FRAME, asked.took * (1 / ASKING - 1))) return;
  stale = false;
  if (wanted.values) {
    const { values, complete } = e.values(SIDE, planned ? SIDE * SIDE : 100);
    stale = !complete; // the rest of the round comes with the next slices
    post({ kind: 'values', values }, [values.buffer as ArrayBuffer]);
  }
  if (wanted.memories || wanted.plan) {
    const spots = (which: 'memories' | 'places' | 'path', when: boolean) => (when ? e.spots(which) : []);
    const { memories, plan } = wanted;
    post({ kind: 'spots', memories: spots('memories', memories && !planned), places: spots('places', memories && planned), path: spots('path', plan && planned) });
  }
  asked = { at: performance.now(), took: performance.now() - now };
}

// ---- the loop ----

function tick(): void {
  if (!engine) return;
  try {
    if (!trained) train(engine);
    else play(engine), think(engine);
  } catch (error) {
    engine = null;
    return post({ kind: 'failed', message: String(error) });
  }
  soon(!trained ? 0 : wanted.rate === Infinity ? SLICE * (1 / wanted.share - 1) : wanted.rate ? 8 : 30);
}

async function open(message: ToWorker & { kind: 'open' }): Promise<void> {
  const { preset, training } = message;
  wanted = message.wanted;
  tasks = training.tasks;
  planned = preset === 'sfnec-plan';
  engine = await Engine.start(message.module, preset, training.seed, training.tasks, training.steps);
  post({ kind: 'opened', world: engine.world });
  soon(0);
}

self.onmessage = (event: MessageEvent<ToWorker>) => {
  const message = event.data;
  if (message.kind === 'open') open(message).catch((error) => post({ kind: 'failed', message: String(error) }));
  else if (message.kind === 'wanted') wanted = message.wanted, (stale = true);
  else if (!engine || !trained) return;
  else if (message.kind === 'step') single++;
  else if (message.kind === 'restart') engine.restart(), (stale = true);
  else if (message.kind === 'new-task') engine.beginTask(wanted.w), count(engine);
  else if (message.kind === 'save') post({ kind: 'saved', trained: message.trained, bytes: message.trained ? trained : engine.save() });
};
