/** Owns what was typed and not sent: it outlives a look elsewhere and a lost server, and belongs to one person in one organization. */

const all: Map<string, unknown>[] = [];
let owner: string | undefined;

/** A place for drafts of one kind. */
export function createDrafts<T>(): Map<string, T> {
  const drafts = new Map<string, T>();
  all.push(drafts);
  return drafts;
}

/** Drafts are of this member from now on; those of another one are forgotten. */
export function ownDrafts(memberId: string): void {
  if (owner !== undefined && owner !== memberId) for (const drafts of all) drafts.clear();
  owner = memberId;
}
