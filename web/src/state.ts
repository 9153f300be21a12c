// state.ts: what the reader chose; every figure follows it.
import type { Report } from './data';

export type Centre = 'mean' | 'iqm';

export class State {
  readonly visible: Set<number>;
  centre: Centre = 'mean';
  bands = true;
  seeds = false;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly report: Report) {
    this.visible = new Set(firstChoice(report));
  }

  follow(listener: () => void): void {
    this.listeners.push(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  show(indices: Iterable<number>): void {
    this.visible.clear();
    for (const i of indices) this.visible.add(i);
    this.changed();
  }

  toggle(i: number): void {
    if (!this.visible.delete(i)) this.visible.add(i);
    this.changed();
  }
}

// Configurations by their mean, the best first.
export function best(report: Report, count: number): number[] {
  return report.configurations
    .map((c, i) => [c.stats?.mean.value ?? -Infinity, i])
    .sort((a, b) => b[0] - a[0])
    .slice(0, count)
    .map(([, i]) => i);
}

export const MANY = 10;

function firstChoice(report: Report): number[] {
  const count = report.configurations.length;
  return count <= MANY ? report.configurations.map((_, i) => i) : best(report, 8);
}
