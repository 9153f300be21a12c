// site.mjs: the checks of the documentation site: site.mjs FOLDER.
import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { check, finish, launch, open } from './browser.mjs';

const [folder] = process.argv.slice(2);
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const pages = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html') && name !== '404.html' && !name.startsWith('app/')).sort();
const openPage = (browser, name, options) => open(browser, `${folder}/${name}`, { ready: 'article h1', within: folder, ...options });
const scheme = (page) => page.getAttribute('body', 'data-md-color-scheme');
const brightness = (page) => page.evaluate(() => {
  const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
  return red + green + blue;
});

async function checkSearch(browser) {
  const { page, trouble } = await openPage(browser, 'index.html');
  for (const [words, wanted] of [['sfnec_agent_reserve', 'agent.html'], ['playground', 'playground.html'], ['StopAtReward', 'python/training.html']]) {
    await page.fill('.md-search__input', '');
    await page.locator('.md-search__input').pressSequentially(words);
    const found = page.locator(`.md-search-result__link[href*="${wanted}"]`).first();
    check(`the search finds ${words}`, await found.waitFor({ timeout: 20000 }).then(() => true, () => false), (await page.textContent('.md-search-result')).slice(0, 300));
  }
  await page.locator('.md-search-result__link[href*="python/training.html"]').first().click();
  await page.waitForURL(/training\.html/);
  check('and leads there', (await page.textContent('article h1')).includes('Training'));
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();
}

async function checkSchemes(browser) {
  for (const [wish, first, second] of [['light', 'default', 'slate'], ['dark', 'slate', 'default']]) {
    const { page, trouble } = await openPage(browser, 'results.html', { colorScheme: wish });
    const before = await brightness(page);
    check(`${wish} for those who like it`, (await scheme(page)) === first && before > 600 === (wish === 'light'), before);
    await page.locator('form.md-header__option label:not([hidden])').click();
    check('a click changes it', (await scheme(page)) === second, await scheme(page));
    await page.waitForFunction((old) => {
      const sum = getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);
      return Math.abs(sum - old) > 400;
    }, before);
    check('without an error', trouble.length === 0, trouble);
    await page.context().close();
  }
}

// the button at a transcript copies its commands, without prompts and without what was printed
async function checkCopying(browser) {
  const { page, trouble } = await openPage(browser, 'start/first-agent.html', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.locator('.highlight:has(.gp) button').first().click();
  const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\n').filter(Boolean);
  check('the commands of a transcript are copied', copied.length === 2 && copied.every((line) => line.startsWith('sfnec ')), copied);
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();
}

async function checkPlayground(browser) {
  const { page, trouble } = await openPage(browser, 'playground.html');
  await page.click('text=Open the playground');
  check('the playground is a click away', (await page.textContent('h1')) === 'a game');
  check('without an error', trouble.length === 0, trouble);
  await page.context().close();
}

// every page: no scrolling sideways, all pictures, no request to elsewhere
async function checkPages(browser) {
  check('there are many pages', pages.length > 25, pages);
  const { page, trouble } = await openPage(browser, pages[0], PHONE);
  let pictures = 0;
  for (const name of pages) {
    await page.goto(pathToFileURL(`${folder}/${name}`).href);
    await page.waitForFunction(() => [...document.images].every((image) => image.complete));
    const [wide, broken, count] = await page.evaluate(() => [
      Math.max(document.documentElement.scrollWidth, document.body.scrollWidth),
      [...document.images].filter((image) => image.naturalWidth === 0).map((image) => image.src), document.images.length]);
    check(`${name} does not scroll sideways on a phone`, wide <= 390, wide);
    check(`${name} has its pictures`, broken.length === 0, broken);
    pictures += count;
  }
  check('there are pictures, a film among them', pictures >= 20 && (await page.goto(pathToFileURL(`${folder}/gallery.html`).href), await page.locator('img[src$="one-room.gif"]').count()) === 1, pictures);
  await page.goto(pathToFileURL(`${folder}/results.html`).href);
  const within = await page.evaluate(() => [...document.querySelectorAll('article table')].filter((table) => table.scrollWidth > innerWidth)
    .map((table) => getComputedStyle(table.closest('.md-typeset__scrollwrap') ?? table).overflowX));
  check('wide tables scroll within themselves', within.length > 0 && within.every((way) => way === 'auto'), within);
  check('without an error or a request to elsewhere', trouble.length === 0, trouble.slice(0, 5));
  await page.context().close();
}

const browser = await launch();
for (const part of [checkSearch, checkSchemes, checkCopying, checkPlayground, checkPages]) await part(browser);
await browser.close();
finish();
