/** `/api/public`: what everybody may read, as JSON. */
import { pageBody } from '@parley/http/rest';
import * as z from 'zod';
import { describeIssues, ToolError } from '@parley/kit';
import { notFound } from '../faults.ts';
import { listOf } from '../services/nouns/name-key.ts';
import type { PublicReading } from '../services/public/public.ts';
import type { PublicComment } from '../services/public/shapes.ts';
import { POST_SORTS } from '../shapes/posts.ts';
import type { Answer } from './answer.ts';
import { shared } from './answer.ts';

const MAX_AGE_S = 30;
const PREFIX = '/api/public';
const MAX_LIMIT = 100;
// The pages show comments in parts; here anybody may ask for all, and that must not be work for the whole server.
const MAX_COMMENT_CHARACTERS = 500_000;

const PostQuery = z.strictObject({
  boardId: z.string().optional(),
  board: z.string().optional(),
  status: z.string().optional(),
  search: z.string().max(200).optional(),
  sort: z.enum(POST_SORTS).optional(),
  cursor: z.string().optional(),
  limit: z
    .string()
    .regex(/^-?\d+$/, 'must be a whole number')
    .transform((text) => Math.min(MAX_LIMIT, Math.max(1, Number(text))))
    .default(20),
});

type Place = (reading: PublicReading, query: URLSearchParams, id: string) => Promise<unknown>;

const PLACES: Readonly<Record<string, Place>> = {
  [`${PREFIX}/boards`]: async (reading) => ({ data: await reading.boards() }),
  [`${PREFIX}/posts`]: posts,
  [`${PREFIX}/posts/:at`]: async (reading, _query, id) => ({ data: await post(reading, id) }),
  [`${PREFIX}/posts/:at/comments`]: async (reading, _query, id) => ({ data: await comments(reading, id) }),
};

/** The addresses that are answered. */
export const PUBLIC_PATHS: readonly string[] = Object.keys(PLACES);

/** Answers a request; throws `not_found` for what is not there or not public. */
export async function publicApi(reading: PublicReading, { pathname, searchParams }: URL): Promise<Answer> {
  const [noun = '', id, ...rest] = pathname.slice(PREFIX.length + 1).split('/');
  const path = [PREFIX, noun, ...(id === undefined ? [] : [':at', ...rest])].join('/');
  const place = Object.hasOwn(PLACES, path) ? PLACES[path] : undefined;
  if (place === undefined) throw nothingHere();
  return json(await place(reading, searchParams, id ?? ''));
}

/** The answer at an address that leads nowhere. */
function nothingHere(): ToolError {
  return new ToolError('not_found', 'Nothing is served at this URL.');
}

function json(value: unknown): Answer {
  return shared('application/json; charset=utf-8', JSON.stringify(value), MAX_AGE_S);
}

async function posts(reading: PublicReading, given: URLSearchParams): Promise<unknown> {
  const input = Object.fromEntries(given);
  const parsed = PostQuery.safeParse(input);
  if (!parsed.success) throw new ToolError('invalid', describeIssues(parsed.error.issues, input));
  const { boardId, board, ...query } = parsed.data;
  const boards = (await reading.boards()).filter(
    (each) => (boardId === undefined || each.id === boardId) && (board === undefined || each.slug === board),
  );
  if (boards.length === 0 && (boardId !== undefined || board !== undefined)) throw notFound('Board');
  const statuses = await reading.statuses();
  if (query.status !== undefined && !statuses.some(({ slug }) => slug === query.status))
    throw new ToolError(
      'invalid',
      `status: there is no such status. Use one of: ${listOf(statuses.map(({ slug }) => slug))}.`,
    );
  return pageBody(await reading.posts({ ...query, boardIds: boards.map(({ id }) => id) }));
}

async function post(reading: PublicReading, id: string): Promise<unknown> {
  const found = await reading.post(id);
  if (found === undefined) throw notFound('Post');
  return found;
}

interface CommentTree extends Omit<PublicComment, 'depth' | 'isOwn' | 'reactions'> {
  readonly reactions: { emoji: string; count: number }[];
  readonly replies: CommentTree[];
}

async function comments(reading: PublicReading, id: string): Promise<CommentTree[]> {
  await post(reading, id);
  const roots: CommentTree[] = [];
  // The last comment of each level so far; they come in the order of their threads.
  const path: CommentTree[] = [];
  let characters = 0;
  for (const { depth, isOwn: _own, reactions, ...comment } of await reading.comments(id)) {
    characters += comment.content.length;
    if (characters > MAX_COMMENT_CHARACTERS) break;
    const counts = reactions.map(({ emoji, count }) => ({ emoji, count }));
    const node: CommentTree = { ...comment, reactions: counts, replies: [] };
    (path[depth - 1]?.replies ?? roots).push(node);
    path[depth] = node;
  }
  return roots;
}
