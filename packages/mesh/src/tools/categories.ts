/** Where permission screens show each management tool. */

/** The tools of each category; every tool is in exactly one. */
export const CATEGORIES = {
  Organizations: [
    'ORGANIZATION_LIST',
    'ORGANIZATION_GET',
    'ORGANIZATION_CREATE',
    'ORGANIZATION_UPDATE',
    'ORGANIZATION_DELETE',
    'ORGANIZATION_SETTINGS_GET',
    'ORGANIZATION_SETTINGS_UPDATE',
    'ORGANIZATION_MEMBER_LIST',
    'ORGANIZATION_MEMBER_ADD',
    'ORGANIZATION_MEMBER_UPDATE_ROLE',
    'ORGANIZATION_MEMBER_REMOVE',
  ],
  Connections: [
    'COLLECTION_CONNECTIONS_LIST',
    'COLLECTION_CONNECTIONS_GET',
    'COLLECTION_CONNECTIONS_CREATE',
    'COLLECTION_CONNECTIONS_UPDATE',
    'COLLECTION_CONNECTIONS_DELETE',
    'CONNECTION_TEST',
    'DATABASES_RUN_SQL',
  ],
  'Virtual MCPs': [
    'COLLECTION_VIRTUAL_MCP_LIST',
    'COLLECTION_VIRTUAL_MCP_GET',
    'COLLECTION_VIRTUAL_MCP_CREATE',
    'COLLECTION_VIRTUAL_MCP_UPDATE',
    'COLLECTION_VIRTUAL_MCP_DELETE',
  ],
  'Virtual Tools': [
    'COLLECTION_VIRTUAL_TOOLS_LIST',
    'COLLECTION_VIRTUAL_TOOLS_GET',
    'COLLECTION_VIRTUAL_TOOLS_CREATE',
    'COLLECTION_VIRTUAL_TOOLS_UPDATE',
    'COLLECTION_VIRTUAL_TOOLS_DELETE',
  ],
  Threads: [
    'COLLECTION_THREADS_LIST',
    'COLLECTION_THREAD_MESSAGES_LIST',
    'COLLECTION_THREADS_GET',
    'COLLECTION_THREADS_CREATE',
    'COLLECTION_THREADS_UPDATE',
    'COLLECTION_THREADS_DELETE',
  ],
  Monitoring: [
    'MONITORING_LOGS_LIST',
    'MONITORING_STATS',
    'MONITORING_DASHBOARD_LIST',
    'MONITORING_DASHBOARD_GET',
    'MONITORING_DASHBOARD_CREATE',
    'MONITORING_DASHBOARD_UPDATE',
    'MONITORING_DASHBOARD_DELETE',
    'MONITORING_DASHBOARD_QUERY',
    'MONITORING_WIDGET_PREVIEW',
  ],
  'API Keys': ['API_KEY_LIST', 'API_KEY_CREATE', 'API_KEY_UPDATE', 'API_KEY_DELETE'],
  'Event Bus': [
    'EVENT_PUBLISH',
    'EVENT_SUBSCRIBE',
    'EVENT_UNSUBSCRIBE',
    'EVENT_CANCEL',
    'EVENT_ACK',
    'EVENT_SUBSCRIPTION_LIST',
    'EVENT_SYNC_SUBSCRIPTIONS',
  ],
  Users: ['USER_GET'],
  'Code Execution': [
    'CODE_EXECUTION_SEARCH_TOOLS',
    'CODE_EXECUTION_DESCRIBE_TOOLS',
    'CODE_EXECUTION_RUN_CODE',
  ],
  Tags: ['TAGS_LIST', 'TAGS_CREATE', 'TAGS_DELETE', 'MEMBER_TAGS_GET', 'MEMBER_TAGS_SET'],
  Projects: [
    'PROJECT_LIST',
    'PROJECT_GET',
    'PROJECT_CREATE',
    'PROJECT_UPDATE',
    'PROJECT_DELETE',
    'PROJECT_PLUGIN_CONFIG_GET',
    'PROJECT_PLUGIN_CONFIG_UPDATE',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The category of a tool; `npm run verify:annotations` fails when there is none or more than one. */
export function categoryOf(tool: string): string {
  const found = Object.entries<readonly string[]>(CATEGORIES).find(([, names]) => names.includes(tool));
  if (found === undefined) throw new Error(`The tool ${tool} is in no category. Name it in categories.ts.`);
  return found[0];
}
