/** Every `read` tool with a call that finds something: it succeeds, and everything is as it was. */
import type { MeshBed } from '../mesh-bed.ts';
import type { Input } from './things.ts';
import * as things from './things.ts';

export interface ReadRow {
  readonly tool: string;
  /** The input, and a text that the answer must show. */
  ask(bed: MeshBed): Promise<readonly [input: Input, shows: string]>;
}

const ofAcme = ({ acme }: MeshBed) => ({ organizationId: acme.id });

export const READS: readonly ReadRow[] = [
  { tool: 'COLLECTION_CONNECTIONS_LIST', ask: async (bed) => [{}, await things.newConnection(bed)] },
  { tool: 'COLLECTION_CONNECTIONS_GET', ask: byId(things.newConnection) },
  { tool: 'CONNECTION_TEST', ask: byId(things.newConnection) },
  { tool: 'COLLECTION_VIRTUAL_MCP_LIST', ask: async (bed) => [{}, await things.newVirtualMcp(bed)] },
  { tool: 'COLLECTION_VIRTUAL_MCP_GET', ask: byId(things.newVirtualMcp) },
  {
    tool: 'COLLECTION_VIRTUAL_TOOLS_LIST',
    ask: async (bed) => {
      const { virtual_mcp_id, name } = await things.newVirtualTool(bed);
      return [{ virtual_mcp_id }, name];
    },
  },
  {
    tool: 'COLLECTION_VIRTUAL_TOOLS_GET',
    ask: async (bed) => {
      const place = await things.newVirtualTool(bed);
      return [place, place.name];
    },
  },
  { tool: 'COLLECTION_THREADS_LIST', ask: async (bed) => [{}, await things.newThread(bed)] },
  { tool: 'COLLECTION_THREADS_GET', ask: byId(things.newThread) },
  {
    tool: 'COLLECTION_THREAD_MESSAGES_LIST',
    ask: async (bed) => {
      const threadId = await things.newThread(bed);
      const id = things.mark();
      const messages = [{ id, role: 'user' as const, parts: [{ type: 'text', text: 'Hello' }] }];
      await bed.services.threads.saveMessages(bed.acme.owner.caller, { threadId, messages });
      return [{ where: { field: ['thread_id'], operator: 'eq', value: threadId } }, id];
    },
  },
  { tool: 'ORGANIZATION_LIST', ask: async ({ acme }) => [{}, acme.id] },
  { tool: 'ORGANIZATION_GET', ask: async ({ acme }) => [{}, acme.member.userId] },
  { tool: 'ORGANIZATION_SETTINGS_GET', ask: async ({ acme }) => [{}, acme.id] },
  { tool: 'ORGANIZATION_MEMBER_LIST', ask: async ({ acme }) => [{}, acme.member.memberId] },
  { tool: 'PROJECT_LIST', ask: async (bed) => [ofAcme(bed), await things.newProject(bed)] },
  {
    tool: 'PROJECT_GET',
    ask: async (bed) => {
      const projectId = await things.newProject(bed);
      return [{ ...ofAcme(bed), projectId }, projectId];
    },
  },
  {
    tool: 'PROJECT_PLUGIN_CONFIG_GET',
    ask: async (bed) => {
      const place = { projectId: await things.newProject(bed), pluginId: 'mail' };
      const settings = { host: things.mark() };
      await bed.call(bed.acme.owner.caller, 'PROJECT_PLUGIN_CONFIG_UPDATE', { ...place, settings });
      return [place, settings.host];
    },
  },
  { tool: 'API_KEY_LIST', ask: async (bed) => [{}, await things.newKey(bed)] },
  { tool: 'MONITORING_LOGS_LIST', ask: async (bed) => [{}, await things.newRecord(bed)] },
  {
    tool: 'MONITORING_STATS',
    ask: async (bed) => {
      await things.newRecord(bed);
      return [{}, '"totalCalls":'];
    },
  },
  { tool: 'MONITORING_DASHBOARD_LIST', ask: async (bed) => [{}, await things.newDashboard(bed)] },
  { tool: 'MONITORING_DASHBOARD_GET', ask: byId(things.newDashboard) },
  {
    tool: 'MONITORING_DASHBOARD_QUERY',
    ask: async (bed) => {
      await things.newRecord(bed);
      return [{ dashboardId: await things.newDashboard(bed) }, '"widgetId":"w"'];
    },
  },
  {
    tool: 'MONITORING_WIDGET_PREVIEW',
    ask: async (bed) => {
      await things.newRecord(bed);
      return [{ widget: things.widget() }, '"matchedRecords":'];
    },
  },
  { tool: 'TAGS_LIST', ask: async (bed) => [{}, await things.newTag(bed)] },
  {
    tool: 'MEMBER_TAGS_GET',
    ask: async (bed) => {
      const tagId = await things.newTag(bed);
      const { memberId } = bed.acme.colleague;
      await bed.call(bed.acme.owner.caller, 'MEMBER_TAGS_SET', { memberId, tagIds: [tagId] });
      return [{ memberId }, tagId];
    },
  },
  { tool: 'EVENT_SUBSCRIPTION_LIST', ask: async (bed) => [{}, await things.newSubscription(bed)] },
  { tool: 'USER_GET', ask: async ({ acme }) => [{ id: acme.member.userId }, acme.member.email] },
  { tool: 'CODE_EXECUTION_SEARCH_TOOLS', ask: async () => [{ query: 'alpha' }, 'ALPHA'] },
  { tool: 'CODE_EXECUTION_DESCRIBE_TOOLS', ask: async () => [{ tools: ['ALPHA'] }, 'Does ALPHA.'] },
];

/** By the id of a new thing, which the answer repeats. */
function byId(make: (bed: MeshBed) => Promise<string>): ReadRow['ask'] {
  return async (bed) => {
    const id = await make(bed);
    return [{ id }, id];
  };
}
