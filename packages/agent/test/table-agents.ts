/** Agents as the rows of the truth table have them, and what a call that is denied looks like. */
import { AGENT_TOOLS } from '../src/tools/sets.ts';
import type { AgentBed } from './agent-bed.ts';
import type { Row } from './truth-table.ts';
import { expectedOf } from './truth-table.ts';

/** The projects of the table begin so. */
export const PROJECT = 'proj_table';
/** What every bundle of the table tells. */
export const WORDS = 'Say where you found it.';

/** An agent as a row has it; bundles get a name of their own. */
export async function agentOf({ services, agent, acme }: AgentBed, { row, ...given }: Row) {
  const { caller } = acme.owner;
  const { id } = await agent(caller, { name: `Row ${row}`, tools: given.list ?? null });
  const projectId = `${PROJECT} ${row}`;
  for (const [kind, tools] of [
    ['agent', given.agentBundle],
    ['project', given.projectBundle],
  ] as const) {
    if (tools === undefined) continue;
    const facts = { name: `${kind} ${row}`, description: '', tools, prompt_additions: WORDS };
    const { bundle } = await services.bundles.create(caller, facts);
    const owner = { kind, id: kind === 'agent' ? id : projectId };
    await services.skills.assign(caller, owner, { bundleId: bundle.id, sortOrder: 0 });
  }
  return { id, projectId };
}

/** What a call is refused with; an argument that no tool knows keeps those that are there from running. */
export async function refusal(
  client: { callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown> },
  name: string,
): Promise<string> {
  try {
    await client.callTool({ name, arguments: { no_such_field: 1 } });
    return 'passes';
  } catch (error) {
    const { code, message, data } = error as { code?: unknown; message: string; data?: unknown };
    return JSON.stringify({ code, message, data }).replaceAll(name, 'TOOL');
  }
}

/** Why a row leaves a tool out. */
export function reasonFor(row: Row, name: string): string {
  if (row.grant !== undefined && !row.grant.includes(name)) return 'not_granted';
  const watched = {
    ...row,
    unattended: false,
    source: row.source === 'web' ? ('web' as const) : ('api' as const),
  };
  if (!expectedOf({ ...watched, without: [] }, AGENT_TOOLS).includes(name)) return 'not_in_set';
  return expectedOf({ ...row, without: [] }, AGENT_TOOLS).includes(name) ? 'not_registered' : 'unattended';
}
