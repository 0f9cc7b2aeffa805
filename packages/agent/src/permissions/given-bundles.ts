/** The bundles that an agent has, its own and those of its project, with the words that come with them. */
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { AgentTables, BundleRow } from '../schema.ts';

/** What a bundle gives, and its place among others. */
export interface GivenBundle {
  readonly id: string;
  readonly name: string;
  readonly tools: readonly string[];
  readonly prompt: string;
  readonly sortOrder: number;
}

/** All of them, each kind in its order. */
export interface GivenBundles {
  readonly agent: readonly GivenBundle[];
  readonly project: readonly GivenBundle[];
}

/** Who gets them; without a project there are none of it. */
export interface BundlesOf {
  readonly organizationId: string;
  readonly agentId: string;
  readonly projectId?: string | undefined;
}

export async function givenBundles(
  from: Queryable,
  { organizationId, agentId, projectId }: BundlesOf,
): Promise<GivenBundles> {
  return {
    agent: await bundlesOfAgent(from, organizationId, agentId),
    project: projectId === undefined ? [] : await bundlesOfProject(from, organizationId, projectId),
  };
}

const COLUMNS = [
  'skill_bundles.id as id',
  'skill_bundles.preset as preset',
  'skill_bundles.name as name',
  'skill_bundles.tools as tools',
  'skill_bundles.prompt_additions as prompt',
  'sort_order as sortOrder',
] as const;

export async function bundlesOfAgent(from: Queryable, organizationId: string, agentId: string) {
  const rows = await from
    .db<AgentTables>()
    .selectFrom('agent_skills')
    .innerJoin('skill_bundles', 'skill_bundles.id', 'agent_skills.bundle_id')
    .select(COLUMNS)
    .where('agent_skills.agent_id', '=', agentId)
    .where('agent_skills.organization_id', '=', organizationId)
    .orderBy('sort_order')
    .orderBy('skill_bundles.name_key')
    .execute();
  return rows.map(given);
}

export async function bundlesOfProject(from: Queryable, organizationId: string, projectId: string) {
  const rows = await from
    .db<AgentTables>()
    .selectFrom('project_skills')
    .innerJoin('skill_bundles', 'skill_bundles.id', 'project_skills.bundle_id')
    .select(COLUMNS)
    .where('project_skills.project_id', '=', projectId)
    .where('project_skills.organization_id', '=', organizationId)
    .orderBy('sort_order')
    .orderBy('skill_bundles.name_key')
    .execute();
  return rows.map(given);
}

/** What people know a bundle by: one that every organization has keeps its own name. */
export function publicIdOf({ id, preset }: Pick<BundleRow, 'id' | 'preset'>): string {
  return preset ?? id;
}

/** What the bundles tell the agent: its own, then those of its project, with blank lines between them. */
export function promptOf({ agent, project }: GivenBundles): string {
  return [...agent, ...project]
    .map(({ prompt }) => prompt.trim())
    .filter((prompt) => prompt !== '')
    .join('\n\n');
}

type Row = Pick<BundleRow, 'id' | 'preset' | 'name' | 'tools'> & { prompt: string; sortOrder: number };

function given({ name, tools, prompt, sortOrder, ...row }: Row): GivenBundle {
  return { id: publicIdOf(row), name, tools: fromJson<string[]>(tools), prompt, sortOrder };
}
