// dom.ts: making elements, and numbers as people read them.

type Child = Node | string | number | null | undefined | false;
type Value = string | number | boolean | null | undefined | ((event: never) => void);

function fill<E extends Element>(element: E, attributes: Record<string, Value>, children: Child[]): E {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value as unknown as EventListener);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
  return element;
}

// h('button', {type: 'button', click: f}, 'text'): functions are listeners, null and false are left out
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, Value> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, Value> = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

const known = (value: number | null | undefined): value is number => value !== null && value !== undefined && Number.isFinite(value);

function fixed(value: number, digits: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace('-', '−');
}

// A number of about three digits that matter: 712, 4.27, 0.0312, 12,345.
export function number(value: number | null | undefined): string {
  if (!known(value)) return '–';
  const size = Math.abs(value);
  return fixed(value, size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(size))));
}

// Numbers that stand together share the digits of the one that decides.
export function numberLike(value: number | null | undefined, scale: number): string {
  if (!known(value)) return '–';
  const size = Math.abs(scale);
  return fixed(value, size >= 50 ? 0 : size >= 5 ? 1 : size > 0 ? Math.min(6, 2 - Math.floor(Math.log10(size))) : 0);
}

export function signed(value: number | null | undefined, digits: number): string {
  if (!known(value)) return '–';
  const text = Math.abs(value).toFixed(digits);
  return (Number(text) === 0 ? '' : value > 0 ? '+' : '−') + text;
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

// A table that scrolls sideways on its own where the page is narrow.
export function table(caption: string, head: Child[], rows: (Child | HTMLTableCellElement)[][], kind = ''): HTMLElement {
  const cell = (value: Child, i: number) =>
    value instanceof HTMLTableCellElement ? value : h(i === 0 ? 'th' : 'td', i === 0 ? { scope: 'row' } : {}, value);
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h('table', { class: kind },
      h('caption', { class: 'hidden' }, caption),
      h('thead', {}, h('tr', {}, ...head.map((text, i) => h('th', { scope: 'col' }, rows.length > 1 && typeof text === 'string' && text ? sorter(text, i) : text)))),
      h('tbody', {}, ...rows.map((row) => h('tr', {}, ...row.map(cell))))));
}

// what a cell is sorted by: its first number, or its text
function sortKey(cell: Element | undefined): number | string {
  const text = cell?.textContent?.trim() ?? '';
  const found = /^[^\d−-]{0,2}([−-]?[\d,]*\.?\d+)/.exec(text);
  return found ? Number(found[1].replace('−', '-').replace(/,/g, '')) : text;
}

// The head of a column that sorts its table: first down (the largest first; texts from A), then up.
function sorter(text: string, column: number): HTMLElement {
  const button = h('button', { type: 'button', class: 'sort', title: 'Sort by this column', click: () => {
    const head = button.closest('th')!, body = button.closest('table')!.tBodies[0];
    const cells = (row: HTMLTableRowElement) => sortKey(row.cells[column]);
    const rows = [...body.rows], words = rows.some((row) => typeof cells(row) === 'string' && !/^(–|)$/.test(cells(row) as string));
    const down = head.getAttribute('aria-sort') !== (words ? 'ascending' : 'descending') === !words;
    for (const other of head.parentElement!.children) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const compare = (a: HTMLTableRowElement, b: HTMLTableRowElement) => {
      const [x, y] = [cells(a), cells(b)];
      if (typeof x !== typeof y) return typeof x === 'number' ? -1 : 1; // what is not known comes last
      const order = typeof x === 'number' ? x - (y as number) : x.localeCompare(y as string, 'en', { numeric: true });
      return down ? -order : order;
    };
    body.replaceChildren(...rows.sort(compare));
  } }, text);
  return button;
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return h('section', { id, 'aria-labelledby': `${id}-title` }, h('h2', { id: `${id}-title` }, title), ...children);
}

export function choice<T extends string>(label: string, options: [T, string][], value: T, change: (value: T) => void): HTMLElement {
  const select = h('select', { change: () => change(select.value as T) },
    ...options.map(([key, text]) => h('option', { value: key, selected: key === value }, text)));
  return h('label', { class: 'choice' }, h('span', {}, label), select);
}
