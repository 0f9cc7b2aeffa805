/** What a list of posts is narrowed to: checked, looked up, and ready for queries. */
import { ToolError } from '@parley/kit';
import type { Queryable } from '@parley/store';
import type { NameReader } from '../../actor.ts';
import type { PostState } from '../../schema.ts';
import { parseSearch } from '../../search/grammar.ts';
import type { Search } from '../../search/grammar.ts';
import type { PostFilter, ReaderMark } from '../../shapes/posts.ts';
import type { Noun } from '../names.ts';
import { filterIdOf, givenIdOf } from '../names.ts';
import { memberIdOf } from '../people/people-names.ts';

/** A filter whose ids and dates are known to be good. */
export interface CheckedFilter {
  readonly organizationId: string;
  readonly states: readonly PostState[];
  readonly boardId?: string | undefined;
  readonly boardIds?: readonly string[] | undefined;
  readonly statusId?: string | undefined;
  readonly tagIds: readonly string[];
  readonly search?: Search | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly ownerMemberId?: string | undefined;
  readonly unreadBy?: ReaderMark | undefined;
  readonly isUnanswered?: boolean | undefined;
}

/** Checks a filter; undefined when nothing can match. What it names must be there: an empty list would be believed. */
export async function checkFilter(
  from: Queryable,
  reader: NameReader,
  filter: PostFilter,
): Promise<CheckedFilter | undefined> {
  const { boardIds, showDeleted, unreadBy, isUnanswered } = filter;
  const fromMs = dateOf('dateFrom', filter.dateFrom, 0);
  const toMs = dateOf('dateTo', filter.dateTo, DAY_MS - 1);
  const words = filter.search?.trim() ?? '';
  const search = words === '' ? undefined : parseSearch(words);
  const named = await resolveNames(from, reader, filter);
  if (search?.length === 0 || boardIds?.length === 0) return undefined;
  const states: PostState[] = showDeleted === true ? ['listed', 'deleted'] : ['listed'];
  return {
    organizationId: reader.organizationId,
    states,
    boardIds,
    ...named,
    search,
    fromMs,
    toMs,
    unreadBy,
    isUnanswered,
  };
}

async function resolveNames(
  from: Queryable,
  reader: NameReader,
  { boardId, status, tagIds = [], ownerMemberId }: PostFilter,
): Promise<Pick<CheckedFilter, 'boardId' | 'statusId' | 'tagIds' | 'ownerMemberId'>> {
  const resolve = async (noun: Noun, field: string, text: string | undefined) =>
    text === undefined ? undefined : givenIdOf(from, reader, { noun, field, text });
  const tags = new Set<string>();
  for (const text of tagIds) tags.add(await givenIdOf(from, reader, { noun: 'tag', field: 'tagIds', text }));
  return {
    boardId: await resolve('board', 'boardId', boardId),
    statusId: await resolve('status', 'status', status),
    tagIds: [...tags],
    ownerMemberId: ownerMemberId === undefined ? undefined : await memberIdOf(from, reader, ownerMemberId),
  };
}

/** Refuses ids of what is not there; asked when nothing was found, so that other lists do not pay for it. */
export async function requireNamed(
  from: Queryable,
  reader: NameReader,
  { boardId, status, tagIds = [] }: PostFilter,
): Promise<void> {
  const given: [Noun, string, string | undefined][] = [
    ['board', 'boardId', boardId],
    ['status', 'status', status],
    ...tagIds.map((text): [Noun, string, string] => ['tag', 'tagIds', text]),
  ];
  for (const [noun, field, text] of given)
    if (text !== undefined) await filterIdOf(from, reader, { noun, field, text });
}

/** The filter as a cursor remembers it. */
export function filterKey(filter: PostFilter): Record<string, unknown> {
  const { boardId, boardIds, status, tagIds, search, dateFrom, dateTo, ownerMemberId, showDeleted } = filter;
  const { unreadBy, isUnanswered } = filter;
  return {
    boardId,
    boardIds: boardIds?.toSorted(),
    status,
    tagIds: tagIds === undefined || tagIds.length === 0 ? undefined : [...new Set(tagIds)].toSorted(),
    search: search?.trim() || undefined,
    dateFrom,
    dateTo,
    ownerMemberId,
    showDeleted: showDeleted === true ? true : undefined,
    // The mark of a reader may move between two pages.
    unreadBy: unreadBy?.memberId,
    isUnanswered,
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** A moment; a date alone means its first millisecond in UTC plus `dayOffsetMs`. */
export function dateOf(field: string, text: string | undefined, dayOffsetMs: number): number | undefined {
  if (text === undefined) return undefined;
  const isDate = DATE.test(text);
  const at = isDate || DATE_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new ToolError(
      'invalid',
      `${field}: must be a date like 2026-07-28 or a time like 2026-07-28T12:00:00Z`,
    );
  }
  return isDate ? at + dayOffsetMs : at;
}
