/** Who else has a tool, and whom somebody may call tools as. */
import { agentToolset } from '@parley/agent';
import type { Caller, Engine } from '@parley/kit';
import { hiddenReason, isTeam, mayAdminister } from '@parley/kit';
import type { ConsoleParts } from './index.ts';

export interface NamedCaller {
  readonly id: string;
  readonly name: string;
  readonly kind: 'person' | 'key' | 'agent';
}

// A list of names to choose from, not the place where all of them are looked at.
const MOST = 200;

const MANAGES_AGENTS = { toolset: agentToolset.name, name: 'agents_manage' };

type Asking = Pick<ConsoleParts, 'host'> & { readonly caller: Caller };

/** Keys of the person's own, and agents when they look after those. */
export async function callersOf({ host, caller }: Asking): Promise<NamedCaller[]> {
  const keys = await ownKeys({ host, caller });
  return [...keys, ...(await agentsOf({ host, caller }))];
}

async function ownKeys({ host, caller }: Asking): Promise<NamedCaller[]> {
  const all = await host.identity.listKeys(caller, { all: false });
  const now = Date.now();
  return all
    .filter(({ revokedAt, expiresAt, agentId }) => {
      return revokedAt === null && agentId === null && (expiresAt ?? Infinity) > now;
    })
    .slice(0, MOST)
    .map(({ id, name }) => ({ id, name, kind: 'key' }));
}

async function agentsOf({ host, caller }: Asking): Promise<NamedCaller[]> {
  if (hiddenReason(MANAGES_AGENTS, caller) !== undefined) return [];
  const agents = await host.servicesOf(agentToolset).agents.list(caller.organizationId);
  return agents.slice(0, MOST).map(({ id, name }) => ({ id, name, kind: 'agent' }));
}

/** Everybody of the organization who sees a tool at an endpoint; null for those who do not administer. */
export async function whoHas(
  { host, caller }: Asking,
  engine: Engine,
  tool: string,
): Promise<NamedCaller[] | null> {
  if (!mayAdminister(caller)) return null;
  const { organizationId } = caller;
  const { identity } = host;
  const has = (other: Caller | undefined) =>
    other !== undefined && engine.view(other).tool(tool, other) !== undefined;
  const members = (await identity.listMembers(organizationId)).filter(isTeam).slice(0, MOST);
  const keys = (await identity.listKeys(caller, { all: true }))
    .filter(({ revokedAt, agentId }) => revokedAt === null && agentId === null)
    .slice(0, MOST);
  const found: NamedCaller[] = [];
  for (const { id, name } of members)
    if (has(await identity.callerOfMember(organizationId, id))) found.push({ id, name, kind: 'person' });
  for (const { id, name } of keys)
    if (has(await identity.callerNamed(organizationId, id))) found.push({ id, name, kind: 'key' });
  for (const agent of await agentsOf({ host, caller }))
    if (has(await identity.callerNamed(organizationId, agent.id))) found.push(agent);
  return found;
}
