/** Who holds a note: a key with its client, and the connection it works over where there is one. */
import type { Caller, Connection } from '@parley/kit';
import { fromJson } from '@parley/store';
import type { AnnotationRow } from '../schema.ts';

/** A caller as notes know it. */
export interface Agent extends Caller {
  /** The name that the client gave itself. */
  readonly client?: string | null;
  readonly connection?: Connection | undefined;
}

/** The statuses in which somebody has a note. */
export const HELD = ['acknowledged', 'diff_proposed'] as const;

/** The columns that name a holder. */
export type Holder = Pick<AnnotationRow, 'holder_id' | 'holder_client' | 'holder_connection'>;

const MAX_CLIENT_LENGTH = 200;

/** The client's own name, cut to what is stored; empty when it gave none. */
export function clientOf({ client }: Pick<Agent, 'client'>): string {
  return (client ?? '').trim().slice(0, MAX_CLIENT_LENGTH);
}

/** What people call the agent: its client's name rather than that of its key. */
export function nameOf(agent: Agent): string {
  return clientOf(agent) || agent.name;
}

/** The agent as a holder. */
export function holderOf(agent: Agent): Record<keyof Holder, string> {
  return {
    holder_id: agent.id,
    holder_client: clientOf(agent),
    holder_connection: agent.connection?.id ?? '',
  };
}

/** True while somebody has the note. */
export function isHeld({ status }: Pick<AnnotationRow, 'status'>): boolean {
  return HELD.some((held) => held === status);
}

/** False for a note that was taken up by a process from before there were leases: nobody can tell by whom. */
export function isHolderKnown({ holder_id, lease_until }: AnnotationRow): boolean {
  return holder_id !== null && lease_until !== null;
}

/** True for the holder of the note, or for its last one. */
export function isHolder(row: Holder, agent: Agent | undefined): boolean {
  if (agent === undefined) return false;
  const { holder_id, holder_client, holder_connection } = holderOf(agent);
  return (
    row.holder_id === holder_id &&
    row.holder_client === holder_client &&
    row.holder_connection === holder_connection
  );
}

/** True when the same key and client has the note, over another connection. */
export function isElsewhere(row: Holder, agent: Agent): boolean {
  const { holder_id, holder_client } = holderOf(agent);
  return row.holder_id === holder_id && row.holder_client === holder_client && !isHolder(row, agent);
}

/** What people call the holder of the note. */
export function holderName({ acknowledged_by }: Pick<AnnotationRow, 'acknowledged_by'>): string {
  return acknowledged_by === null ? 'Another agent' : fromJson<{ name: string }>(acknowledged_by).name;
}
