/** What the audit log keeps of a call that an agent was denied: which agent, in which session, and why. */
import type { CallRecord } from '@parley/kit';
import { AGENT } from '../name.ts';
import type { RemovedReason } from './report.ts';
import { removedReasonOf } from './report.ts';

export interface Denial {
  readonly agent: string | null;
  readonly session: string | null;
  readonly reason: RemovedReason;
  readonly [fact: string]: string | null;
}

const PLUGIN = 'corvid_plugin_';

/** The denial in a record of a call; undefined when it is none, or none of this toolset. */
export function denialOf(
  record: Pick<CallRecord, 'caller' | 'method' | 'name' | 'toolset' | 'outcome' | 'code'>,
): Denial | undefined {
  const { agent } = record.caller;
  // A name that nothing has belongs to no toolset.
  if (record.method !== 'tools/call' || (record.toolset !== AGENT && agent === undefined)) return undefined;
  const reason = reasonOf(record);
  return reason && { agent: agent?.id ?? null, session: agent?.sessionId ?? null, reason };
}

function reasonOf({
  name,
  outcome,
  code,
}: Pick<CallRecord, 'name' | 'outcome' | 'code'>): RemovedReason | undefined {
  if (outcome === 'denied') return removedReasonOf(code ?? '');
  return code === 'forbidden' && name.startsWith(PLUGIN) ? 'capability' : undefined;
}
