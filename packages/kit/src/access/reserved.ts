/** Acts that are reserved for owners, or for them and administrators: open to a key only with its whole toolset. */
import type { Caller } from './caller.ts';
import { isOwner, mayAdminister } from './caller.ts';
import { isGranted } from './grants.ts';

/** Who an act is reserved for. */
export type Reserved = 'owners' | 'administrators';

const ROLES = { owners: isOwner, administrators: mayAdminister } as const;
const conditions = new Map<string, (caller: Caller) => boolean>();

/** The condition of a toolset; the same one every time, so that a description can recognise it. */
export function reservedFor(who: Reserved, toolset: string): (caller: Caller) => boolean {
  const key = `${who} ${toolset}`;
  const known = conditions.get(key);
  if (known !== undefined) return known;
  const condition = (caller: Caller) => ROLES[who](caller) && isGranted(caller.grants, toolset, '*');
  conditions.set(key, condition);
  return condition;
}
