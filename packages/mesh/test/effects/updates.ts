/** Every `update` tool with a call that changes something; the same call again must change nothing more. */
import type { MeshBed } from '../mesh-bed.ts';
import type { Input } from './things.ts';
import * as things from './things.ts';

export interface UpdateRow {
  readonly tool: string;
  input(bed: MeshBed): Promise<Input>;
}

export const UPDATES: readonly UpdateRow[] = [
  {
    tool: 'COLLECTION_CONNECTIONS_UPDATE',
    input: async (bed) => ({
      id: await things.newConnection(bed),
      data: {
        title: 'Twice',
        connection_url: 'https://other.example/mcp?token=abc',
        connection_token: 'secret-token',
        configuration_state: { db: { name: 'main' } },
        configuration_scopes: ['db::READ'],
      },
    }),
  },
  {
    tool: 'COLLECTION_VIRTUAL_MCP_UPDATE',
    input: async (bed) => ({
      id: await things.newVirtualMcp(bed),
      data: { title: 'Twice', connections: [{ connection_id: await things.newConnection(bed) }] },
    }),
  },
  {
    tool: 'COLLECTION_VIRTUAL_TOOLS_UPDATE',
    // A rename: the second call finds the tool under its new name only.
    input: async (bed) => ({
      ...(await things.newVirtualTool(bed)),
      data: { name: things.mark(), description: 'Twice' },
    }),
  },
  {
    tool: 'COLLECTION_THREADS_UPDATE',
    input: async (bed) => ({ id: await things.newThread(bed), data: { title: 'Twice', hidden: true } }),
  },
  {
    tool: 'ORGANIZATION_UPDATE',
    input: async (bed) => ({
      id: await things.newOrganization(bed),
      name: 'Twice',
      slug: things.mark(),
      description: 'D',
    }),
  },
  {
    tool: 'ORGANIZATION_SETTINGS_UPDATE',
    input: async ({ acme }) => ({
      organizationId: acme.id,
      sidebar_items: [{ title: 'Docs', url: '/docs', icon: 'book' }],
      enabled_plugins: ['mail'],
    }),
  },
  {
    tool: 'ORGANIZATION_MEMBER_ADD',
    input: async (bed) => ({
      organizationId: await things.newOrganization(bed),
      userId: bed.acme.member.userId,
      role: ['member'],
    }),
  },
  {
    tool: 'ORGANIZATION_MEMBER_UPDATE_ROLE',
    input: async (bed) => ({ memberId: (await things.newMember(bed)).memberId, role: ['admin'] }),
  },
  {
    tool: 'PROJECT_UPDATE',
    input: async (bed) => ({
      projectId: await things.newProject(bed),
      name: 'Twice',
      enabledPlugins: ['mail'],
      ui: { themeColor: '#fff' },
    }),
  },
  {
    tool: 'PROJECT_PLUGIN_CONFIG_UPDATE',
    input: async (bed) => ({
      projectId: await things.newProject(bed),
      pluginId: 'mail',
      connectionId: await things.newConnection(bed),
      settings: { token: 'secret-token', host: 'mail.example' },
    }),
  },
  {
    tool: 'API_KEY_UPDATE',
    input: async (bed) => ({
      keyId: await things.newKey(bed),
      name: 'Twice',
      permissions: { self: ['TAGS_LIST'] },
      metadata: { team: 'web' },
    }),
  },
  {
    tool: 'MONITORING_DASHBOARD_UPDATE',
    input: async (bed) => ({
      id: await things.newDashboard(bed),
      name: 'Twice',
      filters: { toolNames: ['pay'] },
    }),
  },
  {
    tool: 'MEMBER_TAGS_SET',
    input: async (bed) => ({
      memberId: bed.acme.member.memberId,
      tagIds: [await things.newTag(bed), await things.newTag(bed)],
    }),
  },
  {
    tool: 'EVENT_SUBSCRIBE',
    input: async (bed) => ({
      eventType: `${things.mark()}.*`,
      filter: '$.data',
      publisher: await things.newConnection(bed),
    }),
  },
  {
    tool: 'EVENT_ACK',
    input: async (bed) => {
      const type = things.mark();
      await things.newSubscription(bed, type);
      return { eventId: (await bed.call(bed.acme.owner.caller, 'EVENT_PUBLISH', { type })).id };
    },
  },
];
