/** The entries of the console's rail: each is there for people who have something behind it. */
import type { Caller, Engine } from '@parley/kit';
import { hiddenReason } from '@parley/kit';

/** All entries, in their order. */
export const RAIL = [
  'home',
  'annotations',
  'feedback',
  'tasks',
  'agents',
  'connections',
  'tools',
  'events',
  'monitoring',
  'organization',
] as const;
type RailEntry = (typeof RAIL)[number];

/** What stands behind an entry: names of tools and rights, of which one is enough. */
const ENTRIES: readonly (readonly [entry: RailEntry, toolset: string, names: readonly string[]])[] = [
  ['annotations', 'annotations', ['list_sessions', 'get_all_pending', 'get_pending', 'get_session']],
  ['feedback', 'feedback', ['search_feedback', 'find_feedback', 'get_post']],
  ['tasks', 'tasks', ['list_tasks', 'get_task']],
  ['agents', 'agent', ['agents_read', 'agents_manage', 'questions_read']],
  ['connections', 'self', ['COLLECTION_CONNECTIONS_LIST', 'COLLECTION_VIRTUAL_MCP_LIST']],
  ['tools', 'parley', ['parley_whoami']],
  ['events', 'self', ['EVENT_SUBSCRIBE', 'EVENT_SUBSCRIPTION_LIST']],
  ['monitoring', 'self', ['MONITORING_LOGS_LIST', 'MONITORING_STATS']],
  ['organization', 'self', ['ORGANIZATION_MEMBER_LIST', 'ORGANIZATION_GET', 'API_KEY_LIST']],
];

/** The entries that a caller has, in their order. */
export function railOf(engine: Engine, caller: Caller): RailEntry[] {
  const { tools } = engine.common;
  const has = (toolset: string, name: string) => {
    const tool = tools.find((each) => each.name === name && each.toolset === toolset);
    return hiddenReason(tool ?? { toolset, name }, caller) === undefined;
  };
  const there = ENTRIES.filter(([, toolset, names]) => names.some((name) => has(toolset, name)));
  return ['home', ...there.map(([entry]) => entry)];
}
