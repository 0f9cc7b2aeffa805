/** Every `delete` tool with a call that takes something away; the same call again must find nothing, and succeed. */
import type { MeshBed } from '../mesh-bed.ts';
import type { Input } from './things.ts';
import * as things from './things.ts';

export interface DeleteRow {
  readonly tool: string;
  input(bed: MeshBed): Promise<Input>;
  /** The field that tells whether there was something; a sync counts instead. */
  readonly marker: 'deleted' | 'removed' | 'cancelled' | 'counts';
}

export const DELETES: readonly DeleteRow[] = [
  {
    tool: 'COLLECTION_CONNECTIONS_DELETE',
    input: async (bed) => ({ id: await things.newConnection(bed) }),
    marker: 'deleted',
  },
  {
    tool: 'COLLECTION_VIRTUAL_MCP_DELETE',
    input: async (bed) => ({ id: await things.newVirtualMcp(bed) }),
    marker: 'deleted',
  },
  { tool: 'COLLECTION_VIRTUAL_TOOLS_DELETE', input: things.newVirtualTool, marker: 'deleted' },
  {
    tool: 'COLLECTION_THREADS_DELETE',
    input: async (bed) => ({ id: await things.newThread(bed) }),
    marker: 'deleted',
  },
  {
    tool: 'ORGANIZATION_DELETE',
    input: async (bed) => ({ id: await things.newOrganization(bed) }),
    marker: 'deleted',
  },
  {
    tool: 'ORGANIZATION_MEMBER_REMOVE',
    input: async (bed) => ({ memberIdOrEmail: (await things.newMember(bed)).email }),
    marker: 'removed',
  },
  {
    tool: 'PROJECT_DELETE',
    input: async (bed) => ({ projectId: await things.newProject(bed) }),
    marker: 'deleted',
  },
  {
    tool: 'API_KEY_DELETE',
    input: async (bed) => ({ keyId: await things.newKey(bed) }),
    marker: 'deleted',
  },
  {
    tool: 'MONITORING_DASHBOARD_DELETE',
    input: async (bed) => ({ id: await things.newDashboard(bed) }),
    marker: 'deleted',
  },
  { tool: 'TAGS_DELETE', input: async (bed) => ({ tagId: await things.newTag(bed) }), marker: 'deleted' },
  {
    tool: 'EVENT_UNSUBSCRIBE',
    input: async (bed) => ({ subscriptionId: await things.newSubscription(bed) }),
    marker: 'removed',
  },
  {
    tool: 'EVENT_CANCEL',
    input: async (bed) => {
      const later = { type: things.mark(), cron: '0 9 * * *' };
      return { eventId: (await bed.call(bed.acme.owner.caller, 'EVENT_PUBLISH', later)).id };
    },
    marker: 'cancelled',
  },
  {
    tool: 'EVENT_SYNC_SUBSCRIPTIONS',
    input: async (bed) => {
      const connectionId = await things.newConnection(bed);
      const old = { connectionId, eventType: 'old' };
      await bed.call(bed.acme.owner.caller, 'EVENT_SUBSCRIBE', old);
      return { connectionId, subscriptions: [{ eventType: 'new' }] };
    },
    marker: 'counts',
  },
];
