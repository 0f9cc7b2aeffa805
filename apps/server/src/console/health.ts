/** How the parts of this server do, for those who may know: the checks of `parley doctor` that a running server can make, in its words. */
import { connectionStates } from '@parley/connections';
import { webhookStates } from '@parley/events';
import type { Caller } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import type { Check } from '../health/check.ts';
import {
  connectionChecks,
  databaseCheck,
  databaseFix,
  holdChecks,
  webhookChecks,
} from '../health/findings.ts';
import type { Host } from '../start/host.ts';
import { mayLook } from './live/rights.ts';

export interface PartHealth {
  readonly part: string;
  readonly state: 'ok' | 'warning' | 'down';
  readonly reason: string;
  /** What to do about it. */
  readonly fix?: string;
}

const STATES = { ok: 'ok', warn: 'warning', fail: 'down' } as const;
// Who has more finds them under Connections.
const MOST_NAMED = 5;

/** The parts that somebody may know of. */
export async function healthFor(host: Host, caller: Caller): Promise<PartHealth[]> {
  return (await checksFor(host, caller)).map(({ name, state, found, fix }) => ({
    part: name,
    state: STATES[state],
    reason: found,
    ...(fix !== undefined && { fix }),
  }));
}

async function checksFor(host: Host, caller: Caller): Promise<Check[]> {
  const { store } = host;
  const { organizationId } = caller;
  const database = await databaseOf(host);
  if (database.state === 'fail') return [database];
  const may = (...names: string[]) => mayLook(host.engine(), caller, ['self', names]);
  const connections = may('COLLECTION_CONNECTIONS_LIST') ? await connectionStates(store, organizationId) : [];
  const webhooks = may('EVENT_SUBSCRIBE') ? await webhookStates(store, organizationId) : [];
  return [
    database,
    ...holdChecks(host.hold.held()),
    ...connectionChecks(connections, MOST_NAMED),
    ...webhookChecks(webhooks),
    ...(may('MONITORING_LOGS_LIST') ? [recordsOf(host)] : []),
  ];
}

async function databaseOf({ store }: Host): Promise<Check> {
  const name = 'database';
  try {
    await store.ping();
  } catch (error) {
    // Any other error may name files or statements, which are nobody's business here.
    const found = error instanceof StoreUnavailableError ? error.message : 'The database takes no writes.';
    return { name, state: 'fail', found, fix: databaseFix(error) };
  }
  // Only this process can tell.
  if (store.signal.isBroken())
    return { name, state: 'warn', found: 'changes by other processes do not arrive right now' };
  // A server brings it up to date before it serves.
  return databaseCheck(store.engine, 0);
}

/** What only a running server knows. */
function recordsOf({ store: { records } }: Host): Check {
  const name = 'call records';
  if (records.dropped === 0) return { name, state: 'ok', found: 'every call since the start is recorded' };
  return { name, state: 'warn', found: `${records.dropped} records were lost since the start` };
}
