/** How many tasks of an owner may wait: counted now and then, not with every task that is made. */
import type { Queryable } from '@parley/store';
import { rowTable } from '@parley/store';
import { ToolError } from '@parley/kit';
import { sql } from 'kysely';
import type { Owner } from './owners.ts';
import { distinct, ownerKey } from './owners.ts';

interface Allowance {
  left: number;
  readonly untilMs: number;
}

/** A part of what is left, so that as many processes may add at once without going over the limit. */
const SHARE = 16;
const ALLOWED_MS = 1_000;
const MOST_OWNERS = 10_000;
const COLUMNS = { organization_id: 'text', owner_id: 'text' } as const;

/** Lets tasks in as long as their owners have few enough waiting. */
export class WaitingLimit {
  readonly #limit: number;
  readonly #allowed = new Map<string, Allowance>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Says of each owner, one for every new task, why it cannot have another one; undefined where it can. */
  async admit(
    on: Queryable,
    owners: readonly Owner[],
    now: number,
  ): Promise<readonly (ToolError | undefined)[]> {
    const each = distinct(owners);
    // Looked at once: what is over a moment later was still allowed.
    const left = new Map(each.map((owner) => [ownerKey(owner), this.#leftFor(owner)]));
    const unknown = each.filter((owner) => (left.get(ownerKey(owner)) ?? 0) < owners.length);
    const counted = await countWaiting(on, unknown, now);
    for (const [key, waiting] of counted) left.set(key, Math.max(0, this.#limit - waiting));
    const answers = owners.map((owner) => {
      const key = ownerKey(owner);
      const free = left.get(key) ?? 0;
      left.set(key, free - 1);
      return free > 0 ? undefined : tooMany(this.#limit);
    });
    for (const [key, free] of left) this.#remember(key, free, counted.has(key));
    return answers;
  }

  #leftFor(owner: Owner): number {
    const known = this.#allowed.get(ownerKey(owner));
    return known === undefined || known.untilMs < performance.now() ? 0 : known.left;
  }

  #remember(key: string, left: number, isCounted: boolean): void {
    const known = this.#allowed.get(key);
    if (!isCounted && known !== undefined) known.left = left;
    if (!isCounted) return;
    if (this.#allowed.size >= MOST_OWNERS) this.#allowed.clear();
    this.#allowed.set(key, { left: Math.floor(left / SHARE), untilMs: performance.now() + ALLOWED_MS });
  }
}

/** A task that sleeps waits for its time, not for a place. */
async function countWaiting(
  on: Queryable,
  owners: readonly Owner[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  if (owners.length === 0) return new Map();
  const table = rowTable<Owner>(on.engine, 'asked', { rows: owners, columns: COLUMNS });
  const { rows } = await sql<Owner & { waiting: number }>`
    select asked.organization_id, asked.owner_id, (
      select count(*) from tasks where tasks.organization_id = asked.organization_id
      and tasks.owner_id = asked.owner_id and state = 'ready' and due_at <= ${now}
    ) as waiting from ${table}`.execute(on.db());
  return new Map(rows.map((row) => [ownerKey(row), row.waiting]));
}

function tooMany(limit: number): ToolError {
  return new ToolError(
    'rate_limited',
    `At most ${limit} tasks may wait at once. Try again when some have run.`,
    { retryAfterMs: 60_000 },
  );
}
