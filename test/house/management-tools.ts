/** Reads `management-tools.md`, where it is written down which management tools there are. */
import { readFileSync } from 'node:fs';

/** A management tool as it has to be. */
export interface RequiredTool {
  readonly name: string;
  readonly category: string;
  readonly effect: string;
  readonly external: boolean;
  readonly privileged: boolean;
  readonly unattended: boolean;
}

/** All of them, in the order of the table. */
export function requiredTools(): RequiredTool[] {
  const text = readFileSync(new URL('management-tools.md', import.meta.url), 'utf8');
  const [, , ...rows] = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.map((row) => {
    const [, name = '', category = '', effect = '', external, privileged, unattended] = row
      .split('|')
      .map((cell) => cell.trim());
    const isSaid = (cell: string | undefined) => cell !== undefined && cell !== '';
    return {
      name,
      category,
      effect,
      external: isSaid(external),
      privileged: isSaid(privileged),
      unattended: isSaid(unattended),
    };
  });
}

/** Tools that may be missing; once all are served, a name that is left here can only hide a fault. */
export const NOT_YET: readonly string[] = [
  'COLLECTION_CONNECTIONS_LIST',
  'COLLECTION_CONNECTIONS_GET',
  'COLLECTION_CONNECTIONS_CREATE',
  'COLLECTION_CONNECTIONS_UPDATE',
  'COLLECTION_CONNECTIONS_DELETE',
  'CONNECTION_TEST',
  'COLLECTION_VIRTUAL_MCP_LIST',
  'COLLECTION_VIRTUAL_MCP_GET',
  'COLLECTION_VIRTUAL_MCP_CREATE',
  'COLLECTION_VIRTUAL_MCP_UPDATE',
  'COLLECTION_VIRTUAL_MCP_DELETE',
  'COLLECTION_VIRTUAL_TOOLS_LIST',
  'COLLECTION_VIRTUAL_TOOLS_GET',
  'COLLECTION_VIRTUAL_TOOLS_CREATE',
  'COLLECTION_VIRTUAL_TOOLS_UPDATE',
  'COLLECTION_VIRTUAL_TOOLS_DELETE',
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
  'API_KEY_LIST',
  'API_KEY_CREATE',
  'API_KEY_UPDATE',
  'API_KEY_DELETE',
  'MONITORING_LOGS_LIST',
  'MONITORING_STATS',
  'MONITORING_DASHBOARD_LIST',
  'MONITORING_DASHBOARD_GET',
  'MONITORING_DASHBOARD_CREATE',
  'MONITORING_DASHBOARD_UPDATE',
  'MONITORING_DASHBOARD_DELETE',
  'MONITORING_DASHBOARD_QUERY',
  'MONITORING_WIDGET_PREVIEW',
  'EVENT_PUBLISH',
  'EVENT_SUBSCRIBE',
  'EVENT_UNSUBSCRIBE',
  'EVENT_CANCEL',
  'EVENT_ACK',
  'EVENT_SUBSCRIPTION_LIST',
  'EVENT_SYNC_SUBSCRIPTIONS',
  'DATABASES_RUN_SQL',
  'CODE_EXECUTION_SEARCH_TOOLS',
  'CODE_EXECUTION_DESCRIBE_TOOLS',
  'CODE_EXECUTION_RUN_CODE',
];
