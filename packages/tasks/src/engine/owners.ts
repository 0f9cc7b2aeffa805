/** The owners of tasks, and which of them wait for a place. */

/** Whose task it is. */
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
