/** Fields that several shapes share, with their limits. */
import * as z from 'zod';

/** A moment, ISO 8601 in UTC. */
export const time = z.iso.datetime({ offset: true });

/** A colour as `#RRGGBB`. */
export const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour like #3b82f6')
  .describe('Colour as #RRGGBB, e.g. #3b82f6');

/** Text without blanks around it. */
export const text = (min: number, max: number) =>
  z
    .string()
    .trim()
    .min(min)
    .max(max)
    // PostgreSQL cannot store it.
    .refine((value) => !value.includes('\0'), 'must not contain the character U+0000');

/** A place in an order. */
export const position = z.int32().min(0);

/** A slug of a board or roadmap. */
export const slug = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[a-z0-9-]+$/, 'must be lower case letters, digits and dashes')
  .describe('Name in addresses: lower case letters, digits and dashes, e.g. feature-requests');

const example = (prefix: string, suffix: string) => `${prefix}_${suffix}`;
const id = (prefix: string, what: string, suffix = '01h455vb4pex5vsknk084sn02q') =>
  z.string().describe(`${what}, e.g. ${example(prefix, suffix)}`);

/** The ids of inputs; their form is checked by the services, so that every surface says the same. */
export const ids = {
  post: id('post', 'Post ID'),
  board: id('board', 'Board ID'),
  status: id('status', 'Status ID'),
  comment: id('comment', 'Comment ID'),
  tag: id('tag', 'Tag ID'),
  member: id('member', 'Member ID'),
  roadmap: id('roadmap', 'Roadmap ID'),
  changelog: id('changelog', 'Changelog entry ID'),
} as const;

/** Milliseconds since the epoch as every surface shows them. */
export function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The same for what may be absent. */
export function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoOf(epochMs);
}
