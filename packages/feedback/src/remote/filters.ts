/** Whether a server has honoured what a search was narrowed to: each post it returns must show that it fits. */
import { ToolError } from '@parley/kit';
import type { WideSearch } from '../backend.ts';
import { fieldOf, listed } from './faults.ts';
import { told } from './names.ts';

const DAY_MS = 24 * 60 * 60_000;

/** An error that names the filters which at least one of the posts does not fit. */
export function checkFilters(search: WideSearch, posts: unknown): void {
  if (!Array.isArray(posts)) return;
  const ignored = FILTERS.filter(
    ([name, fits]) => search[name] !== undefined && !posts.every((post) => fits(post, search)),
  ).map(([name]) => name);
  if (ignored.length === 0) return;
  throw new ToolError(
    'unavailable',
    `The feedback server ignored ${listed(ignored)}: it answered posts that do not fit. Leave it out and choose among the posts yourself.`,
  );
}

type Fits = (post: unknown, search: WideSearch) => boolean;

const FILTERS: readonly (readonly [keyof WideSearch, Fits])[] = [
  ['boardId', (post, { boardId }) => fieldOf(post, 'boardId') === boardId],
  ['tagIds', (post, { tagIds = [] }) => tagIds.length === 0 || hasAny(told(post, 'tagIds'), tagIds)],
  ['ownerMemberId', (post, { ownerMemberId }) => told(post, 'ownerMemberId') === ownerMemberId],
  ['dateFrom', (post, { dateFrom = '' }) => madeAt(post) >= timeOf(dateFrom, 0)],
  ['dateTo', (post, { dateTo = '' }) => madeAt(post) <= timeOf(dateTo, DAY_MS - 1)],
];

function hasAny(there: unknown, wanted: readonly string[]): boolean {
  return Array.isArray(there) && there.some((id) => wanted.includes(id));
}

function madeAt(post: unknown): number {
  const createdAt = fieldOf(post, 'createdAt');
  return typeof createdAt === 'string' ? Date.parse(createdAt) : Number.NaN;
}

/** A day counts from its first to its last moment in UTC; what is no date is no number, which fits nothing. */
function timeOf(text: string, dayOffsetMs: number): number {
  return Date.parse(text) + (/^\d{4}-\d\d-\d\d$/.test(text) ? dayOffsetMs : 0);
}
