/** Callers by the names that people gave them: keys and agents of an organization, as far as one may list them. */
import { agentToolset } from '@parley/agent';
import type { KeyInfo } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { mayAdminister } from '@parley/kit';
import { UsageError } from '../config.ts';
import type { Host } from '../start/host.ts';
import { deletedAgents } from './agent-names.ts';

export function listableKeys(host: Host, caller: Caller): Promise<KeyInfo[]> {
  return host.identity.listKeys(caller, { all: mayAdminister(caller) });
}

/** The key with this id, public id or name; throws where several have the name. */
export function keyCalled(keys: readonly KeyInfo[], wanted: string): KeyInfo | undefined {
  const found = keys.filter(({ id, publicId, name }) => [id, publicId, name].includes(wanted));
  if (found.length < 2) return found[0];
  const ids = found.map(({ publicId }) => publicId).join(', ');
  throw new UsageError(`Several keys have the name "${wanted}". Give the id of one: ${ids}`);
}

/** The names of callers by their ids; in a browser, and where no key was there yet, a person acts as one. */
export async function callerNames(host: Host, caller: Caller): Promise<Map<string, string>> {
  const keys = await listableKeys(host, caller);
  const members = await host.identity.listMembers(caller.organizationId);
  const agents = await host.servicesOf(agentToolset).agents.list(caller.organizationId);
  const gone = await deletedAgents(host, caller.organizationId);
  return new Map([
    ...gone.map(({ id, name }) => [id, `Agent ${name}`] as const),
    ...agents.map(({ id, name }) => [id, `Agent ${name}`] as const),
    ...members.flatMap(({ id, userId, name, email }) =>
      [id, userId].map((each) => [each, email ?? name] as const),
    ),
    ...keys.map(({ id, name }) => [id, name] as const),
  ]);
}
