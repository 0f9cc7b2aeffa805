/** What a check of one line of the contract is, and what it found. */
import type { Bed } from '../bed.ts';
import { QUEUES } from '../engines.ts';

/** Whether the line holds: `by hand` where it does only with code of ours around the engine. */
export type Verdict = 'yes' | 'no' | 'by hand';

export interface Finding {
  readonly verdict: Verdict;
  /** What was seen, with its numbers. */
  readonly seen: string;
}

export interface Check {
  readonly line: string;
  /** On a SQLite file instead of PostgreSQL. */
  readonly isSqlite?: boolean;
  run(bed: Bed): Promise<Finding>;
}

/** What a line is worth that has to do with steps or questions: a queue only has them from journal.ts. */
export function ownVerdict(bed: Bed): Verdict {
  return QUEUES.includes(bed.engine) ? 'by hand' : 'yes';
}

/** Seconds with one decimal. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The effects of a task as `what by`, in order. */
export function listed(bed: Bed, label: string): string {
  return bed
    .effects(label)
    .map(({ what, by }) => `${what} by ${by}`)
    .join(', ');
}

/** How often a task had an effect. */
export function count(bed: Bed, label: string, what: string, by?: string): number {
  return bed.effects(label).filter((effect) => effect.what === what && (by === undefined || effect.by === by))
    .length;
}
