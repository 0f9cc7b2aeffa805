/** The rows that count the places of owners and organizations. */
import type { Queryable } from '@parley/store';
import type { PoolName, TaskTables } from '../schema.ts';

/** Whose places are meant. */
export interface Owner {
  readonly organization_id: string;
  readonly owner_id: string;
}

/** Each of them in one text. */
export function ownerKey({ organization_id, owner_id }: Owner): string {
  return `${organization_id} ${owner_id}`;
}

/** Each owner once. */
export function distinct(owners: readonly Owner[]): Owner[] {
  const found = new Map(owners.map((owner) => [ownerKey(owner), owner]));
  return [...found.values()].map(({ organization_id, owner_id }) => ({ organization_id, owner_id }));
}

const MOST_KNOWN = 100_000;

/** The owners that have their rows, as far as this process knows; their first task makes them, and they stay. */
export class KnownOwners {
  readonly #known = new Set<string>();

  /** Makes the rows of those that are not known, in a transaction of its own; whoever is counted needs them. */
  async add(on: Queryable, pool: PoolName, owners: readonly Owner[]): Promise<void> {
    const isNew = (owner: Owner) => !this.#known.has(`${pool} ${ownerKey(owner)}`);
    const fresh = distinct(owners).filter(isNew);
    if (fresh.length === 0) return;
    const rows = distinct(fresh.flatMap((owner) => [owner, { ...owner, owner_id: '' }]));
    await on
      .db<TaskTables>()
      .insertInto('task_places')
      // In one order, so that two who know them not never wait for each other in a circle.
      .values(
        rows
          .toSorted((left, right) => (ownerKey(left) < ownerKey(right) ? -1 : 1))
          .map((owner) => ({ ...owner, pool, running: 0 })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    if (this.#known.size > MOST_KNOWN) this.#known.clear();
    for (const owner of fresh) this.#known.add(`${pool} ${ownerKey(owner)}`);
  }
}

/** How long an owner counts as waiting after one of its tasks found no place. */
const WAITS_MS = 100;
const MOST_WAITING = 10_000;

/** The owners whose new tasks wait for now: the places of the process are not kept for them while theirs are inserted. */
export class WaitingOwners {
  readonly #untilMs = new Map<string, number>();

  add(owner: Owner): void {
    if (this.#untilMs.size > MOST_WAITING) this.#untilMs.clear();
    this.#untilMs.set(ownerKey(owner), performance.now() + WAITS_MS);
  }

  has(owner: Owner): boolean {
    return (this.#untilMs.get(ownerKey(owner)) ?? 0) > performance.now();
  }
}
