/** Owns the targets of many keys: what P17 promises, and whether the figures keep it. */
import type { KeyCost, KeyFigures } from './keys.ts';
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';

const MANY = 100_000;

/** Judges the worse of both databases: calls with keys that were just seen, and with keys that were never seen. */
export function judgeKeys(figures: KeyFigures | undefined): Verdict[] {
  const costs = [figures?.sqlite, figures?.postgres].filter((cost) => cost !== undefined);
  // Fewer keys fit into any memory.
  const isMany = figures !== undefined && figures.keys >= MANY;
  const worst = (ratio: (cost: KeyCost) => number) =>
    isMany && costs.length > 0 ? Math.max(...costs.map(ratio)) : undefined;
  const note: Note | undefined = figures && {
    text: `${figures.keys} keys: ${told(figures.sqlite)}${figures.postgres ? `; PostgreSQL ${told(figures.postgres)}` : ''}`,
    isBroken: false,
  };
  const rule = { id: 'P17', limit: 2.5, better: 'lower', unit: 'x' } as const;
  return [
    ruled(
      { ...rule, what: 'tools/call with 100,000 keys in rotation against one key' },
      worst(({ againUs, oneUs }) => againUs / oneUs),
      note,
    ),
    ruled(
      { ...rule, what: 'the same, each key for the first time' },
      worst(({ firstUs, oneUs }) => firstUs / oneUs),
      note,
    ),
  ];
}

function told({ oneUs, firstUs, againUs }: KeyCost): string {
  return `${oneUs} us with one, ${firstUs} at first, ${againUs} again`;
}
