/** Which schedules an event may wake: what an agent and its owner say to each other is for the agent's own alone. */
import type { UnnumberedEvent } from '@parley/events';
import type { StoreTransaction } from '@parley/store';
import * as z from 'zod';
import { AGENT_EVENTS } from '../../events.ts';
import type { ScheduleTables } from './schema.ts';

const PRIVATE: ReadonlySet<string> = new Set(AGENT_EVENTS.map(({ type }) => type));
const About = z.object({ agentId: z.string() });

/** The ids of the only schedules that may know of it, even by a filter; undefined: all. */
export async function schedulesAbout(
  tx: StoreTransaction,
  { type, data }: UnnumberedEvent,
): Promise<readonly string[] | undefined> {
  if (!PRIVATE.has(type)) return undefined;
  const about = About.safeParse(data);
  if (!about.success) return [];
  const rows = await tx
    .db<ScheduleTables>()
    .selectFrom('agent_schedules')
    .select('id')
    .where('agent_id', '=', about.data.agentId)
    .where('deleted_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}
