/** Things of the organization `acme`, made anew for every row of the tables on effects, by its owner. */
import type { MeshBed } from '../mesh-bed.ts';
import { joinOrganization } from '@parley/identity/testing';

export type Input = Record<string, unknown>;

let made = 0;

/** A word that no other thing has. */
export function mark(): string {
  return `thing-${(made += 1)}`;
}

// oxlint-disable-next-line typescript/no-explicit-any -- outputs of every shape
function byOwner(bed: MeshBed, tool: string, input: Input): Promise<any> {
  return bed.call(bed.acme.owner.caller, tool, input);
}

export const web = () => ({
  title: mark(),
  connection_type: 'HTTP',
  connection_url: 'https://upstream.example/mcp',
});
export const code = () => ({ name: mark(), inputSchema: { type: 'object' }, code: 'export default () => 1' });
export const widget = () => ({
  id: 'w',
  name: 'Total',
  type: 'metric',
  source: { path: '$.total', from: 'output' },
  aggregation: { fn: 'count' },
});

export async function newConnection(bed: MeshBed): Promise<string> {
  return (await byOwner(bed, 'COLLECTION_CONNECTIONS_CREATE', { data: web() })).item.id;
}

export async function newVirtualMcp(bed: MeshBed): Promise<string> {
  const data = { title: mark(), connections: [{ connection_id: await newConnection(bed) }] };
  return (await byOwner(bed, 'COLLECTION_VIRTUAL_MCP_CREATE', { data })).item.id;
}

/** Where a new virtual tool is. */
export async function newVirtualTool(bed: MeshBed): Promise<{ virtual_mcp_id: string; name: string }> {
  const place = { virtual_mcp_id: await newVirtualMcp(bed) };
  const { item } = await byOwner(bed, 'COLLECTION_VIRTUAL_TOOLS_CREATE', { ...place, data: code() });
  return { ...place, name: item.name };
}

export async function newThread(bed: MeshBed): Promise<string> {
  return (await byOwner(bed, 'COLLECTION_THREADS_CREATE', { data: { title: mark() } })).item.id;
}

export async function newOrganization(bed: MeshBed): Promise<string> {
  return (await byOwner(bed, 'ORGANIZATION_CREATE', { slug: mark(), name: 'Second' })).id;
}

export async function newMember(bed: MeshBed): Promise<{ memberId: string; email: string }> {
  const email = `${mark()}@acme.example`;
  return joinOrganization(bed.identity, bed.acme, { name: 'New', email, roles: ['member'] });
}

export async function newProject(bed: MeshBed): Promise<string> {
  const input = { organizationId: bed.acme.id, slug: mark(), name: 'Site' };
  return (await byOwner(bed, 'PROJECT_CREATE', input)).project.id;
}

export async function newKey(bed: MeshBed): Promise<string> {
  return (await byOwner(bed, 'API_KEY_CREATE', { name: mark() })).id;
}

export async function newDashboard(bed: MeshBed): Promise<string> {
  const input = { name: mark(), widgets: [widget()] };
  return (await byOwner(bed, 'MONITORING_DASHBOARD_CREATE', input)).dashboard.id;
}

export async function newTag(bed: MeshBed): Promise<string> {
  return (await byOwner(bed, 'TAGS_CREATE', { name: mark() })).tag.id;
}

export async function newSubscription(bed: MeshBed, eventType = mark()): Promise<string> {
  return (await byOwner(bed, 'EVENT_SUBSCRIBE', { eventType })).subscription.id;
}

/** The name of a tool that a call is on record of. */
export async function newRecord({ store, acme, clock }: MeshBed): Promise<string> {
  const tool = mark();
  store.records.append({
    at: clock.nowMs,
    organizationId: acme.id,
    callerId: acme.owner.caller.id,
    userId: acme.owner.userId,
    source: 'key',
    toolset: 'conn_x',
    tool,
    method: 'tools/call',
    effect: 'run',
    outcome: 'ok',
    code: null,
    durationUs: 1,
    era: 'modern',
    client: null,
    requestId: null,
  });
  await store.records.flush();
  return tool;
}
