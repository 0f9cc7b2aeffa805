/** How the parts of this server do, in the words of `parley doctor`. */
import { connectionStates, selfConnectionId } from '@parley/connections';
import type { Caller } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import { holdText } from '../hold/held-row.ts';
import type { Host } from '../start/host.ts';
import { mayLook } from './live/rights.ts';

export interface PartHealth {
  readonly part: string;
  readonly state: 'ok' | 'warning' | 'down';
  readonly reason: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** The parts that somebody may know of. */
export async function healthFor(host: Host, caller: Caller): Promise<PartHealth[]> {
  const database = await databaseHealth(host);
  if (database.state === 'down') return [database];
  const engine = host.engine();
  const seesConnections = mayLook(engine, caller, ['self', ['COLLECTION_CONNECTIONS_LIST']]);
  const seesEvents = mayLook(engine, caller, ['self', ['EVENT_SUBSCRIBE']]);
  const seesCalls = mayLook(engine, caller, ['self', ['MONITORING_LOGS_LIST']]);
  return [
    database,
    ...holdHealth(host),
    ...(seesConnections ? [await connectionsHealth(host, caller)] : []),
    ...(seesEvents ? [await webhooksHealth(host, caller)] : []),
    ...(seesCalls ? [recordsHealth(host)] : []),
  ];
}

async function databaseHealth({ store }: Host): Promise<PartHealth> {
  const part = 'database';
  try {
    await store.ping();
  } catch (error) {
    const reason = error instanceof StoreUnavailableError ? error.message : 'The database takes no writes.';
    return { part, state: 'down', reason, fix: 'Run "parley doctor" on the machine of the server.' };
  }
  if (store.signal.isBroken())
    return { part, state: 'warning', reason: 'Changes by other processes do not arrive right now.' };
  return { part, state: 'ok', reason: 'It takes writes, and changes arrive.' };
}

function holdHealth({ hold }: Host): PartHealth[] {
  const held = hold.held();
  if (held === undefined) return [];
  return [{ part: 'work', state: 'warning', reason: holdText(held), fix: 'Run "parley resume".' }];
}

const MOST_NAMED = 5;

async function connectionsHealth({ store }: Host, { organizationId }: Caller): Promise<PartHealth> {
  const part = 'connections';
  const own = selfConnectionId(organizationId);
  const states = await connectionStates(store, organizationId);
  const all = states.filter(({ isVirtual, id }) => !isVirtual && id !== own);
  if (all.length === 0) return { part, state: 'ok', reason: 'There are none yet.' };
  const faulty = all.filter(({ status }) => status === 'error' || status === 'needs_reauth');
  if (faulty.length === 0)
    return {
      part,
      state: 'ok',
      reason: `All ${all.length} answered when they were asked last, or are switched off.`,
    };
  const names = faulty.slice(0, MOST_NAMED).map(({ title, status, lastError }) => {
    const state = status === 'error' ? 'in error' : 'not authorised';
    return lastError === null ? `${title} is ${state}` : `${title} is ${state}: ${lastError}`;
  });
  const more = faulty.length > MOST_NAMED ? ` and ${faulty.length - MOST_NAMED} more` : '';
  return {
    part,
    state: 'warning',
    reason: `${names.join('; ')}${more}`,
    fix: 'Open it under Connections and test it.',
  };
}

async function webhooksHealth({ events }: Host, { organizationId }: Caller): Promise<PartHealth> {
  const part = 'webhooks';
  const all = await events.webhooks.list(organizationId);
  const off = all.filter(({ disabledReason }) => disabledReason !== null && disabledReason !== undefined);
  if (all.length === 0) return { part, state: 'ok', reason: 'There are none yet.' };
  if (off.length === 0) return { part, state: 'ok', reason: `All ${all.length} hear of events.` };
  const reason = `${off.length} of ${all.length} are switched off after failures.`;
  return { part, state: 'warning', reason, fix: 'Open it under Events, mend its receiver and enable it.' };
}

function recordsHealth({ store: { records } }: Host): PartHealth {
  const part = 'call records';
  if (records.dropped === 0) return { part, state: 'ok', reason: 'Every call since the start is recorded.' };
  return { part, state: 'warning', reason: `${records.dropped} records were lost since the start.` };
}
