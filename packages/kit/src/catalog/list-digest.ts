/** What stands in a list as one short text, equal in every process as long as nothing in it is another. */
import { hash } from 'node:crypto';
import type { Guarded } from '../access/resolver.ts';

/** Something that stands in a list, as far as clients see it. */
export interface Seen extends Guarded {
  /** The definition as JSON text; absent: it has yet to be written. */
  readonly json?: string;
  readonly definition?: unknown;
  readonly skill?: unknown;
}

const known = new WeakMap<Seen, string>();

export function listDigest(items: readonly Seen[]): string {
  return digestOf(items.map(itemDigest).join(' '));
}

/** Many callers see the same items, so each is read once. */
function itemDigest(item: Seen): string {
  const found = known.get(item);
  if (found !== undefined) return found;
  const { json = JSON.stringify(item.definition), skill } = item;
  const digest = digestOf(skill === undefined ? json : `${json} ${JSON.stringify(skill)}`);
  known.set(item, digest);
  return digest;
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}
