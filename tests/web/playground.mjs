// playground.mjs: the checks of the playground: playground.mjs PAGE FOLDER; what it saves goes to the folder, where
// playground.sh compares it.
import { statSync } from 'node:fs';
import { check, fingerprint, finish, launch, open, settle } from './browser.mjs';

const [file, folder] = process.argv.slice(2);
const AGENTS = ['sfnec-plan', 'sfnec-plus', 'sfnec'];
const scene = (agent) => `.agent[data-agent="${agent}"]`;
const canvas = (agent) => `${scene(agent)} canvas`;
const openTrained = (browser, hash, agents, options) =>
  open(browser, file, { ready: `body${agents.map((a) => `:has(${scene(a)}.trained)`).join('')}`, hash, ...options });

// Waits until a text that the page keeps up to date satisfies a test; the last one seen.
async function until(page, selector, test, milliseconds = 60000) {
  const end = Date.now() + milliseconds;
  for (;;) {
    const text = await page.textContent(selector);
    if (test(text) || Date.now() > end) return text;
    await page.waitForTimeout(50);
  }
}
const numberOf = (text) => parseFloat(text.replace('−', '-').replace(/,/g, ''));

// Waits until the picture stays as it is: the value map is complete. False if it never does.
async function rest(page, selector) {
  let last = -1;
  for (const end = Date.now() + 30000; Date.now() < end; await page.waitForTimeout(700)) {
    const now = await fingerprint(page, selector);
    if (now === last) return true;
    last = now;
  }
  return false;
}

// Whether the picture becomes another than it was.
async function changes(page, selector, before) {
  for (const end = Date.now() + 30000; Date.now() < end; await page.waitForTimeout(100))
    if ((await fingerprint(page, selector)) !== before) return true;
  return false;
}

async function checkBytes(browser) {
  const { page, trouble } = await openTrained(browser, `#seed=7&tasks=3&steps=1500&agents=${AGENTS}`, AGENTS);
  check('the file is less than 3 MB', statSync(file).size < 3e6, statSync(file).size);
  await page.click('summary:has-text("to the byte")');
  for (const agent of AGENTS) {
    for (const [button, name] of [[`[data-save="${agent}"]`, 'trained'], [`${scene(agent)} button`, 'now']]) {
      const saving = page.waitForEvent('download');
      await page.click(button);
      await (await saving).saveAs(`${folder}/${agent}.${name}`);
    }
    const command = await page.textContent(`.command:has([data-save="${agent}"]) code`);
    check('the page tells the command', command === `sfnec train --agent ${agent} --seed 7 --tasks 3 --steps 1500 --save ${agent}.agent`, command);
  }
  check('the page works from a file without an error and without a request', trouble.length === 0, trouble);
  await page.context().close();
}

// The finding: another reward, and the agent earns it at once.
async function checkReward(browser) {
  const agent = 'sfnec-plan', score = `${scene(agent)} .score`;
  const { page, trouble } = await openTrained(browser, `#agents=${agent}&w=1,0,0,1`, [agent]);
  await page.click('.segments label:has-text("Max")');
  for (const [name, least] of [['Circles', 60], ['Avoid squares', 40], ['Squares', 50]]) {
    await page.click(`.chip:text-is("${name}")`);
    check(`${name}: the example is marked`, (await page.getAttribute(`.chip:text-is("${name}")`, 'aria-pressed')) === 'true');
    await page.waitForTimeout(2000); // the score before is gone
    const earned = await until(page, score, (text) => numberOf(text) >= least, 30000);
    check(`${name}: the agent earns the new reward`, numberOf(earned) >= least, earned);
  }
  // by the keyboard: a slider moves the values of positions
  await page.click('.play');
  await rest(page, canvas(agent));
  const before = await fingerprint(page, canvas(agent));
  await page.focus('[aria-label="Reward of a goal"]');
  for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowLeft');
  check('arrows move the slider', (await page.textContent('.weight:has-text("goal") output')) === '−1.0');
  check('and the values with it, while the agent rests', await changes(page, canvas(agent), before));
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();
}

async function checkControls(browser) {
  const agent = 'sfnec';
  const { page, trouble } = await openTrained(browser, `#tasks=2&steps=500&agents=${agent}`, [agent]);
  const memories = async () => numberOf(await page.textContent(`${scene(agent)} .facts`));
  await page.keyboard.press(' ');
  check('space pauses', (await page.textContent('.play')) === 'Play');
  check('nothing moves', await rest(page, canvas(agent)));
  const resting = await fingerprint(page, canvas(agent));
  for (let i = 0; i < 30; i++) await page.keyboard.press('s');
  check('s takes a step', await changes(page, canvas(agent), resting));
  for (const name of ['Values', 'Policies', 'Trail', 'Memories']) {
    await rest(page, canvas(agent));
    const shown = await fingerprint(page, canvas(agent));
    await page.click(`.check:has-text("${name}")`);
    check(`${name} can be switched`, await changes(page, canvas(agent), shown));
  }
  await page.click('.check:has-text("Learn")');
  await page.click('.segments label:has-text("Max")');
  await page.click('.play');
  await page.waitForTimeout(600);
  const kept = await memories();
  await page.waitForTimeout(1000);
  check('an agent that does not learn stays as it is', (await memories()) === kept, [kept, await memories()]);
  await page.click('.check:has-text("Learn")');
  check('one that learns remembers more', numberOf(await until(page, `${scene(agent)} .facts`, (text) => numberOf(text) > kept, 20000)) > kept);
  check('it tells whose policy it follows', /GPI follows the policy of|random step/.test(await page.textContent(`${scene(agent)} .follows`)));
  // another agent beside it, and a new seed
  await page.click('.check:has-text("sfnec-plus")');
  await page.waitForSelector(`${scene('sfnec-plus')}.trained`, { timeout: 60000 });
  check('two agents stand side by side', (await page.locator('.agent').count()) === 2);
  await page.click('button:has-text("New seed")');
  check('a new seed trains anew', (await page.locator('.agent.trained').count()) === 0);
  await page.waitForSelector(`${scene(agent)}.trained`, { timeout: 60000 });
  await page.click('button:has-text("Keep as a task")');
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();
}

// How many frames there are, and how much the page works for them: in time of the processor, as a busy machine makes all
// wait.
async function checkFrames(browser) {
  const { page } = await openTrained(browser, `#tasks=2&steps=500&agents=${AGENTS}`, AGENTS);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const worked = async () => (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value;
  for (const [speed, name] of [['3×', '30 steps a second'], ['Max', 'as many steps as there is time for']]) {
    await page.click(`.segments label:has-text("${speed}")`);
    await page.waitForTimeout(500);
    const before = await worked();
    const { frames, span } = await page.evaluate(() => new Promise((done) => {
      let frames = 0, first = 0;
      const count = (now) => (first ||= now, now - first < 5000 ? (frames++, requestAnimationFrame(count)) : done({ frames, span: now - first }));
      requestAnimationFrame(count);
    }));
    const share = (1000 * ((await worked()) - before)) / span;
    console.log(`three agents, ${name}: ${((1000 * frames) / span).toFixed(1)} frames a second, for which the page works ${Math.round(100 * share)} % of the time`);
    check('the page has time to spare', share < 0.5, share);
  }
  await page.context().close();
}

async function checkPhone(browser) {
  for (const colorScheme of ['light', 'dark']) {
    const { page, trouble } = await openTrained(browser, '#tasks=1&steps=300', ['sfnec-plan'],
      { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme });
    check('a phone begins with one agent', (await page.locator('.agent').count()) === 1);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check('nothing is wider than the screen', wide <= 390, wide);
    const small = await page.evaluate(() => [...document.querySelectorAll('button, summary, .check, .segments label, input[type=range], input[type=number]')]
      .filter((e) => e.getBoundingClientRect().height < 44).map((e) => e.outerHTML.slice(0, 80)));
    check('everything to touch is 44 pixels high', small.length === 0, small);
    check('the scheme is followed', (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === (colorScheme === 'dark' ? 'rgb(20, 23, 27)' : 'rgb(255, 255, 255)'));
    await page.tap('.chip:text-is("Squares")');
    await settle(page);
    check('a touch changes the reward', (await page.textContent('.weight:has-text("square") output')) === '+1.0');
    check('without an error', trouble.length === 0, trouble);
    await page.context().close();
  }
}

const browser = await launch();
for (const run of [checkBytes, checkReward, checkControls, checkFrames, checkPhone]) await run(browser);
await browser.close();
finish();
