/** One page of connections: what can be asked for, and where the page before ended. */
import type { ConnectionGlances, GlancePosition, PlacedGlance } from '@parley/connections';
import { idList, limitUpTo } from '@parley/http/rest';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import * as z from 'zod';

const MOST = 500;
const NOT_WELL: ReadonlySet<string> = new Set(['degraded', 'error', 'needs_reauth']);

export const glanceQuery = z.strictObject({
  text: z
    .string()
    .max(200)
    .optional()
    .describe('Words that all stand in the title, the address, the last error or the id'),
  type: z.enum(['HTTP', 'SSE', 'Websocket', 'STDIO', 'OPENAPI', 'VIRTUAL']).optional(),
  health: z
    .enum(['attention', 'active', 'degraded', 'error', 'inactive', 'needs_reauth'])
    .optional()
    .describe('A status, or attention for all that somebody should look at'),
  waits: z
    .enum(['approval', 'me'])
    .optional()
    .describe('Those with tools that wait for approval, or that wait for your credentials'),
  ids: idList('Only these connections'),
  limit: limitUpTo(MOST, MOST),
  cursor: z.string().max(4096).optional().describe('Where the page before ended, as its answer said'),
});

type GlanceQuery = z.output<typeof glanceQuery>;

/** What the filters look at. */
interface Known {
  readonly status: string;
  readonly held: number;
  readonly breaker: string;
  readonly auth: { readonly state: string } | null;
}

interface Placed<Item> {
  readonly item: Item;
  readonly position: GlancePosition;
}

/** Reads on until the page is full; with a filter to the end, because `total` says how many fit. */
export async function pageOfGlances<Item extends Known>(
  glances: ConnectionGlances,
  complete: (placed: readonly PlacedGlance[]) => Promise<readonly Placed<Item>[]>,
  { caller, query }: { readonly caller: Caller; readonly query: GlanceQuery },
): Promise<{ items: Item[]; cursor: string | null; hasMore: boolean; total: number }> {
  const { text, type, ids, health, waits, limit, cursor } = query;
  const isFiltered = [text, type, ids, health, waits].some((given) => given !== undefined);
  const { before = 0, ...after } = cursor === undefined ? {} : placeIn(cursor);
  const status = health === 'attention' ? undefined : health;
  const wanted = { text, type, status, ids: ids?.slice(0, MOST) };
  const found: Placed<Item>[] = [];
  let more = 0;
  for await (const part of glances.parts(caller, { ...wanted, ...after })) {
    for (const placed of await complete(part)) {
      if (!fits(placed.item, query)) continue;
      if (found.length < limit) found.push(placed);
      else more += 1;
    }
    if (more > 0 && !isFiltered) break;
  }
  const last = more > 0 ? found.at(-1) : undefined;
  return {
    items: found.map(({ item }) => item),
    cursor: last ? cursorOf({ after: last.position, before: before + found.length }) : null,
    hasMore: last !== undefined,
    total: isFiltered ? before + found.length + more : await glances.count(caller),
  };
}

function fits({ status, held, breaker, auth }: Known, { health, waits }: GlanceQuery): boolean {
  if (health === 'attention' && !(NOT_WELL.has(status) || breaker === 'open' || held > 0)) return false;
  if (waits === 'approval') return held > 0;
  return waits !== 'me' || (auth !== null && auth.state !== 'ok');
}

/** Where a page ended, and how many were told until then. */
export interface Place {
  readonly after: GlancePosition;
  readonly before: number;
}

export function cursorOf({ after: { title, id }, before }: Place): string {
  return Buffer.from(JSON.stringify([title, id, before])).toString('base64url');
}

// A text with a zero byte is none of any database.
const Text = z.string().refine((text) => !text.includes('\0'));
const Written = z.tuple([Text, Text, z.int().min(0)]);

export function placeIn(cursor: string): Place {
  const parsed = Written.safeParse(parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!parsed.success)
    throw new ToolError('invalid', 'cursor: must be a cursor of an earlier answer. Start again without one.');
  const [title, id, before] = parsed.data;
  return { after: { title, id }, before };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
