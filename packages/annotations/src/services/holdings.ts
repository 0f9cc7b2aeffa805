/** What an agent holds, also over another connection of the same key and client. */
import type { Queryable } from '@parley/store';
import type { Annotation } from '../shapes.ts';
import type { Agent } from './holder.ts';
import { HELD, holderOf, isHolder } from './holder.ts';
import type { ListLimits } from './reading.ts';
import { countOf, loadFitting, scopedQuery } from './reading.ts';

/** A list of held notes that may be cut. */
export interface Holdings {
  readonly annotations: readonly Annotation[];
  readonly total: number;
  readonly isTruncated: boolean;
  /** Ids of those that another connection holds, such as a process that was killed. */
  readonly elsewhere: ReadonlySet<string>;
}

/** Lists them, oldest first. */
export async function holdingsOf(from: Queryable, agent: Agent, limits: ListLimits): Promise<Holdings> {
  const { holder_id, holder_client } = holderOf(agent);
  const query = scopedQuery(from, agent)
    .where('status', 'in', HELD)
    .where('lease_until', 'is not', null)
    .where(({ and }) => and({ holder_id, holder_client }));
  const rows = await query
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .limit(limits.listItems + 1)
    .execute();
  const annotations = await loadFitting(from, rows, limits);
  const isTruncated = annotations.length < rows.length;
  return {
    annotations,
    total: isTruncated ? await countOf(query) : annotations.length,
    isTruncated,
    elsewhere: new Set(rows.filter((row) => !isHolder(row, agent)).map(({ id }) => id)),
  };
}
