// browser.mjs: what the tests of the page share: the browser, checks that are counted, and looks at canvases.
import { chromium } from 'playwright-core';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

let passed = 0, failed = 0;

export function check(what, good, seen) {
  if (good) passed++;
  else {
    failed++;
    console.log(`FAILED: ${what}${seen === undefined ? '' : `: ${JSON.stringify(seen)}`}`);
  }
}

export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}

export async function launch() {
  // root has no sandbox
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: process.env.SFNEC_CHROMIUM, args });
}

// Opens a page in a window of its own, until `ready` is there; trouble collects errors and requests (but for those of files
// in the folder `within`).
export async function open(browser, file, { ready = '#curves .u-over', hash = '', within, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light', acceptDownloads: true, ...options });
  const page = await context.newPage();
  const address = pathToFileURL(file).href;
  const trouble = [];
  // the tests read canvases, which a page that is only looked at does not
  const ours = (text) => text.includes('willReadFrequently');
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !ours(message.text()) && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(error.message));
  const known = (url) => url === address || url.startsWith('blob:') || (within && url.startsWith(pathToFileURL(`${within}/`).href));
  page.on('request', (request) => known(request.url()) || trouble.push(`request of ${request.url()}`));
  await page.goto(address + hash);
  await page.waitForSelector(ready, { timeout: 120000 });
  await settle(page);
  return { page, trouble };
}

// Two frames: what was asked for is drawn. A page that reads itself anew in between is waited for.
export async function settle(page) {
  const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
  for (;;) {
    try {
      return await page.evaluate(frames);
    } catch (error) {
      if (!error.message.includes('context was destroyed')) throw error;
      await page.waitForLoadState();
    }
  }
}

export function readData(file) {
  const html = readFileSync(file, 'utf8');
  return JSON.parse(/<script id="data" type="application\/json">(.*?)<\/script>/s.exec(html)[1]);
}

// How many pixels of a canvas have a colour (#rrggbb), give or take a little.
export function countPixels(page, selector, colour, slack = 12) {
  return page.$eval(selector, (canvas, [wanted, most]) => {
    const rgb = [1, 3, 5].map((i) => parseInt(wanted.slice(i, i + 2), 16));
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
      if (data[i + 3] > 200 && rgb.every((value, c) => Math.abs(data[i + c] - value) <= most)) count++;
    return count;
  }, [colour, slack]);
}

// A number that changes when the picture does.
export function fingerprint(page, selector) {
  return page.$eval(selector, (canvas) => {
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let hash = 2166136261;
    for (let i = 0; i < data.length; i++) hash = Math.imul(hash ^ data[i], 16777619);
    return hash >>> 0;
  });
}
