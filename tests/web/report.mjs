// report.mjs: the checks of the page; report.sh makes the reports and names their folder.
import { readFileSync, statSync } from 'node:fs';
import { check, countPixels, fingerprint, finish, launch, open, readData, settle } from './browser.mjs';

const folder = process.argv[2];
const report = (name) => `${folder}/${name}/report.html`;
// of sfnec, nec and sfql
const PALETTE = ['#d55e00', '#cc79a7', '#e69f00'];
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
  check('and in a sentence', (await page.textContent('.lead')).endsWith('1 of 2 published values lie within two standard errors of the difference from ours.'));
  check('the optimum is told', (await page.textContent('#curves')).includes('The dashed line is the optimum'));
  const optimum = data.configurations[0].runs.map((r) => r.optimum[0]);
  check('and is that of the runs', Math.abs(data.optimum.total.mean[0] - optimum.reduce((a, b) => a + b) / optimum.length) < 1e-9, data.optimum);
  check('spec and machine are told', (await page.textContent('#about')).includes('sfnec run small.yaml') && (await page.textContent('#about details pre')).includes('name: small'));
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
  check('the switch changes to the IQM, without an interval of three seeds', close(iqmText, curve.iqm.at(-1)) && !iqmText.includes('['), [iqmText, curve.iqm.at(-1)]);
  check('which it does not offer', !(await page.textContent('#curves .controls')).includes('95 %'));
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
  const wanted = await page.evaluate(() => [...document.querySelectorAll('button, select, summary, input, [tabindex="0"]')].filter((e) => e.checkVisibility()).length);
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
  check('agents that reuse policies stand side by side', (await page.locator('#gpi canvas').count()) === data.configurations.filter((c) => c.uses.some((row) => row.some((n, p) => n && p + 1 < row.length))).length);
  check('differences are drawn around 0', (await page.locator('#statistics .zero').count()) === 2);
  check('profiles are drawn', (await page.locator('#statistics .drawing path').count()) === 3);
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

// the lead of the page, worked out again
async function checkFinding(browser) {
  const { page } = await open(browser, report('small'));
  const data = readData(report('small'));
  const means = data.configurations.map((c) => [c.runs.reduce((a, r) => a + r.total.reduce((x, y) => x + y) / 3, 0) / 3, c.name]).sort((a, b) => b[0] - a[0]);
  const text = (await page.textContent('.finding')).replace(/−/g, '-');
  const names = means.map(([, name]) => name), at = names.map((name) => text.indexOf(name));
  check('the page leads with the means, the best first', at.every((p, k) => p >= 0 && (k === 0 || p > at[k - 1])), [text, names]);
  means.forEach(([mean, name]) => {
    const told = parseFloat(text.slice(text.indexOf(name) + name.length).replace(/,(?=\d{3})/g, ''));
    check(`and that of ${name} is right`, Math.abs(told - mean) <= 0.51 * 10 ** Math.max(-2, Math.floor(Math.log10(Math.abs(means[0][0]))) - 1), [told, mean]);
  });
  check('of how many seeds', (await page.textContent('.lead')).includes('mean of 3 seeds'));
  const whole = data.configurations.map((c) => c.runs.flatMap((r) => r.optimum).reduce((a, b) => a + b));
  const best = data.configurations.findIndex((c) => c.name === names[0]);
  const share = (100 * 9 * means[0][0]) / whole[best];
  check('and how much of the optimum', Math.abs(Number(/earns ([\d.-]+) %/.exec(await page.textContent('.lead'))[1]) - share) < 0.6, share);
  check('the whole command is told', (await page.textContent('#about .command')) === data.sessions[0].command);
  // small figures follow the large one
  check('each agent has a figure of its own', (await page.locator('#curves .panel').count()) === 3);
  await page.locator('#curves .legend input').nth(2).uncheck();
  check('which goes with its curve', (await page.locator('#curves .panel').count()) === 2);
  await page.context().close();

  const quick = await open(browser, report('quick'));
  check('a quick run says so', (await quick.page.textContent('h1')).startsWith('Quick run: '));
  check('in the title of the window too', (await quick.page.title()).startsWith('Quick run: '));
  check('and is not compared with what was published', (await quick.page.textContent('.lead')).endsWith('This is a quick run, too small to be compared with published values.') && (await quick.page.locator('#verdict').count()) === 0);
  await quick.page.context().close();
}

// every figure is saved as SVG, PNG and CSV, and the files are what they say
async function checkSaving(browser) {
  const { page, trouble } = await open(browser, report('small'));
  const data = readData(report('small'));
  const bars = await page.locator('.save').count();
  check('every figure can be saved', bars >= 12 && (await page.locator('figure canvas').count()) <= bars, bars);
  const get = async (bar, kind) => {
    const [download] = await Promise.all([page.waitForEvent('download'), bar.locator(`button:has-text("${kind}")`).click()]);
    return [download.suggestedFilename(), readFileSync(await download.path())];
  };
  for (const where of ['#curves .chart', '#curves', '#verdict', '#statistics', '#gpi', '#replay .scene']) {
    const bar = page.locator(`${where} .save`).last();
    const [name, bytes] = await get(bar, 'SVG');
    const text = String(bytes);
    const problem = await page.evaluate((t) => new DOMParser().parseFromString(t, 'image/svg+xml').querySelector('parsererror')?.textContent, text);
    check(`${where} is saved as SVG that can be read`, name.endsWith('.svg') && !problem && text.length > 1000, [name, problem, text.length]);
    check('with shapes, and no style of the page', /<(path|rect|line|image)/.test(text) && !text.includes('var(--') && !text.includes('NaN'), text.slice(0, 300));
    const [png, picture] = await get(bar, 'PNG');
    check('and as PNG', png.endsWith('.png') && picture.subarray(1, 4).toString() === 'PNG' && picture.length > 1000, picture.length);
  }
  const [, curve] = await get(page.locator('#curves .chart .save').first(), 'SVG');
  for (const colour of PALETTE) check(`the curve in ${colour} is in the file`, String(curve).toLowerCase().includes(`stroke="${colour}"`));
  check('and the names', String(curve).includes('nec &lt;/script>') && String(curve).includes('>sfql</text>'));
  const [name, rows] = await get(page.locator('#curves .chart .save').first(), 'CSV');
  const line = String(rows).split('\n').find((l) => l.startsWith('sfnec,average,3,'));
  check('the numbers are saved as CSV', name === 'small-average.csv' && Number(line?.split(',')[4]) === data.configurations[0].curves.average.mean[2], line);
  check('after which it draws as before', (await countPixels(page, CURVES, PALETTE[0])) > 100 && trouble.length === 0, trouble);
  await page.context().close();
}

async function checkSorting(browser) {
  const { page } = await open(browser, report('small'));
  const column = (k) => page.locator(`#statistics .boxes tbody tr td:nth-child(${k})`).allTextContents();
  const numbers = async () => (await column(4)).slice(0, 3).map((t) => parseFloat(t.replace(/,/g, '').replace('−', '-')));
  const head = page.locator('#statistics .boxes thead th:has-text("Mean ± se") button').first();
  await head.click();
  const down = await numbers();
  check('a table is sorted by a click', down.every((v, k) => k === 0 || v <= down[k - 1]), down);
  await head.click();
  const up = await numbers();
  check('and the other way by another', JSON.stringify(up) === JSON.stringify([...down].reverse()) && (await page.getAttribute('#statistics .boxes thead th:has-text("Mean ± se")', 'aria-sort')) === 'ascending', up);
  await page.locator('#statistics .boxes thead th:has-text("Configuration") button').first().click();
  const names = (await page.locator('#statistics .boxes').first().locator('tbody th').allTextContents()).slice(0, 3);
  check('texts from A on', JSON.stringify(names) === JSON.stringify([...names].sort()), names);
  await page.context().close();
}

async function checkTouch(browser) {
  const { page } = await open(browser, report('small'), { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const small = await page.evaluate(() => [...document.querySelectorAll('button, select, nav a, summary, label:has(input), input[type=range]')]
    .filter((e) => e.offsetParent && e.getBoundingClientRect().height < 43.5).map((e) => `${e.outerHTML.slice(0, 70)} ${e.getBoundingClientRect().height}`));
  check('fingers have 44 pixels', small.length === 0, small.slice(0, 5));
  const seen = await page.evaluate(() => [...document.querySelectorAll('#verdict .verdict')].every((e) => e.getBoundingClientRect().right <= innerWidth));
  check('the verdict is seen on a phone', seen);
  await page.context().close();
}

async function checkReplay(browser) {
  const { page, trouble } = await open(browser, report('small'));
  const data = readData(report('small'));
  const scene = '#replay .scene canvas';
  const facts = () => page.locator('#replay .facts').first().textContent();
  check('each agent has a replay', (await page.locator('#replay .scene').count()) === 3);
  check('of three tasks and two seeds', data.replays.length === 18 && (await page.locator('#replay select').first().locator('option').count()) === 3);
  check('and says why walls are passed', (await page.textContent('#replay')).includes('can step over a thin wall'));
  const told = () => page.textContent('#replay p');
  check('the last task is shown at first', (await told()).includes('task 3 of seed 1'), await told());
  await page.selectOption('#replay select >> nth=0', { label: 'task 1' });
  await page.selectOption('#replay select >> nth=1', { label: 'seed 2' });
  check('another can be chosen', (await told()).includes('task 1 of seed 2') && (await page.locator('#replay .scene').count()) === 3, await told());
  await page.selectOption('#replay select >> nth=0', { label: 'task 3' });
  await page.selectOption('#replay select >> nth=1', { label: 'seed 1' });
  await settle(page);
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
  await page.selectOption('#replay .player select', '60');
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
  const longest = Math.max(...data.replays.slice(0, 3).map((r) => r.data.frames.length - 1));
  check('the slider goes to the end', (await page.inputValue('#replay input[type=range]')) === String(longest));
  check('where the return is told', (await facts()).includes('the episode is over'), await facts());
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();
}

async function checkOthers(browser) {
  const episodes = await open(browser, report('episodes'));
  check('curves over episodes are drawn', (await episodes.page.textContent('#curves .chart')).includes('Return of an episode') && (await countPixels(episodes.page, CURVES, PALETTE[0])) > 100);
  check('a sweep has a row per point', (await episodes.page.locator('#sweeps .boxes tbody tr').count()) === 4);
  check('and a heat map over its two keys', (await episodes.page.locator('#sweeps .on-ramp').count()) === 4);
  check('a figure of what each key does', (await episodes.page.locator('#sweeps .multiples .drawing').count()) === 3);
  check('and a line per point', (await episodes.page.locator('#sweeps .drawings .drawing path').count()) === 4);
  const sorted = (await episodes.page.locator('#sweeps .boxes tbody td:nth-child(4)').allTextContents()).map((t) => parseFloat(t.replace(/,/g, '')));
  check('the points stand in their order', sorted.every((v, k) => k === 0 || v <= sorted[k - 1]), sorted);
  check('a world without positions is told', (await episodes.page.textContent('#replay')).includes('no positions'));
  check('without an error', episodes.trouble.length === 0, episodes.trouble);

  const partial = await open(browser, report('partial'));
  check('an unfinished study says so', (await partial.page.textContent('.warning')).startsWith('Unfinished: 1 of 12 runs are done, 1 failed.'));
  check('and names the failure', (await partial.page.textContent('#about')).includes('the "disk" is full'));
  check('without an error', partial.trouble.length === 0, partial.trouble);

  for (const width of [360, 768, 1280, 1440]) {
    const narrow = await open(browser, report('small'), { viewport: { width, height: 800 }, colorScheme: 'dark' });
    const over = await narrow.page.evaluate(() => (document.documentElement.scrollWidth <= innerWidth ? [] :
      [...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest('.scroll')).map((e) => e.outerHTML.slice(0, 90))));
    check(`nothing sticks out at ${width} pixels`, over.length === 0, over);
    const cut = await narrow.page.evaluate(() => [...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.getAttribute('aria-label')));
    check(`no column is cut at ${width} pixels`, width < 1280 || cut.length === 0, cut);
    const pdf = width < 768 ? await narrow.page.pdf({ format: 'A4' }) : null;
    check('it prints', !pdf || pdf.length > 20000, pdf?.length);
    await narrow.page.context().close();
  }
  await episodes.page.context().close();
  await partial.page.context().close();
}

async function checkWeights(browser) {
  const { page, trouble } = await open(browser, report('weights'));
  const data = readData(report('weights'));
  check('returns under each weight vector are a heat map', (await page.locator('#weights .drawing rect').count()) === 6 && data.configurations.every((c) => c.by_weights.length === 3));
  const told = await page.locator('#weights .on-ramp').allTextContents();
  const shown = (c) => data.configurations.findIndex((o) => o.name === c);
  const first = (await page.locator('#weights .drawing text[text-anchor=end]').first().textContent());
  check('with their numbers', Math.abs(parseFloat(told[0].replace('−', '-')) - data.configurations[shown(first)].by_weights[0]) < 0.06 * Math.max(1, Math.abs(parseFloat(told[0].replace('−', '-')))), [told, data.configurations.map((c) => c.by_weights)]);
  const dominated = (p, all) => all.some((q) => q.means.every((v, k) => v >= p.means[k]) && q.means.some((v, k) => v > p.means[k]));
  const again = (p, before) => before.some((q) => q.means.every((v, k) => v === p.means[k])); // of equal points the first counts
  check('what nothing dominates is on the front', data.configurations.every((c) => c.front.every((p, i) => p.front === !(dominated(p, c.front) || again(p, c.front.slice(0, i))))), data.configurations.map((c) => c.front));
  check('the fronts are drawn', (await page.locator('#weights .drawing').count()) === 2 && (await page.textContent('#weights')).includes(`${data.feature_names[0]} per episode`), data.feature_names);
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();
}

async function checkSeveral(browser) {
  const { page, trouble } = await open(browser, report('both'));
  const [first, second] = readData(report('both'));
  check('both experiments are listed', (await page.locator('.experiments button').count()) === 2 && (await page.textContent('h1')) === first.title);
  await page.locator('.experiments button').nth(1).click();
  await page.waitForSelector('#curves .u-over');
  check('the other one can be chosen', (await page.textContent('h1')) === (second.title || second.name) && (await page.locator('#sweeps').count()) === 1);
  await page.click('.theme');
  await page.locator('.experiments button').nth(0).click();
  await settle(page);
  check('and the first again', (await page.textContent('h1')) === first.title && (await page.locator('#verdict .verdict').count()) === 2);
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();

  const live = await open(browser, report('live'));
  check('a live page says so', (await live.page.textContent('.live')).includes('every 5 s'));
  const again = live.page.waitForNavigation({ timeout: 60000 }).then(() => true, () => false);
  check('and reads itself anew', await again);
  await live.page.waitForSelector('.live button');
  await live.page.click('.live button');
  check('unless it is held', (await live.page.textContent('.live button')) === 'Follow');
  await live.page.context().close();
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
  check('ten seeds have an interval', (await page.textContent('#curves .controls')).includes('95 %'));
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
for (const part of [checkLoading, checkCurves, checkKeyboard, checkFinding, checkSaving, checkSorting, checkTouch, checkParts, checkReplay, checkOthers, checkWeights, checkSeveral, checkLarge]) await part(browser);
await browser.close();
finish();
