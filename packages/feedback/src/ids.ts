/** Ids as people and agents see them: a prefix that names the kind, then 26 characters that sort by creation. */
import { ToolError } from '@parley/kit';

/** The kinds of things that have an id, by prefix. */
export const ID_KINDS = [
  'post',
  'board',
  'comment',
  'vote',
  'tag',
  'status',
  'reaction',
  'post_edit',
  'comment_edit',
  'note',
  'roadmap',
  'changelog',
  'post_sub',
  'notification',
  'user',
  'member',
  'invite',
  'api_key',
  'webhook',
  'import',
] as const;

/** The prefix of an id. */
export type IdKind = (typeof ID_KINDS)[number];

const SUFFIX = /^[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$/;
const SHOWN_LENGTH = 60;

/** Splits an id at its last underscore; undefined when the rest is no suffix. */
export function splitId(text: string): { prefix: string; suffix: string } | undefined {
  const at = text.lastIndexOf('_');
  const suffix = text.slice(at + 1);
  return at < 1 || !SUFFIX.test(suffix) ? undefined : { prefix: text.slice(0, at), suffix };
}

/** The id itself when it is one of that kind; otherwise an error that says what is wrong with it. */
export function checkId(kind: IdKind, text: string): string {
  if (splitId(text)?.prefix === kind) return text;
  throw new ToolError('invalid', badIdMessage(kind, text));
}

/** The sentence about an id that is none, or one of another kind. */
export function badIdMessage(kind: IdKind, text: string): string {
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text;
  const other = splitId(text)?.prefix;
  const hint = ID_KINDS.some((known) => known === other) ? ` (that is a ${nameOf(other ?? '')} ID)` : '';
  return `Invalid ${nameOf(kind)} ID format: expected ${kind}_ followed by 26 characters, got "${shown}"${hint}`;
}

function nameOf(prefix: string): string {
  return prefix.replaceAll('_', ' ');
}

// Identity has shorter prefixes of its own; the suffix is the same.
const IDENTITY_PREFIX = { member: 'mem', api_key: 'key' } as const;

/** The id that identity knows a member or key by. */
export function toIdentityId(kind: keyof typeof IDENTITY_PREFIX, text: string): string {
  checkId(kind, text);
  return `${IDENTITY_PREFIX[kind]}${text.slice(kind.length)}`;
}

/** The id that this API shows for a member or key of identity. */
export function fromIdentityId(kind: keyof typeof IDENTITY_PREFIX, id: string): string {
  return `${kind}${id.slice(id.lastIndexOf('_'))}`;
}
