/** The values of a row: the limits of posts, and times and tags as people write them. */
import { issuesByField } from '@parley/kit';
import * as z from 'zod';
import { line, text, time } from '../shapes/fields.ts';
import type { RawRow } from './raw-row.ts';

const MAX_TAGS = 100;
const MAX_VOTES = 1_000_000;

/** A number of votes, also in the digits of a spreadsheet. */
const votes = z
  .unknown()
  .refine(isVoteCount, 'must be a whole number from 0 to 1,000,000')
  .transform(Number)
  .default(0);

const PostFields = z.object({
  title: line(1, 200),
  content: text(0, 10_000).default(''),
  board: text(1, 100).optional(),
  status: text(1, 100).optional(),
  tags: z.array(text(1, 50)).max(MAX_TAGS).default([]),
  authorEmail: z.string().trim().toLowerCase().max(254).pipe(z.email()).optional(),
  authorName: text(1, 255).optional(),
  voteCount: votes,
});

/** A row that is in order by itself; what it names may still be absent. */
export interface PostRowInput extends z.output<typeof PostFields> {
  readonly number: number;
  /** Milliseconds since the epoch; undefined: now. */
  readonly createdAt: number | undefined;
}

/** The row, or what is wrong with it: one sentence per fault, beginning with the field. */
export function parsePostRow(row: RawRow, now: number): PostRowInput | readonly string[] {
  if (row.fault !== undefined) return [row.fault];
  const given = withoutBlanks(row.fields);
  const { category, ...rest } = given;
  const input = { ...rest, ...tagsIn(rest.tags, category) };
  const parsed = PostFields.safeParse(input);
  const faults = parsed.success ? [] : sentences(issuesByField(parsed.error.issues, input));
  const moment = momentOf(given.createdAt, now);
  if (moment === 'bad') faults.push(`createdAt: ${BAD_TIME}`);
  if (!parsed.success || moment === 'bad') return faults;
  return { ...parsed.data, number: row.number, createdAt: moment };
}

const BAD_TIME = 'must be a time between 1970 and now, like 2026-01-31T12:00:00Z';

function sentences(byField: Record<string, string[]>): string[] {
  return Object.entries(byField).flatMap(([field, rules]) => rules.map((rule) => `${field}: ${rule}`));
}

function withoutBlanks(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !(typeof value === 'string' && value.trim() === '')),
  );
}

function isVoteCount(value: unknown): boolean {
  if (typeof value === 'string') return /^\d{1,7}$/.test(value.trim()) && Number(value) <= MAX_VOTES;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_VOTES;
}

/** A category, of which other products give one to each post, is one more tag. */
function tagsIn(tags: unknown, category: unknown): { tags?: unknown } {
  if (tags === undefined && category === undefined) return {};
  const list = tags === undefined ? [] : tagList(tags);
  if (category === undefined || !Array.isArray(list)) return { tags: list };
  return { tags: list.includes(category) ? list : [...list, category] };
}

/** `a, b; c`, or a list, also one that is written as JSON because a name has a comma in it. */
function tagList(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.trim().startsWith('[')) {
    try {
      const list: unknown = JSON.parse(value);
      if (Array.isArray(list)) return list;
    } catch {
      // Then it is a tag that begins with a bracket.
    }
  }
  return value
    .split(/[,;]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Spreadsheets write times without a zone; they are taken as UTC. */
function momentOf(value: unknown, now: number): number | undefined | 'bad' {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return 'bad';
  const parts =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}:?\d{2}|UTC)?)?$/i.exec(
      value.trim(),
    );
  if (parts === null) return 'bad';
  const [, day = '', clock = '00:00:00', zone = 'Z'] = parts;
  const seconds = clock.length === 5 ? `${clock}:00` : clock;
  const offset = /^(z|utc)$/i.test(zone) ? 'Z' : zone.replace(/^(.\d{2}):?/, '$1:');
  const text = `${day}T${seconds}${offset}`;
  // Date.parse alone would take the 31st of February for a day in March.
  if (!time.safeParse(text).success) return 'bad';
  const at = Date.parse(text);
  return Number.isNaN(at) || at < 0 || at > now ? 'bad' : at;
}
