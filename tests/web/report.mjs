// report.mjs: the checks of the page; report.sh makes the reports and names their folder.
import { readFileSync, statSync } from 'node:fs';
import { check, countPixels, fingerprint, finish, launch, open, readData, settle } from './browser.mjs';

const folder = process.argv[2];
const report = (name) => `${folder}/${name}/report.html`;
const PALETTE = ['#0072b2', '#d55e00', '#009e73'];
const CURVES = '#curves canvas';

async function checkLoading(browser) {
  const { page, trouble } = await open(browser, report('small'));
  const data = readData(report('small'));
  check('the page loads without an error and without a request', trouble.length === 0, trouble);
  check('the title is text, not elements', (await page.textContent('h1')) === 'A <b>small</b> study');
  check('a label that looks like an element is text', (await page.textContent('#curves .legend')).includes('nec </script><img src=x>'));
  check('it makes no element', (await page.locator('img').count()) === 0);
  // the words of the verdicts, worked out again
  const words = await page.locator('#verdict .verdict').allTextContents();
  const run = data.configurations[0].runs.map((r) => r.total[0]);
  const mean = run.reduce((a, b) => a + b) / run.length;
  const se = Math.sqrt(run.reduce((a, b) => a + (b - mean) ** 2, 0) / (run.length - 1) / run.length);
  const errors = (mean - 5) / Math.hypot(se, 100);
  check('the difference to the published value is right', Math.abs(data.verdicts[0].errors - errors) < 1e-9, [data.verdicts[0].errors, errors]);
  check('the verdicts are in words', words.join() === 'agrees,lower', words);
  check('and in a sentence', (await page.textContent('.lead')) === '1 of 2 published values lie within two standard errors of the difference from ours.');
  check('the optimum is told', (await page.textContent('#curves')).includes('The dashed line is the optimum'));
  const optimum = data.configurations[0].runs.map((r) => r.optimum[0]);
  check('and is that of the runs', Math.abs(data.optimum.total.mean[0] - optimum.reduce((a, b) => a + b) / optimum.length) < 1e-9, data.optimum);
  check('spec and machine are told', (await page.textContent('#about')).includes('sfnec run small.yaml') && (await page.textContent('#about pre')).includes('name: small'));
  await page.context().close();
}

async function checkCurves(browser) {
  const { page, trouble } = await open(browser, report('small'));
  const data = readData(report('small'));
  await page.uncheck('input[name=bands]');
  await settle(page);
  const before = await Promise.all(PALETTE.map((c) => countPixels(page, CURVES, c)));
  check('every curve is drawn in its colour', before.every((n) => n > 100), before);
  await page.locator('#curves .legend input').nth(2).uncheck();
  await settle(page);
  check('a curve that is switched off goes away', (await countPixels(page, CURVES, PALETTE[2])) < 20);
  check('the others stay', (await countPixels(page, CURVES, PALETTE[0])) > 100);
  await page.locator('#curves .legend .only').nth(1).click();
  await settle(page);
  check('only one is shown', (await page.locator('#curves .legend input:checked').count()) === 1 && (await countPixels(page, CURVES, PALETTE[0])) < 20);
  await page.click('#curves .legend .bar button:has-text("All")');
  await settle(page);
  const plain = await fingerprint(page, CURVES);
  await page.check('input[name=seeds]');
  await settle(page);
  const seeds = await fingerprint(page, CURVES);
  check('single seeds are drawn', seeds !== plain);
  await page.uncheck('input[name=seeds]');
  await page.check('input[name=bands]');
  await settle(page);
  check('bands are drawn', (await fingerprint(page, CURVES)) !== plain);

  // the numbers beside the curves
  const shown = async () => (await page.locator('#curves .legend .value').first().textContent()).replace('−', '-').replace(/,/g, '');
  const curve = data.configurations[0].curves.average;
  const close = (text, value) => Math.abs(parseFloat(text) - value) <= 0.01 * Math.max(1, Math.abs(value));
  const meanText = await shown();
  check('the list has mean and standard error', close(meanText, curve.mean.at(-1)) && meanText.includes('±'), [meanText, curve.mean.at(-1)]);
  const meanPicture = await fingerprint(page, CURVES);
  await page.check('input[value=iqm]');
  await settle(page);
  const iqmText = await shown();
  check('the switch changes to the IQM and its interval', close(iqmText, curve.iqm.at(-1)) && iqmText.includes('['), [iqmText, curve.iqm.at(-1)]);
  check('and the picture with it', (await fingerprint(page, CURVES)) !== meanPicture);
  await page.selectOption('#curves .chart select', 'total');
  await settle(page);
  check('another curve is shown', close(await shown(), data.configurations[0].curves.total.iqm.at(-1)));
  // over steps, and back
  const byTask = await fingerprint(page, CURVES);
  await page.check('#curves input[value="Over steps"]');
  await settle(page);
  const overSteps = data.configurations[0].curves.step_total;
  check('curves over steps are there', overSteps.x.at(-1) === 1800 && overSteps.x.length >= 60, overSteps.x);
  check('the switch shows them', close(await shown(), overSteps.iqm.at(-1)) && (await fingerprint(page, CURVES)) !== byTask);
  check('and offers what there is over steps', (await page.locator('#curves .chart option').allTextContents()).includes('Return of an episode'));
  const sum = overSteps.x.reduce((s, x, i) => s + (x - (overSteps.x[i - 1] ?? 0)) * overSteps.mean[i], 0);
  const totals = data.configurations[0].runs.map((r) => r.total.reduce((a, b) => a + b));
  check('the reward over steps adds up to the return', Math.abs(sum - totals.reduce((a, b) => a + b) / totals.length) < 1e-6, [sum, totals]);
  await page.check('#curves input[value="Per task"]');
  await page.selectOption('#curves .chart select', 'total');
  await settle(page);
  check('the other switch goes back', (await fingerprint(page, CURVES)) === byTask);

  // hover and zoom
  const area = await page.locator('#curves .u-over').boundingBox();
  await page.mouse.move(area.x + 0.5 * area.width, area.y + 0.5 * area.height);
  await settle(page);
  check('hovering reads the second task', (await page.textContent('#curves .at')) === 'task 2', await page.textContent('#curves .at'));
  check('and its value', close(await shown(), data.configurations[0].curves.total.iqm[1]));
  const range = async () => (await page.getAttribute('#curves .plot', 'aria-label')).match(/task (\d+ to \d+)/)[1];
  await page.mouse.move(area.x + 0.3 * area.width, area.y + 50);
  await page.mouse.down();
  await page.mouse.move(area.x + 0.7 * area.width, area.y + 60, { steps: 4 });
  await page.mouse.up();
  await settle(page);
  check('dragging zooms', (await range()) === '2 to 2', await range());
  await page.click('#curves .zoom button:has-text("All")');
  await settle(page);
  check('and All goes back', (await range()) === '1 to 3', await range());
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();
}

async function checkKeyboard(browser) {
  const { page } = await open(browser, report('small'));
  await page.keyboard.press('Tab');
  check('the first stop skips to the curves', (await page.evaluate(() => document.activeElement.textContent)) === 'Skip to the curves');
  // every control is reached by Tab alone
  const wanted = await page.evaluate(() => [...document.querySelectorAll('button, select, summary, input, [tabindex="0"]')].length);
  const seen = new Set();
  for (let i = 0; i < wanted + 60; i++) {
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      e.dataset.stop ??= String(Math.random());
      const style = getComputedStyle(e);
      return { stop: e.dataset.stop, tag: e.tagName, visible: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 };
    });
    if (at.tag !== 'BODY' && !at.visible) check(`focus is visible on ${at.tag}`, false);
    seen.add(at.stop);
    await page.keyboard.press('Tab');
  }
  // two radio buttons are one stop
  check('Tab reaches every control', seen.size >= wanted - 1, [seen.size, wanted]);

  await page.focus('#curves .plot');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await settle(page);
  check('arrow keys move the cursor', /^task 2/.test(await page.textContent('#curves .at')), await page.textContent('#curves .at'));
  const label = () => page.getAttribute('#curves .plot', 'aria-label');
  await page.keyboard.press('+');
  await settle(page);
  check('plus zooms in', (await label()).includes('task 2 to 2'), await label());
  await page.keyboard.press('0');
  await settle(page);
  check('0 shows all again', (await label()).includes('task 1 to 3'), await label());
  await page.focus('#curves .legend input');
  await page.keyboard.press('Space');
  check('Space switches a curve off', (await page.locator('#curves .legend input:checked').count()) === 2);
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, select, input, canvas[role], svg[role]')].filter((e) =>
    !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim())).map((e) => e.outerHTML.slice(0, 80)));
  check('everything has a name', nameless.length === 0, nameless);
  await page.context().close();
}

async function checkParts(browser) {
  const { page, trouble } = await open(browser, report('small'));
  const data = readData(report('small'));
  const heat = '#gpi canvas';
  check('the heat map is drawn', (await countPixels(page, heat, '#fef078', 4)) > 50);
  await page.focus(heat);
  await page.keyboard.press('ArrowLeft');
  const [task, policy] = (await page.textContent('#gpi .readout')).match(/\d+(\.\d+)?/g).map(Number);
  const share = Number((await page.textContent('#gpi .readout')).match(/for ([\d.,]+) %/)[1]);
  const row = data.configurations[0].uses[task - 1];
  check('and read by the keyboard', Math.abs(share - (100 * row[policy - 1]) / row.reduce((a, b) => a + b)) < 0.5, [task, policy, share]);
  check('box plots have a dot per run', (await page.locator('#statistics .dots circle').count()) === 9);
  check('memory and time are drawn', (await page.locator('#memory canvas').count()) === 2 && (await countPixels(page, '#memory canvas', PALETTE[0])) > 50);

  for (const [button, lines] of [['tasks', 1 + 27], ['statistics', 1 + 3]]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#data button:has-text("${button}")`)]);
    const text = readFileSync(await download.path(), 'utf8');
    check(`${button} are saved as CSV`, download.suggestedFilename() === `small-${button}.csv` && text.trim().split('\n').length === lines, text.slice(0, 200));
    if (button === 'tasks') check('with the numbers', text.includes(`sfnec,sfnec,sfnec,,1,1,${data.configurations[0].runs[0].total[0]},`), text.slice(0, 200));
  }
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#data button:has-text("report.json")')]);
  check('everything is saved as JSON', JSON.stringify(JSON.parse(readFileSync(await download.path(), 'utf8'))) === JSON.stringify(data));

  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await back(), picture = await fingerprint(page, CURVES);
  await page.click('.theme');
  await settle(page);
  check('the switch makes it dark', (await back()) !== light && (await fingerprint(page, CURVES)) !== picture);
  await page.click('.theme');
  await settle(page);
  check('and light again', (await back()) === light && (await fingerprint(page, CURVES)) === picture);
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();
}

async function checkReplay(browser) {
  const { page, trouble } = await open(browser, report('small'));
  const data = readData(report('small'));
  const scene = '#replay .scene canvas';
  const facts = () => page.locator('#replay .facts').first().textContent();
  check('each agent has a replay', (await page.locator('#replay .scene').count()) === 3);
  const start = await fingerprint(page, scene);
  // a step against a wall leaves the picture as it is
  const frames = data.replays[0].data.frames;
  const moved = frames.findIndex((f) => f.x !== frames[0].x || f.y !== frames[0].y);
  for (let i = 0; i < moved; i++) await page.click('#replay [aria-label="One step on"]');
  await settle(page);
  check('steps on', moved > 0 && (await facts()).startsWith(`Step ${moved} of`) && (await fingerprint(page, scene)) !== start, await facts());
  for (let i = 0; i < moved; i++) await page.click('#replay [aria-label="One step back"]');
  await settle(page);
  check('and back gives the same picture', (await facts()).startsWith('Step 0 of') && (await fingerprint(page, scene)) === start);
  const first = data.replays[0].data.frames[0];
  const chosen = await page.locator('#replay .scene').first().locator('.chosen .action').textContent();
  check('the chosen action is marked', chosen === data.replays[0].data.action_names[first.action], chosen);
  await page.selectOption('#replay select', '60');
  await page.click('#replay .primary');
  await page.waitForFunction(() => Number(document.querySelector('#replay input[type=range]').value) > 5);
  await page.click('#replay .primary');
  const paused = await page.inputValue('#replay input[type=range]');
  await page.waitForTimeout(200);
  check('it plays and pauses', (await page.inputValue('#replay input[type=range]')) === paused && Number(paused) > 5, paused);
  const withHeat = await fingerprint(page, scene);
  await page.uncheck('#replay label:has-text("Values") input');
  await settle(page);
  check('the value map can be hidden', (await fingerprint(page, scene)) !== withHeat);
  await page.focus('#replay input[type=range]');
  await page.keyboard.press('End');
  const longest = Math.max(...data.replays.map((r) => r.data.frames.length - 1));
  check('the slider goes to the end', (await page.inputValue('#replay input[type=range]')) === String(longest));
  check('where the return is told', (await facts()).includes('the episode is over'), await facts());
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();
}

async function checkOthers(browser) {
  const episodes = await open(browser, report('episodes'));
  check('curves over episodes are drawn', (await episodes.page.textContent('#curves .chart')).includes('Return of an episode') && (await countPixels(episodes.page, CURVES, PALETTE[1])) > 100);
  check('a sweep has a row per point', (await episodes.page.locator('#sweeps .boxes tbody tr').count()) === 4);
  check('and a grid over its two keys', (await episodes.page.locator('#sweeps .share').count()) === 4);
  check('a world without positions is told', (await episodes.page.textContent('#replay')).includes('no positions'));
  check('without an error', episodes.trouble.length === 0, episodes.trouble);

  const partial = await open(browser, report('partial'));
  check('an unfinished study says so', (await partial.page.textContent('.warning')).startsWith('Unfinished: 1 of 12 runs are done, 1 failed.'));
  check('and names the failure', (await partial.page.textContent('#about')).includes('the "disk" is full'));
  check('without an error', partial.trouble.length === 0, partial.trouble);

  for (const width of [360, 768]) {
    const narrow = await open(browser, report('small'), { viewport: { width, height: 800 }, colorScheme: 'dark' });
    const over = await narrow.page.evaluate(() => (document.documentElement.scrollWidth <= innerWidth ? [] :
      [...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest('.scroll')).map((e) => e.outerHTML.slice(0, 90))));
    check(`nothing sticks out at ${width} pixels`, over.length === 0, over);
    const pdf = await narrow.page.pdf({ format: 'A4' });
    check('it prints', pdf.length > 20000, pdf.length);
    await narrow.page.context().close();
  }
  await episodes.page.context().close();
  await partial.page.context().close();
}

async function checkLarge(browser) {
  const size = statSync(report('large')).size;
  check('a large report is below 5 MB', size < 5e6, size);
  const { page, trouble } = await open(browser, report('large'));
  // a click, and the next frame that is painted
  const click = (selector) => page.evaluate((wanted) => new Promise((done) => {
    document.querySelector(wanted).click();
    requestAnimationFrame(() => setTimeout(done));
  }), selector);
  const shown = () => page.locator('#curves .legend input:checked').count();
  await click('#curves .legend .bar button');
  check('all 40 curves are on', (await shown()) === 40);
  await click('#curves .legend input');
  check('one is off', (await shown()) === 39);
  await click('#curves .legend input');
  check('and on again', (await shown()) === 40);
  for (const selector of ['input[name=seeds]', 'input[value=iqm]', 'input[value=mean]', '#curves .zoom button']) await click(selector);
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();
}

const browser = await launch();
for (const part of [checkLoading, checkCurves, checkKeyboard, checkParts, checkReplay, checkOthers, checkLarge]) await part(browser);
await browser.close();
finish();
