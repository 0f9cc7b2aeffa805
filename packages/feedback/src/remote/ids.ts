/** Ids on their way to another server: their form is checked here, so that a wrong one costs no request. */
import type { IdKind } from '../ids.ts';
import { checkId, splitId } from '../ids.ts';

/** Prefixes that newer servers give to the same kinds. */
const NEWER: Partial<Record<IdKind, string>> = {
  status: 'post_status',
  tag: 'post_tag',
  comment: 'post_comment',
  member: 'principal',
};

/** True for an id of that kind, with the prefix of any server. */
export function isOfKind(kind: IdKind, text: string): boolean {
  const prefix = splitId(text)?.prefix;
  return prefix !== undefined && (prefix === kind || prefix === NEWER[kind]);
}

/** The id itself when it is one of that kind; otherwise an error that says what is wrong with it. */
export function remoteId(kind: IdKind, text: string): string {
  return isOfKind(kind, text) ? text : checkId(kind, text);
}

/** The same for ids that may be absent or null. */
export function maybeRemoteId<T extends string | null | undefined>(kind: IdKind, text: T): T {
  if (typeof text === 'string') remoteId(kind, text);
  return text;
}

/** The same for a list. */
export function remoteIds(kind: IdKind, all: readonly string[] | undefined): string[] | undefined {
  return all?.map((text) => remoteId(kind, text));
}
