/** `parley agents channels`: where an agent reaches its owner besides the console, set by people. */
import { text as readAll } from 'node:stream/consumers';
import type { Agent, ChannelType } from '@parley/agent';
import { agentToolset, CHANNEL_TYPES } from '@parley/agent';
import { UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Acting, Action } from './actions.ts';
import { table } from './table.ts';

const USAGE =
  'Usage: parley agents channels NAME [set TYPE JSON | enable TYPE | disable TYPE | remove TYPE]; JSON may be "-" to read it from stdin';

/** Does what is asked with the channels of an agent, and shows them. */
export async function channels(
  { host, caller }: Acting,
  { id: agentId, name }: Agent,
  [verb = 'list', given, ...rest]: readonly string[],
): ReturnType<Action> {
  const { channels: desk } = host.servicesOf(agentToolset).owner;
  const of = { organizationId: caller.organizationId, agentId, caller };
  const most = verb === 'set' ? 1 : 0;
  if (rest.length > most || (verb === 'list') !== (given === undefined)) throw new UsageError(USAGE);
  if (given !== undefined) {
    const type = typeIn(given);
    if (verb === 'set') await desk.set(of, type, await configIn(rest[0]));
    else if (verb === 'enable' || verb === 'disable') await desk.switch(of, type, verb === 'enable');
    else if (verb === 'remove') await desk.remove(of, type);
    else throw new UsageError(USAGE);
  }
  const all = await desk.list(of);
  const rows = all.map(({ type, enabled, config_keys: keys }) => [
    type,
    enabled ? 'on' : 'off',
    keys.join(', '),
  ]);
  const text =
    rows.length === 0
      ? `${printable(name)} has no channels: what it tells and asks is in the console API alone.`
      : table(['TYPE', 'STATE', 'SETTINGS'], rows);
  return { json: all, text };
}

function typeIn(given: string): ChannelType {
  const type = CHANNEL_TYPES.find((known) => known === given);
  if (type === undefined)
    throw new UsageError(
      `There is no channel "${printable(given)}". There are: ${CHANNEL_TYPES.join(', ')}.`,
    );
  return type;
}

async function configIn(given: string | undefined): Promise<unknown> {
  if (given === undefined) throw new UsageError(USAGE);
  try {
    return JSON.parse(given === '-' ? await readAll(process.stdin) : given);
  } catch {
    // Without its words: they may hold a secret.
    throw new UsageError('The settings must be JSON, such as \'{"url": "https://example.com/hook"}\'.');
  }
}
