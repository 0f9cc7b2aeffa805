/** What is said of an agent that is not there. */
import { agentToolset } from '@parley/agent';
import { UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Host } from '../start/host.ts';

const MOST = 50;

/** An error that names the agents that there are. */
export async function noSuchAgent(
  host: Pick<Host, 'servicesOf'>,
  organizationId: string,
  name: string,
): Promise<UsageError> {
  const all = await host.servicesOf(agentToolset).agents.list(organizationId);
  const names = all.slice(0, MOST).map((agent) => printable(agent.name));
  const there =
    names.length === 0
      ? 'There are none yet: "parley agents create NAME" makes one.'
      : `There are: ${names.join(', ')}${all.length > MOST ? ' and more' : ''}.`;
  return new UsageError(`There is no agent "${printable(name)}". ${there}`);
}
