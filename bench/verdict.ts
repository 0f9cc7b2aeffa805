/** Owns the verdict on one figure: its rule, its words, and whether it is kept. */

/** One line of the table. */
export interface Verdict {
  id: string;
  what: string;
  target: string;
  measured: string;
  /** The figure itself: a ratio, or a number of the unit that `measured` names. */
  ratio: number | null;
  verdict: 'pass' | 'miss' | 'not measured';
  goal?: string;
  isGoalMet?: boolean;
  note?: string;
}

/** What a figure must keep; `under` leaves out the limit itself. */
export interface Rule {
  id: string;
  what: string;
  limit: number;
  better: 'lower' | 'under' | 'higher';
  unit: 'x' | ' MB' | ' ms' | ' us' | ' %' | ' per s' | ' tasks' | ' deliveries' | ' bytes' | ' tokens';
  goal?: number;
}

/** What is told beside a figure; `isBroken` makes a miss of it however good the figure is. */
export interface Note {
  text: string;
  isBroken: boolean;
}

const comparisons = {
  lower: { sign: '<=', keeps: (value: number, limit: number) => value <= limit },
  under: { sign: '<', keeps: (value: number, limit: number) => value < limit },
  higher: { sign: '>=', keeps: (value: number, limit: number) => value >= limit },
};

/** Judges one figure; an absent one is not measured, never passed. */
export function ruled(rule: Rule, value: number | undefined, note?: Note): Verdict {
  const { sign, keeps } = comparisons[rule.better];
  const isWithin = (limit: number) => value !== undefined && keeps(value, limit);
  const isKept = isWithin(rule.limit) && !note?.isBroken;
  return {
    id: rule.id,
    what: rule.what,
    target: `${sign} ${rule.limit}${rule.unit}`,
    measured: value === undefined ? '-' : `${shown(value)}${rule.unit}`,
    ratio: value === undefined ? null : Number(value.toFixed(3)),
    verdict: value === undefined ? 'not measured' : isKept ? 'pass' : 'miss',
    ...(rule.goal === undefined
      ? {}
      : { goal: `${sign} ${rule.goal}${rule.unit}`, isGoalMet: isWithin(rule.goal) }),
    ...(note ? { note: note.text } : {}),
  };
}

function shown(value: number): string {
  return Number.isInteger(value) && (value === 0 || value >= 1000) ? String(value) : value.toFixed(2);
}
