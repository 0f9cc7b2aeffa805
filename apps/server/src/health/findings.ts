/** What there is to say about the parts that both "parley doctor" and the console look at, in one set of words. */
import { commandWord } from '../config.ts';
import type { ConnectionState } from '@parley/connections';
import type { WebhookState } from '@parley/events';
import { MigrationError, StoreUnavailableError } from '@parley/store';
import { word } from '../cli/doctor/shell-word.ts';
import type { Held } from '../hold/held-row.ts';
import { holdText } from '../hold/held-row.ts';
import { printable } from '../printable.ts';
import type { Check } from './check.ts';

const DATABASE = 'database';
const CONNECTIONS = 'connections';
const WEBHOOKS = 'webhooks';

export const PUT_BACK =
  'Stop every server that uses it, delete the files ending in -wal and -shm beside it, then put the file of a backup in its place.';

/** A database that answers, so many steps behind this version. */
export function databaseCheck(engine: string, steps: number): Check {
  if (steps === 0) return { name: DATABASE, state: 'ok', found: `${engine}, up to date` };
  const behind = `${steps} ${steps === 1 ? 'step' : 'steps'} behind`;
  return {
    name: DATABASE,
    state: 'warn',
    found: `${engine}, ${behind}; the next start brings it up to date`,
  };
}

/** What helps against a fault of the database. */
export function databaseFix(error: unknown): string {
  if (error instanceof MigrationError) return 'Start the version of Parley that wrote it.';
  if (error instanceof StoreUnavailableError && error.reason === 'damaged') return PUT_BACK;
  if (error instanceof StoreUnavailableError && error.reason === 'full')
    return 'Free some space on the disk of the data folder.';
  return 'Check that the database runs and that --data or --database-url names it.';
}

/** A restored server that waits; a server that acts needs no line for it. */
export function holdChecks(held: Held | undefined): Check[] {
  if (held === undefined) return [];
  const fix = `Run "${commandWord()} resume" once the original is stopped for good, so that nothing is done twice.`;
  return [{ name: 'hold', state: 'warn', found: holdText(held), fix }];
}

/** One for all, then one for each that has a fault; none where nothing is connected. */
export function connectionChecks(all: readonly ConnectionState[], mostNamed: number): Check[] {
  const others = all.filter(({ id, isVirtual }) => !isVirtual && !id.endsWith('_self'));
  if (others.length === 0) return [];
  const faulty = others.filter(({ status }) => status === 'error' || status === 'needs_reauth');
  const found = `${others.length - faulty.length} of ${others.length} answered when they were asked last, or are switched off`;
  const sum: Check = { name: CONNECTIONS, state: faulty.length === 0 ? 'ok' : 'warn', found };
  return [sum, ...faulty.slice(0, mostNamed).map(faultOf)];
}

function faultOf({ id, title, status, lastError }: ConnectionState): Check {
  const state = status === 'error' ? 'in error' : 'not authorised';
  const why = lastError === null ? state : `${state}: ${printable(lastError)}`;
  const fix =
    status === 'needs_reauth'
      ? `Authorise it under Connections, run "${commandWord()} connect authorise ${word(id)}", or give it a token.`
      : `Test it under Connections, or run "${commandWord()} connect test ${word(id)}", which tries again and tells more.`;
  return { name: CONNECTIONS, state: 'warn', found: `${printable(title)} (${id}) is ${why}`, fix };
}

/** None where there are no webhooks. */
export function webhookChecks(all: readonly WebhookState[]): Check[] {
  if (all.length === 0) return [];
  const off = all.filter(({ disabledReason }) => disabledReason !== null);
  if (off.length === 0) return [{ name: WEBHOOKS, state: 'ok', found: `all ${all.length} hear of events` }];
  const found = `${off.length} of ${all.length} are switched off`;
  const fix = 'Mend what it reaches and enable it under Events, or delete it.';
  return [{ name: WEBHOOKS, state: 'warn', found, fix }];
}
