// theme.ts: light and dark, and the colours of the figures.

// Okabe and Ito's palette, told apart by all kinds of colour blindness; yellow is too light for lines.
const LIGHT = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#000000'];
const DARK = ['#3d9fe0', '#ee7733', '#1fbf94', '#dd94bb', '#8ccdf5', '#f0b429', '#e8e8e8'];
const DASHES: number[][] = [[], [9, 4], [3, 3], [10, 3, 2, 3]];

let forced: 'light' | 'dark' | null = null;
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners: (() => void)[] = [];

export function isDark(): boolean {
  return forced ? forced === 'dark' : system.matches;
}

export function colour(i: number): string {
  return (isDark() ? DARK : LIGHT)[i % LIGHT.length];
}

// Colours and dashes repeat after 7 and 4: 28 lines are different, and neighbours differ in grey as well.
export function dash(i: number): number[] {
  return DASHES[i % DASHES.length];
}

export function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function followTheme(listener: () => void): void {
  listeners.push(listener);
}

export function setTheme(theme: 'light' | 'dark' | null): void {
  forced = theme;
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  for (const listener of listeners) listener();
}

// Paper is white whatever the screen is; afterwards the screen is as before.
export function watchTheme(): void {
  system.addEventListener('change', () => setTheme(forced));
  let before: 'light' | 'dark' | null = null;
  addEventListener('beforeprint', () => {
    before = forced;
    setTheme('light');
  });
  addEventListener('afterprint', () => setTheme(before));
}

// Dark blue over green to yellow (a short viridis): steps that are even to every eye and in grey.
const RAMP = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

export function ramp(share: number): [number, number, number] {
  const at = Math.min(1, Math.max(0, share)) * (RAMP.length - 1);
  const i = Math.min(RAMP.length - 2, Math.floor(at));
  const t = at - i;
  return [0, 1, 2].map((c) => Math.round(RAMP[i][c] * (1 - t) + RAMP[i + 1][c] * t)) as [number, number, number];
}

export function rampText(share: number): string {
  return `rgb(${ramp(share).join(',')})`;
}
