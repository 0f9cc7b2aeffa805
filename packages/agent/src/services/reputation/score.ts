/** The formulas of reputation: from what is known of an agent to its score and its level. */

/** From the lowest to the highest. */
export const TRUST_LEVELS = ['untrusted', 'low', 'medium', 'high', 'verified'] as const;

export type TrustLevel = (typeof TRUST_LEVELS)[number];

/** What is known of an agent. */
export interface Figures {
  readonly completedTasks: number;
  readonly failedTasks: number;
  readonly reviews: number;
  readonly meanRating: number;
  readonly paidDebits: number;
  readonly refusedDebits: number;
  readonly violations: number;
  readonly sessions: number;
}

/** Parts of a score, each from 0 to 100. */
export interface Components {
  readonly task: number;
  readonly peer: number;
  readonly credit: number;
  readonly security: number;
  readonly activity: number;
}

export interface Score {
  readonly overall: number;
  readonly trustLevel: TrustLevel;
  readonly components: Components;
}

// In percent, so that a half stays a half when it is rounded.
const WEIGHTS: Components = { task: 30, peer: 25, credit: 15, security: 20, activity: 10 };
const UNKNOWN = 50;
const FEWEST_TASKS = 3;

export function scoreOf(figures: Figures): Score {
  const tasks = figures.completedTasks + figures.failedTasks;
  const debits = figures.paidDebits + figures.refusedDebits;
  const components: Components = {
    task: tasks < FEWEST_TASKS ? UNKNOWN : share(figures.completedTasks, tasks),
    peer: figures.reviews === 0 ? UNKNOWN : hundredths(figures.meanRating * 20),
    credit: debits === 0 ? UNKNOWN : share(figures.paidDebits, debits),
    security: Math.max(0, 100 - 20 * figures.violations),
    activity: Math.min(100, 10 * figures.sessions),
  };
  const weighted =
    WEIGHTS.task * components.task +
    WEIGHTS.peer * components.peer +
    WEIGHTS.credit * components.credit +
    WEIGHTS.security * components.security +
    WEIGHTS.activity * components.activity;
  const overall = Math.round(hundredths(weighted) / 100);
  return { overall, trustLevel: levelOf(overall), components };
}

const share = (part: number, whole: number) => hundredths((100 * part) / whole);

const hundredths = (value: number) => Math.round(value * 100) / 100;

/** The level of a score. */
export function levelOf(overall: number): TrustLevel {
  if (overall >= 90) return 'verified';
  if (overall >= 70) return 'high';
  if (overall >= 50) return 'medium';
  return overall >= 25 ? 'low' : 'untrusted';
}

/** The level that so many attested days are worth. */
export function levelOfCount(counted: number): TrustLevel {
  if (counted >= 10) return 'verified';
  if (counted >= 6) return 'high';
  if (counted >= 3) return 'medium';
  return counted >= 1 ? 'low' : 'untrusted';
}

/** The lower one of two. */
export function lowerOf(one: TrustLevel, other: TrustLevel): TrustLevel {
  return reaches(one, other) ? other : one;
}

/** True when a level is the wanted one, or above it. */
export function reaches(level: TrustLevel, wanted: TrustLevel): boolean {
  return TRUST_LEVELS.indexOf(level) >= TRUST_LEVELS.indexOf(wanted);
}
