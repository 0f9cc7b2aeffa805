/** The rows of the truth table of permissions, and what each must give for any set of tools. */
import type { SessionSource } from '../src/session.ts';
import type { AgentTool } from '../src/tools/sets.ts';
import { blockedAmong, defaultsAmong } from '../src/tools/sets.ts';

const PRIVILEGED = new Set(['grant_credits', 'credit_config']);
const BLOCKED = [
  'send_message',
  'grant_credits',
  'credit_config',
  'github_fork_repo',
  'github_create_pr',
  'github_create_issue',
  'github_comment_on_pr',
  'ask_owner',
];
const NAMES =
  'send_message list_agents list_projects save_memory recall_memory extend_timeout check_credits grant_credits credit_config create_work_task manage_schedule manage_workflow web_search deep_research discover_agent invoke_remote_agent notify_owner ask_owner configure_notifications github_star_repo github_unstar_repo github_fork_repo github_list_prs github_create_pr github_review_pr github_create_issue github_list_issues github_repo_info github_get_pr_diff github_comment_on_pr github_follow_user check_reputation check_health_trends publish_attestation verify_agent_reputation code_symbols find_references'.split(
    ' ',
  );

const full = (names: readonly string[]) => names.map((name) => `corvid_${name}`);

/** The 37 tools with their flags, whatever is built. */
export const ALL_TOOLS: readonly AgentTool[] = NAMES.map((name) => ({
  name: `corvid_${name}`,
  privileged: PRIVILEGED.has(name),
  unattended: BLOCKED.includes(name) ? 'block' : undefined,
  available: undefined,
}));

/** The names that are blocked while nobody watches. */
export const BLOCKED_NAMES = full(BLOCKED);

/** A service that tools are not registered without. */
export type Missing = 'work tasks' | 'code';

const GONE: Readonly<Record<Missing, readonly string[]>> = {
  'work tasks': full(['create_work_task']),
  code: full(['code_symbols', 'find_references']),
};

/** One situation. */
export interface Row {
  readonly row: string;
  readonly situation: string;
  /** The list of the agent; absent: none of its own. */
  readonly list?: readonly string[];
  readonly agentBundle?: readonly string[];
  readonly projectBundle?: readonly string[];
  readonly source?: SessionSource;
  readonly unattended?: boolean;
  readonly without?: readonly Missing[];
  /** What the caller's grant names; absent: all. */
  readonly grant?: readonly string[];
  /** What is given instead of asking the agent; undefined: nothing. */
  readonly resolved?: readonly string[] | null;
  /** How many of the 37 it gives. */
  readonly count: number;
}

const TWO = full(['send_message', 'grant_credits']);
const READING = full(['list_agents', 'list_projects']);
const FOUR = full(['web_search', 'deep_research', 'save_memory', 'recall_memory']);
const BOTH = ['work tasks', 'code'] as const;

export const ROWS: readonly Row[] = [
  { row: '1', situation: 'no list', source: 'api', count: 35 },
  { row: '2', situation: 'no list, without work tasks', source: 'api', without: ['work tasks'], count: 34 },
  { row: '3', situation: 'no list, without code', source: 'api', without: ['code'], count: 33 },
  { row: '4', situation: 'no list, without both', source: 'api', without: BOTH, count: 32 },
  { row: '5', situation: 'web', source: 'web', count: 37 },
  { row: '6', situation: 'web, without both', source: 'web', without: BOTH, count: 34 },
  { row: '7', situation: 'web, unattended', source: 'web', unattended: true, count: 29 },
  { row: '8', situation: 'no list, unattended', source: 'api', unattended: true, count: 29 },
  { row: '9', situation: 'no list, unattended, without both', unattended: true, without: BOTH, count: 26 },
  { row: '10', situation: 'a list of two', list: TWO, source: 'api', count: 2 },
  { row: '11', situation: 'a list of two, unattended', list: TWO, unattended: true, count: 0 },
  { row: '12', situation: 'an empty list', list: [], source: 'api', count: 0 },
  { row: '12 web', situation: 'an empty list, web', list: [], source: 'web', count: 37 },
  { row: '13', situation: 'no source, no list', count: 35 },
  { row: '14', situation: 'null is given instead of a list of two', list: TWO, resolved: null, count: 35 },
  { row: '15', situation: 'nothing is given instead of a list of two', list: TWO, count: 2 },
  { row: '16', situation: 'no list and a bundle', agentBundle: full(['grant_credits']), count: 36 },
  {
    row: '17',
    situation: 'no list and a bundle, unattended',
    agentBundle: full(['grant_credits']),
    unattended: true,
    count: 29,
  },
  { row: '18', situation: 'no list, bundle of a project', projectBundle: full(['credit_config']), count: 36 },
  { row: '19', situation: 'a list and a bundle of a project', list: READING, projectBundle: FOUR, count: 6 },
  { row: '20', situation: 'a list and a bundle', list: READING, agentBundle: FOUR, count: 6 },
  {
    row: '21',
    situation: 'a list with an unknown name',
    list: ['corvid_list_agents', 'corvid_no_such'],
    count: 1,
  },
  { row: '22', situation: 'a grant of one name', grant: ['corvid_list_agents'], count: 1 },
  {
    row: 'both bundles',
    situation: 'an empty list and both',
    list: [],
    agentBundle: READING,
    projectBundle: FOUR,
    count: 6,
  },
  { row: 'a schedule', situation: 'no list, from a schedule', source: 'schedule', count: 29 },
  { row: 'a webhook', situation: 'no list, from a webhook', source: 'webhook', count: 29 },
  { row: 'a remote agent', situation: 'no list, from elsewhere', source: 'remote', count: 29 },
];

/** What a row must give, worked out from the flags of the tools alone. */
export function expectedOf(row: Row, tools: readonly AgentTool[]): string[] {
  const { resolved, agentBundle = [], projectBundle = [], source = 'api', unattended = false } = row;
  const list = resolved === undefined ? row.list : (resolved ?? undefined);
  const bundles = resolved === undefined ? [...agentBundle, ...projectBundle] : [];
  const named = new Set([...(list ?? defaultsAmong(tools)), ...bundles]);
  const gone = new Set((row.without ?? []).flatMap((service) => GONE[service]));
  const isUnwatched = unattended || ['schedule', 'webhook', 'remote'].includes(source);
  const blocked = isUnwatched ? blockedAmong(tools) : [];
  return tools
    .map(({ name }) => name)
    .filter((name) => source === 'web' || named.has(name))
    .filter((name) => row.grant === undefined || row.grant.includes(name))
    .filter((name) => !gone.has(name) && !blocked.includes(name));
}
