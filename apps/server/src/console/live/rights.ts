/** Who hears of what: a topic is for those who could look at it. */
import type { Caller, Engine } from '@parley/kit';
import { hiddenReason } from '@parley/kit';
import type { Topic } from './topics.ts';

type Names = readonly [toolset: string, names: readonly string[]];

/** Tools and rights of which one is enough. */
const LOOKING: Readonly<Record<Topic, Names | undefined>> = {
  annotations: ['annotations', ['list_sessions', 'get_all_pending', 'get_pending', 'get_session']],
  posts: ['feedback', ['search_feedback', 'find_feedback', 'get_post']],
  tasks: ['tasks', ['list_tasks', 'get_task']],
  agents: ['agent', ['agents_read', 'agents_manage']],
  questions: ['agent', ['questions_read', 'questions_answer']],
  connections: ['self', ['COLLECTION_CONNECTIONS_LIST']],
  'virtual-mcps': ['self', ['COLLECTION_VIRTUAL_MCP_LIST']],
  events: ['self', ['EVENT_SUBSCRIBE']],
  deliveries: ['self', ['EVENT_SUBSCRIBE']],
  calls: ['self', ['MONITORING_LOGS_LIST']],
  members: ['self', ['ORGANIZATION_MEMBER_LIST']],
  keys: ['self', ['API_KEY_LIST']],
  // One's own.
  sessions: undefined,
  organization: ['self', ['ORGANIZATION_GET']],
  schedules: ['agent', ['agents_read', 'executions_read']],
  memory: ['agent', ['agents_manage']],
  dashboards: ['self', ['MONITORING_DASHBOARD_LIST']],
  projects: ['self', ['PROJECT_LIST']],
};

/** The topics among those that a caller may hear of now. */
export function heardBy(engine: Engine, caller: Caller, wanted: Iterable<Topic>): Set<Topic> {
  return new Set([...wanted].filter((topic) => mayLook(engine, caller, LOOKING[topic])));
}

/** True when somebody has one of the tools or rights. */
export function mayLook(engine: Engine, caller: Caller, looking: Names | undefined): boolean {
  if (looking === undefined) return true;
  const [toolset, names] = looking;
  return names.some((name) => {
    const tool = engine.common.tools.find((each) => each.toolset === toolset && each.name === name);
    return hiddenReason(tool ?? { toolset, name }, caller) === undefined;
  });
}
