/** Things of one organization, and a call of every tool that names them, for whoever is of another one. */
import { AGENT_SAMPLES, makeAgentWorld } from './deny-agents.ts';
import type { DenyBed } from './deny-bed.ts';
import { openPage, tokenOf } from './annotations-page.ts';

/** Ids by what they are of. */
export type World = Readonly<Record<string, string>>;

const WIDGET = {
  id: 'calls',
  name: 'Acme calls',
  type: 'metric',
  source: { path: '$.id', from: 'input' },
  aggregation: { fn: 'count' },
};

/** Makes one thing of each kind in the first organization, as its owner. */
export async function makeWorld(bed: DenyBed): Promise<World> {
  const { app, url, keys, organizationId } = bed;
  // oxlint-disable-next-line typescript/no-explicit-any -- outputs of every shape
  const made = async (name: string, args: Record<string, unknown>): Promise<any> => {
    const { body, text } = await bed.call(bed.all, name, args);
    if (body.result?.structuredContent === undefined || body.result.isError === true)
      throw new Error(`${name}: ${text}`);
    return body.result.structuredContent;
  };
  const notices = await app.noticesAt(url);
  const tag = notices.map(({ json }) => json?.['overlayTag']).find((each) => each !== undefined);
  const page = await openPage(url, tokenOf(String(tag)));
  const note = await page.annotate('Acme note');
  const tokens = await made('list_page_tokens', {});
  page.close();
  await page.closed;
  const connection = await made('COLLECTION_CONNECTIONS_CREATE', {
    // The egress guard refuses it at once.
    data: { title: 'Acme upstream', connection_type: 'HTTP', connection_url: 'http://127.0.0.1:9/mcp' },
  });
  const virtual = await made('COLLECTION_VIRTUAL_MCP_CREATE', {
    data: { title: 'Acme virtual', connections: [{ connection_id: connection.item.id }] },
  });
  await made('COLLECTION_VIRTUAL_TOOLS_CREATE', {
    virtual_mcp_id: virtual.item.id,
    data: { name: 'acme_tool', inputSchema: { type: 'object' }, code: 'export default () => 1' },
  });
  const thread = await made('COLLECTION_THREADS_CREATE', { data: { title: 'Acme thread' } });
  const project = await made('PROJECT_CREATE', { organizationId, slug: 'acme', name: 'Acme project' });
  const plugin = { projectId: project.project.id, pluginId: 'plug' };
  await made('PROJECT_PLUGIN_CONFIG_UPDATE', { ...plugin, settings: { acme: 1 } });
  const { tag: label } = await made('TAGS_CREATE', { name: 'Acme tag' });
  const key = await made('API_KEY_CREATE', { name: 'Acme key', permissions: { self: ['TAGS_LIST'] } });
  const spare = await made('API_KEY_CREATE', { name: 'Acme spare', permissions: { self: ['TAGS_LIST'] } });
  const { members } = await made('ORGANIZATION_MEMBER_LIST', {});
  const dashboard = await made('MONITORING_DASHBOARD_CREATE', { name: 'Acme', widgets: [WIDGET] });
  const { subscription } = await made('EVENT_SUBSCRIBE', { eventType: 'acme.*' });
  const event = await made('EVENT_PUBLISH', { type: 'acme.made' });
  const scheduled = await made('EVENT_PUBLISH', { type: 'acme.later', deliverAt: '2099-01-01T00:00:00Z' });
  const task = await made('start_long_running_task', { steps: 1, delayMs: 100, enableSampling: false });
  const deliveries = await fetch(`${url}/api/organizations/${organizationId}/deliveries`, {
    headers: { authorization: `Bearer ${keys.owner}` },
  });
  const { data } = (await deliveries.json()) as { data: { deliveries: { id: string }[] } };
  const own = app.host.identity;
  const founder = await own.authenticate(bed.all, 'key');
  if (founder === undefined) throw new Error('The key of the owner is not valid.');
  await own.roles.save(founder, { name: 'acme-role', grants: { self: ['TAGS_LIST'] } });
  const invited = await own.invitations.create(founder, { email: 'acme-guest@acme.example' });
  // Named by its number, so nothing is looked up or sent.
  const hook = await app.host.events.webhooks.create(organizationId, {
    url: 'https://1.1.1.1/acme',
    events: ['acme.never'],
  });
  await app.host.store.records.flush();
  const [call] = await app.host.store.records.list({ organizationId, limit: 1 });
  return {
    ...(await makeAgentWorld(bed, { project: project.project.id })),
    organization: organizationId,
    session: page.ready.session.id,
    note,
    pageToken: tokens.pageTokens[0].id,
    connection: connection.item.id,
    virtual: virtual.item.id,
    tool: 'acme_tool',
    thread: thread.item.id,
    project: project.project.id,
    tag: label.id,
    key: key.id,
    spareKey: spare.id,
    member: members.at(-1).id,
    user: members.at(-1).userId,
    dashboard: dashboard.dashboard.id,
    subscription: subscription.id,
    event: event.id,
    scheduled: scheduled.id,
    task: task.taskId,
    delivery: data.deliveries[0]?.id ?? '',
    webhook: hook.webhook.id,
    invitation: invited.invitation.id,
    role: 'acme-role',
    call: String(call?.id ?? ''),
  };
}

/** Ids of the same form that nobody has. */
export function unknownWorld(world: World): World {
  const other = (id: string) => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
  return Object.fromEntries(Object.entries(world).map(([name, id]) => [name, other(id)]));
}

/** The value with ids in the place of `{names}`. */
export function fill<T>(value: T, world: World): T {
  const text = JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = world[name];
    if (id === undefined) throw new Error(`There is no ${name} in the world.`);
    return id;
  });
  return JSON.parse(text) as T;
}

const NAMED = { id: '{virtual}', data: { connections: [{ connection_id: '{connection}' }] } };
const TOOL = { virtual_mcp_id: '{virtual}', name: '{tool}' };
const PLUGIN = { projectId: '{project}', pluginId: 'plug' };

/** A call of each tool that is not of feedback. */
export const SAMPLES: Readonly<Record<string, Record<string, unknown>>> = {
  list_sessions: {},
  get_session: { id: '{session}' },
  get_pending: { sessionId: '{session}' },
  get_all_pending: {},
  get_mine: {},
  acknowledge: { id: '{note}' },
  resolve: { id: '{note}', summary: 'Done' },
  dismiss: { id: '{note}', reason: 'No' },
  reply: { id: '{note}', message: 'Hello' },
  propose_diff: { id: '{note}', diff: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n' },
  watch_diff_response: { id: '{note}', timeoutMs: 0 },
  watch_annotations: { sessionId: '{session}', timeoutMs: 0 },
  list_page_tokens: {},
  update_page_token: { id: '{pageToken}', origins: [] },
  revoke_page_token: { id: '{pageToken}' },
  start_long_running_task: { steps: 1, delayMs: 100, enableSampling: false },
  get_task: { taskId: '{task}' },
  list_tasks: {},
  cancel_task: { taskId: '{task}' },
  ...AGENT_SAMPLES,
  parley_whoami: {},
  parley_explain: { caller: '{key}', tool: 'TAGS_LIST' },
  COLLECTION_CONNECTIONS_LIST: {},
  COLLECTION_CONNECTIONS_GET: { id: '{connection}' },
  COLLECTION_CONNECTIONS_CREATE: {
    data: { title: 'Mine', connection_type: 'VIRTUAL', connection_url: 'virtual://{virtual}' },
  },
  COLLECTION_CONNECTIONS_UPDATE: { id: '{connection}', data: { title: 'Mine' } },
  COLLECTION_CONNECTIONS_DELETE: { id: '{connection}', force: true },
  CONNECTION_TEST: { id: '{connection}' },
  COLLECTION_VIRTUAL_MCP_LIST: { where: { field: ['connection_id'], operator: 'eq', value: '{connection}' } },
  COLLECTION_VIRTUAL_MCP_GET: { id: '{virtual}' },
  COLLECTION_VIRTUAL_MCP_CREATE: { data: { title: 'Mine', ...NAMED.data } },
  COLLECTION_VIRTUAL_MCP_UPDATE: NAMED,
  COLLECTION_VIRTUAL_MCP_DELETE: { id: '{virtual}' },
  COLLECTION_VIRTUAL_TOOLS_LIST: { virtual_mcp_id: '{virtual}' },
  COLLECTION_VIRTUAL_TOOLS_GET: TOOL,
  COLLECTION_VIRTUAL_TOOLS_CREATE: {
    virtual_mcp_id: '{virtual}',
    data: { name: 'mine', inputSchema: { type: 'object' }, code: 'export default () => 1' },
  },
  COLLECTION_VIRTUAL_TOOLS_UPDATE: { ...TOOL, data: { description: 'Mine' } },
  COLLECTION_VIRTUAL_TOOLS_DELETE: TOOL,
  COLLECTION_THREADS_LIST: {},
  COLLECTION_THREAD_MESSAGES_LIST: { where: { field: ['thread_id'], operator: 'eq', value: '{thread}' } },
  COLLECTION_THREADS_GET: { id: '{thread}' },
  COLLECTION_THREADS_CREATE: { data: { title: 'Mine' } },
  COLLECTION_THREADS_UPDATE: { id: '{thread}', data: { title: 'Mine' } },
  COLLECTION_THREADS_DELETE: { id: '{thread}' },
  ORGANIZATION_LIST: { userId: '{user}' },
  ORGANIZATION_GET: {},
  ORGANIZATION_CREATE: { slug: 'third', name: 'Third' },
  ORGANIZATION_UPDATE: { id: '{organization}', name: 'Mine' },
  ORGANIZATION_DELETE: { id: '{organization}' },
  ORGANIZATION_SETTINGS_GET: {},
  ORGANIZATION_SETTINGS_UPDATE: { organizationId: '{organization}', enabled_plugins: [] },
  ORGANIZATION_MEMBER_LIST: {},
  ORGANIZATION_MEMBER_ADD: { userId: '{user}', role: ['member'] },
  ORGANIZATION_MEMBER_UPDATE_ROLE: { memberId: '{member}', role: ['member'] },
  ORGANIZATION_MEMBER_REMOVE: { organizationId: '{organization}', memberIdOrEmail: '{member}' },
  PROJECT_LIST: { organizationId: '{organization}' },
  PROJECT_GET: { organizationId: '{organization}', projectId: '{project}' },
  PROJECT_CREATE: { organizationId: '{organization}', slug: 'mine', name: 'Mine' },
  PROJECT_UPDATE: { projectId: '{project}', name: 'Mine' },
  PROJECT_DELETE: { projectId: '{project}' },
  PROJECT_PLUGIN_CONFIG_GET: PLUGIN,
  PROJECT_PLUGIN_CONFIG_UPDATE: { ...PLUGIN, connectionId: '{connection}', settings: { a: 1 } },
  API_KEY_LIST: {},
  API_KEY_CREATE: { name: 'Mine', connectionId: '{connection}' },
  API_KEY_UPDATE: { keyId: '{key}', name: 'Mine' },
  API_KEY_DELETE: { keyId: '{key}' },
  MONITORING_LOGS_LIST: { limit: 1000 },
  MONITORING_STATS: {},
  MONITORING_DASHBOARD_LIST: {},
  MONITORING_DASHBOARD_GET: { id: '{dashboard}' },
  MONITORING_DASHBOARD_CREATE: { name: 'Mine', widgets: [{ ...WIDGET, name: 'Mine' }] },
  MONITORING_DASHBOARD_UPDATE: { id: '{dashboard}', name: 'Mine' },
  MONITORING_DASHBOARD_DELETE: { id: '{dashboard}' },
  MONITORING_DASHBOARD_QUERY: { dashboardId: '{dashboard}' },
  MONITORING_WIDGET_PREVIEW: { widget: { ...WIDGET, name: 'Mine' } },
  TAGS_LIST: {},
  TAGS_CREATE: { name: 'Mine' },
  TAGS_DELETE: { tagId: '{tag}' },
  MEMBER_TAGS_GET: { memberId: '{member}' },
  MEMBER_TAGS_SET: { memberId: '{member}', tagIds: ['{tag}'] },
  EVENT_PUBLISH: { type: 'mine.made' },
  EVENT_SUBSCRIBE: { eventType: 'mine.*', connectionId: '{connection}' },
  EVENT_UNSUBSCRIBE: { subscriptionId: '{subscription}' },
  EVENT_CANCEL: { eventId: '{scheduled}' },
  EVENT_ACK: { eventId: '{event}' },
  EVENT_SUBSCRIPTION_LIST: {},
  EVENT_SYNC_SUBSCRIPTIONS: { subscriptions: [], connectionId: '{connection}' },
  USER_GET: { id: '{user}' },
  DATABASES_RUN_SQL: { sql: 'select 1', connectionId: '{connection}' },
  CODE_EXECUTION_SEARCH_TOOLS: { query: 'acme' },
  CODE_EXECUTION_DESCRIBE_TOOLS: { tools: ['TAGS_LIST'] },
  CODE_EXECUTION_RUN_CODE: { code: 'export default async (tools) => Object.keys(tools).length' },
};

/** What the owner sees of the own organization: whatever others do, it stays the same. */
export const VIEWS = [
  'list_sessions',
  'get_all_pending',
  'list_tasks',
  'COLLECTION_CONNECTIONS_LIST',
  'COLLECTION_THREADS_LIST',
  'COLLECTION_VIRTUAL_TOOLS_LIST',
  'PROJECT_LIST',
  'PROJECT_PLUGIN_CONFIG_GET',
  'ORGANIZATION_GET',
  'ORGANIZATION_SETTINGS_GET',
  'ORGANIZATION_MEMBER_LIST',
  'API_KEY_LIST',
  'MONITORING_DASHBOARD_LIST',
  'TAGS_LIST',
  'MEMBER_TAGS_GET',
  'EVENT_SUBSCRIPTION_LIST',
];
