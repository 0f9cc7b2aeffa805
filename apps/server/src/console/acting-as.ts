/** Whom somebody in the console may call tools as: keys of their own, and agents that can do nothing they cannot. */
import { agentToolset } from '@parley/agent';
import { HttpRefusal } from '@parley/http';
import type { Caller } from '@parley/kit';
import { hiddenReason } from '@parley/kit';
import type { ConsoleParts } from './index.ts';

const MANAGES_AGENTS = { toolset: agentToolset.name, name: 'agents_manage' };

/** The caller of an id or a name; what is not there, is not theirs, or may do more answers the same. */
export async function callerToActAs(
  { host, caller }: Pick<ConsoleParts, 'host'> & { readonly caller: Caller },
  named: string,
): Promise<Caller> {
  const { organizationId, userId } = caller;
  const found = await host.identity.callerNamed(organizationId, named);
  const isOwnKey = found !== undefined && found.agent === undefined && found.userId === userId;
  if (isOwnKey) return asPerson(found, caller);
  if (hiddenReason(MANAGES_AGENTS, caller) === undefined) {
    const { agents, permissions } = host.servicesOf(agentToolset);
    const agent = await agents.find(organizationId, named);
    // Throws when the agent can do what the person cannot.
    if (agent !== undefined) return permissions.actAs(caller, agent.id);
  }
  throw new HttpRefusal('NOT_FOUND', 'There is no key of yours and no agent with this id or name.');
}

/** A key does no more in the browser of its owner than elsewhere, and what needs a fresh sign-in needs it here too. */
function asPerson(key: Caller, { freshUntil }: Caller): Caller {
  return { ...key, source: 'web', ...(freshUntil !== undefined && { freshUntil }) };
}
