/** Fields that several shapes share, with their limits. */
import * as z from 'zod';

/** A moment, ISO 8601 in UTC. */
export const time = z.iso.datetime({ offset: true });

/** A moment as people write it: a date alone means its beginning in UTC. */
export const moment = z
  .string()
  .max(40)
  .refine(
    (value) => time.safeParse(value).success || z.iso.date().safeParse(value).success,
    'must be a date like 2026-02-04 or a time like 2026-02-04T09:00:00Z',
  )
  // Other servers know times only.
  .overwrite((value) => (value.includes('T') ? value : `${value}T00:00:00.000Z`));

/** A colour as `#RRGGBB`. */
export const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour like #3b82f6')
  .describe('Colour as #RRGGBB, e.g. #3b82f6');

/** Text without blanks around it. */
export const text = (min: number, max: number) => bounded(z.string(), min, max);

const bounded = (given: z.ZodString, min: number, max: number) =>
  given
    .trim()
    .min(min)
    .max(max)
    .refine((value) => value.isWellFormed(), 'must not contain half of a surrogate pair')
    // PostgreSQL cannot store it.
    .refine((value) => !value.includes('\0'), 'must not contain the character U+0000');

// Signs that turn the writing direction around: with them a title can look like another one.
const DIRECTION_SIGNS = /[\u202A-\u202E\u2066-\u2069]/g;

/** The same for titles and names, which stand in the middle of other texts. */
export const line = (min: number, max: number) =>
  bounded(
    z.string().overwrite((value) => value.replace(DIRECTION_SIGNS, '')),
    min,
    max,
  );

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

const PAGE = /^https?:\/\/[^\s/?#]+\/(?:[\w.~-]+\/)*posts\/(post_\w+)/;
const MAX_ADDRESS = 2000;

/** The id in the address of a page that somebody pasted; anything else stays as it is. */
function postIdIn(text: string): string {
  return text.length > MAX_ADDRESS ? text : (PAGE.exec(text.trim())?.[1] ?? text);
}

/** The ids of inputs; their form is checked by the services, so that every surface says the same. */
export const ids = {
  post: id('post', 'Post ID, or the address of its page').overwrite(postIdIn),
  board: z.string().describe('Board ID, slug or name, e.g. ideas'),
  status: z.string().describe('Status ID, slug or name, e.g. planned'),
  comment: id('comment', 'Comment ID'),
  tag: z.string().describe('Tag ID or name, e.g. bug'),
  member: z.string().describe('Member by ID, e-mail or name'),
  roadmap: z.string().describe('Roadmap ID, slug or name, e.g. next'),
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
