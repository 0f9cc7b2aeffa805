/** Entity tags: a hash of the body, compared as RFC 9110 says. */
import { hash } from 'node:crypto';
import { Stale } from '../faults.ts';

const DIGEST_LENGTH = 27;

/** Compares what is stored with what the client has read; throws when it is another. */
export type CheckCurrent<T> = (current: T) => void;

/** The tag of a body. */
export function etagOf(body: string | Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, DIGEST_LENGTH)}"`;
}

/** True when the client has this body already. */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return tagsIn(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** Refuses a change of anything but what the client has read; `bodyOf` gives the body that was tagged. */
export function checkMatch(
  ifMatch: string | undefined,
  bodyOf: (current: unknown) => string,
): CheckCurrent<unknown> | undefined {
  if (ifMatch === undefined) return undefined;
  const tags = tagsIn(ifMatch);
  return (current) => {
    const isSame = tags.includes('*') || tags.includes(etagOf(bodyOf(current)));
    if (!isSame) throw new Stale();
  };
}

function tagsIn(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}
