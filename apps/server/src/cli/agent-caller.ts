/** `parley mcp agent --agent NAME`: somebody at this machine lets their client act as an agent. */
import { agentToolset } from '@parley/agent';
import type { Caller } from '@parley/kit';
import type { Host } from '../start/host.ts';
import { requireRight } from './actions.ts';
import { noSuchAgent } from './agent-names.ts';
import type { Session } from './session.ts';

/** A way to ask who is acting; throws when there is no such agent, or it can do more than the key. */
export async function agentCaller(
  host: Host,
  acting: Session['caller'],
  name: string,
): Promise<Session['caller']> {
  const by = await acting();
  if (by === undefined) return acting;
  requireRight({ caller: by }, 'agents_manage');
  const { agents, permissions } = host.servicesOf(agentToolset);
  const agent = await agents.find(by.organizationId, name);
  if (agent === undefined) throw await noSuchAgent(host, by.organizationId, name);
  const first = await permissions.actAs(by, agent.id);
  // The key has to stay valid too; both answers are remembered until rights change.
  return async (): Promise<Caller | undefined> =>
    (await acting()) === undefined ? undefined : host.identity.current(first);
}
