/** The budget of filters: how much each target may have an event read, so that none spends what another needs. */
import type { UnnumberedEvent } from './cloud-event.ts';
import type { FilterAnswer } from './filter.ts';
import type { HeldFilters } from './held-filters.ts';
import type { Candidate } from './matching.ts';

/** What a target always has, and all that its held filters have together. */
export const OWN_READS = 200;
/** All filters of one target together. */
export const TARGET_READS = 12_000;
/** All targets together, beyond what each always has. About 30 ms: the transaction of a change waits for it. */
export const EVENT_READS = 24_000;
/** Characters of filters that one target may have compiled for an event, at most 20 ms; later events find them compiled. */
export const COMPILED_CHARACTERS = 5_000;
/** What a filter may read before the others had their turn; the last step is its whole budget. */
const STEPS = [OWN_READS, 1_300, Infinity];

/** What filters said of an event. */
export interface Matched {
  readonly wanted: readonly Candidate[];
  /** Subscriptions whose filter failed or read too much; they do not match. */
  readonly failed: readonly string[];
  readonly reads: number;
}

interface Asked {
  readonly candidate: Candidate;
  readonly isHeld: boolean;
  /** What it was given the last time. */
  given: number;
  /** Whether its target had too much compiled already. */
  isRefused: boolean;
}

/** Asks the filters, those that read little first. */
export async function askFilters(
  held: HeldFilters,
  candidates: readonly Candidate[],
  event: UnnumberedEvent,
): Promise<Matched> {
  if (candidates.every(({ filter }) => filter === '')) return { wanted: candidates, failed: [], reads: 0 };
  // Few have one, so nobody else waits for the library at the start.
  const { ask, FILTER_READS, isCompiled } = await import('./filter.ts');
  const budget = new EventBudget();
  const selected = new Set<string>();
  const failed: string[] = [];
  let asking = inTurns(candidates, held);
  for (const step of STEPS) {
    const over: Asked[] = [];
    for (const one of asking) {
      const { id, filter } = one.candidate;
      const most = Math.min(step, FILTER_READS, budget.left(one));
      // With no more than before it would come no further than before.
      const canGoOn = most > one.given;
      one.isRefused = canGoOn && !isCompiled(filter) && !budget.compile(one);
      const answer = canGoOn && !one.isRefused ? ask(filter, event, most) : undefined;
      if (answer !== undefined) {
        one.given = most;
        budget.spend(one, answer);
      }
      if (answer === undefined || answer.isOver) over.push(one);
      else if (answer.isSelected === undefined) failed.push(id);
      else if (answer.isSelected) selected.add(id);
    }
    asking = over;
  }
  for (const one of asking) {
    failed.push(one.candidate.id);
    // Not for what others spent, and not again while it is held, so that it can recover.
    const isOwnFault = one.isRefused || one.given === FILTER_READS || budget.isSpentBy(one);
    if (isOwnFault && !one.isHeld) held.hold(one.candidate);
  }
  const wanted = candidates.filter(({ id, filter }) => filter === '' || selected.has(id));
  return { wanted, failed, reads: budget.reads };
}

/** The first filter of every target, then the second of every target; held ones come last. */
function inTurns(candidates: readonly Candidate[], held: HeldFilters): Asked[] {
  const turns: Asked[][] = [];
  const turnsOf = new Map<string, number>();
  const last: Asked[] = [];
  for (const candidate of candidates) {
    if (candidate.filter === '') continue;
    const one = { candidate, isHeld: held.isHeld(candidate), given: 0, isRefused: false };
    const turn = turnsOf.get(candidate.target_id) ?? 0;
    if (one.isHeld) last.push(one);
    else {
      turnsOf.set(candidate.target_id, turn + 1);
      (turns[turn] ??= []).push(one);
    }
  }
  return [...turns.flat(), ...last];
}

interface Spent {
  all: number;
  byHeld: number;
  compiled: number;
}

/** What is left of one event's reads. */
class EventBudget {
  reads = 0;
  #shared = 0;
  readonly #spent = new Map<string, Spent>();

  left({ candidate, isHeld }: Asked): number {
    const { all, byHeld } = this.#of(candidate);
    const ofTarget = Math.min(TARGET_READS - all, Math.max(OWN_READS - all, 0) + EVENT_READS - this.#shared);
    return isHeld ? Math.min(OWN_READS - byHeld, ofTarget) : ofTarget;
  }

  spend({ candidate, isHeld }: Asked, { reads }: FilterAnswer): void {
    const spent = this.#of(candidate);
    this.#shared += Math.max(spent.all + reads - Math.max(spent.all, OWN_READS), 0);
    this.reads += reads;
    spent.all += reads;
    if (isHeld) spent.byHeld += reads;
  }

  /** Whether the filter may be compiled now; held ones wait. */
  compile({ candidate, isHeld }: Asked): boolean {
    const spent = this.#of(candidate);
    const isRefused = isHeld || spent.compiled + candidate.filter.length > COMPILED_CHARACTERS;
    if (!isRefused) spent.compiled += candidate.filter.length;
    return !isRefused;
  }

  /** Whether the target itself left too little for the filter, or took more than its share of what all have. */
  isSpentBy({ candidate, given }: Asked): boolean {
    const { all } = this.#of(candidate);
    return TARGET_READS - all <= given || all > EVENT_READS / this.#spent.size;
  }

  #of({ target_id: targetId }: Candidate): Spent {
    const spent = this.#spent.get(targetId) ?? { all: 0, byHeld: 0, compiled: 0 };
    this.#spent.set(targetId, spent);
    return spent;
  }
}
