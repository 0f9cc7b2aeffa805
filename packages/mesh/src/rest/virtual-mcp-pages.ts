/** One page of virtual MCPs: what can be asked for, and where the page before ended. */
import type { GlancePosition, VirtualGlance } from '@parley/connections';
import { countVirtualMcps, virtualGlances } from '@parley/connections';
import { limitUpTo } from '@parley/http/rest';
import type { Caller } from '@parley/kit';
import { GivenId } from '@parley/kit';
import type { Queryable } from '@parley/store';
import * as z from 'zod';
import { cursorOf, placeIn } from './connection-pages.ts';

const MOST = 500;

export const virtualQuery = z.strictObject({
  text: z.string().max(200).optional().describe('Words that all stand in the title, the id or the members'),
  state: z.enum(['active', 'inactive']).optional(),
  has: z
    .enum(['collisions', 'notes', 'code'])
    .optional()
    .describe('Those with names that collide, with notes, or with tools in code'),
  id: GivenId.optional().describe('This one alone'),
  limit: limitUpTo(MOST, MOST),
  cursor: z.string().max(4096).optional().describe('Where the page before ended, as its answer said'),
});

type VirtualQuery = z.output<typeof virtualQuery>;

/** Reads on until the page is full; with a filter to the end, because `total` says how many fit. */
export async function pageOfVirtualMcps(
  store: Queryable,
  caller: Caller,
  query: VirtualQuery,
  self?: NonNullable<Parameters<typeof virtualGlances>[2]>['self'],
): Promise<{ items: VirtualGlance[]; cursor: string | null; hasMore: boolean; total: number }> {
  const { text, state, has, id, limit, cursor } = query;
  const isFiltered = [text, state, has, id].some((given) => given !== undefined);
  const { before = 0, after } = cursor === undefined ? {} : placeIn(cursor);
  const found: { readonly glance: VirtualGlance; readonly position: GlancePosition }[] = [];
  let more = 0;
  for await (const part of virtualGlances(store, caller, { id, after, self })) {
    for (const placed of part) {
      if (!fits(placed.glance, query)) continue;
      if (found.length < limit) found.push(placed);
      else more += 1;
    }
    if (more > 0 && !isFiltered) break;
  }
  const last = more > 0 ? found.at(-1) : undefined;
  return {
    items: found.map(({ glance }) => glance),
    cursor: last ? cursorOf({ after: last.position, before: before + found.length }) : null,
    hasMore: last !== undefined,
    total: isFiltered ? before + found.length + more : await countVirtualMcps(store, caller),
  };
}

function fits(row: VirtualGlance, { text = '', state, has }: VirtualQuery): boolean {
  if (state !== undefined && (row.status === 'inactive') !== (state === 'inactive')) return false;
  if (has === 'collisions' && row.collisions === 0) return false;
  if (has === 'notes' && row.notes.length === 0) return false;
  if (has === 'code' && row.ownTools === 0) return false;
  const shown = `${row.title} ${row.id} ${row.members.map(({ title }) => title).join(' ')}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word));
}
