/** Whose tasks are somebody's own: what they began in the console, with their keys, and what their agents began. */
import { agentToolset } from '@parley/agent';
import type { Caller } from '@parley/kit';
import { hiddenReason } from '@parley/kit';
import type { Host } from '../start/host.ts';

const MANAGES_AGENTS = { toolset: agentToolset.name, name: 'agents_manage' };

/** The ids of callers that somebody is, or looks after; of keys only those among `ids`, where it is given. */
export async function ownersOf(
  { identity, ...host }: Pick<Host, 'identity'> & Partial<Pick<Host, 'servicesOf'>>,
  caller: Caller,
  ids?: readonly string[],
): Promise<string[]> {
  const keys = await identity.listKeys(caller, { all: false, ids });
  const isKeeper = hiddenReason(MANAGES_AGENTS, caller) === undefined;
  const agents = isKeeper ? await host.servicesOf?.(agentToolset).agents.list(caller.organizationId) : [];
  return [caller.id, ...keys.map(({ id }) => id), ...(agents ?? []).map(({ id }) => id)];
}
