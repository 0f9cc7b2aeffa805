/** What is said of an agent that is not there, and where those that were deleted are found. */
import { agentToolset } from '@parley/agent';
import { commandWord, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Host } from '../start/host.ts';

const MOST = 50;
const MOST_DELETED = 1000;

/** An agent that was, as the audit log knows it. */
export interface DeletedAgent {
  readonly id: string;
  readonly name: string;
}

/** The agents that were deleted, the last one first; what they did is still there. */
export async function deletedAgents(
  { identity }: Pick<Host, 'identity'>,
  organizationId: string,
): Promise<DeletedAgent[]> {
  const query = { action: 'agent.deleted', limit: MOST_DELETED };
  const entries = await identity.audit.list(organizationId, query);
  return entries.map(({ target, changed: { name } }) => ({
    id: target,
    name: typeof name === 'string' ? name : target,
  }));
}

/** Those with an id or a name, which is told to whoever asked; several may have had the name. */
export async function deletedAgentsCalled(
  host: Pick<Host, 'identity'>,
  organizationId: string,
  wanted: string,
): Promise<DeletedAgent[]> {
  const deleted = await deletedAgents(host, organizationId);
  const isCalled = (name: string) => name.toLowerCase() === wanted.trim().toLowerCase();
  const found = deleted.filter(({ id, name }) => id === wanted || isCalled(name));
  if (found.length > 0) {
    const ids = found.map(({ id }) => id).join(', ');
    process.stderr.write(
      `The agent "${printable(found[0]?.name ?? wanted)}" was deleted; its id was ${ids}.\n`,
    );
  }
  return found;
}

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
      ? `There are none yet: "${commandWord()} agents create NAME" makes one.`
      : `There are: ${names.join(', ')}${all.length > MOST ? ' and more' : ''}.`;
  return new UsageError(`There is no agent "${printable(name)}". ${there}`);
}
