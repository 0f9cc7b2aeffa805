/** The bundles that every organization starts with; they can be edited, and set back to what stands here. */
import { typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { toJson } from '@parley/store';
import { keyOfName } from '../name-key.ts';
import type { AgentTables, BundleRow } from '../schema.ts';

/** A bundle as it begins. */
export interface Preset {
  readonly id: `preset-${string}`;
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
}

const REVIEW = ['github_list_prs', 'github_review_pr', 'github_get_pr_diff', 'github_comment_on_pr'];
const CODE = ['code_symbols', 'find_references', 'list_projects', 'create_work_task'];
const MEMORY = ['save_memory', 'recall_memory'];
const GITHUB = [
  'github_list_prs',
  'github_create_pr',
  'github_review_pr',
  'github_get_pr_diff',
  'github_comment_on_pr',
  'github_create_issue',
  'github_list_issues',
  'github_repo_info',
];

/** All of them; the names of tools stand here without their prefix. */
const WRITTEN: readonly Omit<Preset, 'id'>[] = [
  { name: 'Code Reviewer', description: 'Reads and reviews pull requests.', tools: REVIEW },
  {
    name: 'DevOps',
    description: 'Starts work tasks and opens pull requests.',
    tools: ['create_work_task', 'github_create_pr', 'github_fork_repo'],
  },
  {
    name: 'Researcher',
    description: 'Searches the web and remembers what it found.',
    tools: ['web_search', 'deep_research', ...MEMORY],
  },
  {
    name: 'Communicator',
    description: 'Talks to other agents, here and elsewhere.',
    tools: ['send_message', 'list_agents', 'discover_agent', 'invoke_remote_agent'],
  },
  {
    name: 'Analyst',
    description: 'Looks at health, reputation and repositories.',
    tools: ['check_health_trends', 'check_reputation', 'github_repo_info', 'github_list_issues'],
  },
  { name: 'Coder', description: 'Finds its way in code and starts work tasks.', tools: CODE },
  { name: 'GitHub Ops', description: 'Works with pull requests and issues.', tools: GITHUB },
  {
    name: 'Full Stack',
    description: 'Code, GitHub, web search and memory.',
    tools: [...CODE, ...GITHUB, 'web_search', ...MEMORY],
  },
  {
    name: 'Memory Manager',
    description: 'Keeps memories, and knows agents and projects.',
    tools: [...MEMORY, 'list_agents', 'list_projects'],
  },
];

export const PRESETS: readonly Preset[] = WRITTEN.map(({ name, description, tools }) => ({
  id: `preset-${name.toLowerCase().replaceAll(' ', '-')}`,
  name,
  description,
  tools: tools.map((tool) => `corvid_${tool}`),
}));

/** What a preset writes into its row. */
export function presetFields({ name, description, tools }: Preset) {
  return { name, name_key: keyOfName(name), description, tools: toJson(tools), prompt_additions: '' };
}

/** The rows of an organization that has none yet. */
export function presetRows(organizationId: string, now: number): BundleRow[] {
  return PRESETS.map((preset) => ({
    ...presetFields(preset),
    id: typeId('bundle', now),
    organization_id: organizationId,
    preset: preset.id,
    created_at: now,
    updated_at: now,
  }));
}

/** Gives a new organization its presets, in the transaction that makes it; twice is as once. */
export async function seedPresets(
  tx: StoreTransaction,
  organizationId: string,
  now: number = Date.now(),
): Promise<void> {
  await tx
    .db<AgentTables>()
    .insertInto('skill_bundles')
    .values(presetRows(organizationId, now))
    .onConflict((conflict) => conflict.columns(['organization_id', 'name_key']).doNothing())
    .execute();
}
