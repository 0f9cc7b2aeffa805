/** Agents of two organizations in the deny table: what theirs is, and calls of tools and routes that name it. */
import { detach } from '@parley/kit';
import type { DenyBed } from './deny-bed.ts';
import type { World } from './deny-samples.ts';

/** Two agents of an organization; the first may do everything. */
export interface TableAgents {
  readonly id: string;
  readonly key: string;
  readonly account: string;
  readonly colleague: { readonly id: string; readonly key: string };
}

/** Asks a route as somebody, and gives what it answers; anything but success throws. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
async function asked(url: string, key: string, route: string, body?: unknown): Promise<any> {
  const [method = '', path = ''] = route.split(' ');
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${route}: ${text}`);
  return text === '' ? undefined : JSON.parse(text).data;
}

/** Makes two agents as the owner of an organization. */
export async function makeAgents(url: string, owner: string, names: readonly string[]): Promise<TableAgents> {
  const first = await asked(url, owner, 'POST /api/agents', { name: 'First agent', tools: names });
  const second = await asked(url, owner, 'POST /api/agents', { name: 'Second agent', tools: names });
  const { id, key } = second;
  return { id: first.id, key: first.key, account: first.account_id, colleague: { id, key } };
}

/** The key of a new agent with the default set. */
export async function keyOfAgent(url: string, maker: string, name: string): Promise<string> {
  return (await asked(url, maker, 'POST /api/agents', { name })).key;
}

const GRAPH = {
  nodes: [
    { id: 'a', type: 'start', label: 'Start' },
    { id: 'b', type: 'end', label: 'End' },
  ],
  edges: [{ id: 'e', sourceNodeId: 'a', targetNodeId: 'b' }],
};

/** Makes one thing of each kind that the first agent of this organization has. */
export async function makeAgentWorld(bed: DenyBed, { project = '' }: World): Promise<World> {
  const { url, keys, agents } = bed;
  // oxlint-disable-next-line typescript/no-explicit-any -- outputs of every shape
  const made = async (key: string, name: string, args: Record<string, unknown>): Promise<any> => {
    const { body, text } = await bed.call(key, name, args);
    if (body.result?.structuredContent === undefined || body.result.isError === true)
      throw new Error(`${name}: ${text}`);
    return body.result.structuredContent;
  };
  const own = (name: string, args: Record<string, unknown>) => made(agents.key, name, args);
  await asked(url, keys.owner, `PUT /api/agents/${agents.id}/projects/${project}`);
  const bundle = await asked(url, keys.owner, 'POST /api/skill-bundles', { name: 'Acme bundle' });
  const given = { bundle_id: bundle.id };
  await asked(url, keys.owner, `POST /api/agents/${agents.id}/skills`, given);
  await asked(url, keys.owner, `POST /api/projects/${project}/skills`, given);
  const sent = { to_agent: agents.id, message: 'Acme message' };
  const message = await made(agents.colleague.key, 'corvid_send_message', sent);
  await own('corvid_save_memory', { key: 'acme_memory', content: 'Acme content' });
  await own('corvid_notify_owner', { message: 'Acme notification' });
  const schedule = await own('corvid_manage_schedule', {
    action: 'create',
    name: 'Acme schedule',
    interval_minutes: 60,
    schedule_actions: [{ type: 'memory_maintenance' }],
    approval_policy: 'council_approve',
  });
  const due = await own('corvid_manage_schedule', { action: 'run_now', schedule_id: schedule.id });
  const drawn = { action: 'create', name: 'Acme workflow', ...GRAPH };
  const workflow = await own('corvid_manage_workflow', drawn);
  const question = { question: 'Acme question?', timeout_minutes: 10 };
  // It waits until somebody answers, or the server ends: then nobody waits for it any more.
  detach(bed.call(agents.key, 'corvid_ask_owner', question), () => undefined);
  return {
    agent: agents.id,
    account: agents.account,
    bundle: bundle.id,
    message: message.message_id,
    schedule: schedule.id,
    execution: due.execution_id,
    workflow: workflow.id,
    question: await firstQuestion(url, keys.owner),
  };
}

async function firstQuestion(url: string, owner: string): Promise<string> {
  for (;;) {
    const { questions } = await asked(url, owner, 'GET /api/questions');
    if (questions.length > 0) return questions[0].id;
  }
}

const PULL = { repo: 'acme/x', pr_number: 1 };
const WRITTEN = { title: 'Mine', body: 'Mine' };

/** A call of each tool of agents. */
export const AGENT_SAMPLES: Readonly<Record<string, Record<string, unknown>>> = {
  corvid_send_message: { to_agent: '{agent}', message: 'Mine', wait_seconds: 0 },
  corvid_list_agents: {},
  corvid_list_projects: {},
  corvid_save_memory: { key: 'mine', content: 'Mine' },
  corvid_recall_memory: { query: 'acme' },
  corvid_extend_timeout: { minutes: 1 },
  corvid_check_credits: { wallet_address: '{account}' },
  corvid_grant_credits: { wallet_address: '{account}', amount: 1 },
  corvid_credit_config: {},
  corvid_create_work_task: { description: 'Mine', project_id: '{project}' },
  corvid_manage_schedule: { action: 'pause', schedule_id: '{schedule}' },
  corvid_manage_workflow: { action: 'activate', workflow_id: '{workflow}' },
  corvid_web_search: { query: 'mine' },
  corvid_deep_research: { topic: 'mine' },
  corvid_discover_agent: { url: 'http://127.0.0.1:9' },
  corvid_invoke_remote_agent: { agent_url: 'http://127.0.0.1:9', message: 'Mine' },
  corvid_notify_owner: { message: 'Mine' },
  // A question that is asked waits for its answer, so this one is refused; its tests ask.
  corvid_ask_owner: { question: 'Mine?', options: [] },
  corvid_configure_notifications: { action: 'list' },
  corvid_github_star_repo: { repo: 'acme/x' },
  corvid_github_unstar_repo: { repo: 'acme/x' },
  corvid_github_fork_repo: { repo: 'acme/x' },
  corvid_github_list_prs: { repo: 'acme/x' },
  corvid_github_create_pr: { repo: 'acme/x', ...WRITTEN, head: 'mine' },
  corvid_github_review_pr: { ...PULL, event: 'COMMENT', body: 'Mine' },
  corvid_github_create_issue: { repo: 'acme/x', ...WRITTEN },
  corvid_github_list_issues: { repo: 'acme/x' },
  corvid_github_repo_info: { repo: 'acme/x' },
  corvid_github_get_pr_diff: PULL,
  corvid_github_comment_on_pr: { ...PULL, body: 'Mine' },
  corvid_github_follow_user: { username: 'acme' },
  corvid_check_reputation: { agent_id: '{agent}' },
  corvid_check_health_trends: { project_id: '{project}' },
  corvid_publish_attestation: { agent_id: '{agent}' },
  corvid_verify_agent_reputation: { wallet_address: '{account}' },
  corvid_code_symbols: { query: 'mine', project_dir: '{project}' },
  corvid_find_references: { symbol_name: 'mine', project_dir: '{project}' },
};

/** Ids in the paths of routes, by how these begin. */
export const ROUTE_IDS: Readonly<Record<string, World>> = {
  '/api/annotations/page-tokens/': { id: '{pageToken}' },
  '/api/annotations/': { id: '{note}' },
  '/api/tasks/': { id: '{task}' },
  '/api/agents/': {
    id: '{agent}',
    bundleId: '{bundle}',
    projectId: '{project}',
    messageId: '{message}',
    scheduleId: '{schedule}',
    workflowId: '{workflow}',
    type: 'webhook',
  },
  '/api/skill-bundles/': { id: '{bundle}' },
  '/api/projects/': { id: '{project}', bundleId: '{bundle}' },
  '/api/executions/': { id: '{execution}' },
  '/api/questions/': { id: '{question}' },
  '/api/connections/': { id: '{connection}' },
  '/api/organizations/': {
    orgId: '{organization}',
    id: '{delivery}',
    eventId: '{event}',
    webhookId: '{webhook}',
    invitationId: '{invitation}',
    roleName: '{role}',
    keyId: '{spareKey}',
  },
  '/api/calls/': { callId: '{call}' },
  '/api/virtual-mcps/': { id: '{virtual}' },
};

/** Bodies that are complete, for routes that look at them before they look for what is named. */
export const ROUTE_BODIES: Readonly<Record<string, unknown>> = {
  'POST /api/tasks/:id/answer': { inputResponses: {} },
  'PUT /api/annotations/page-tokens/:id': { origins: [] },
  'POST /api/annotations/:id/replies': { message: 'Mine' },
  'POST /api/annotations/:id/diff': { response: 'approved', revision: 1 },
  'POST /api/connections/:id/definitions/approve': { definitions: [{ tool: 'x', hash: '0'.repeat(64) }] },
  'POST /api/organizations/:orgId/webhooks': { url: 'https://1.1.1.1/', events: ['*'] },
  'PATCH /api/organizations/:orgId/webhooks/:webhookId': { enabled: false },
  'POST /api/organizations/:orgId/invitations': { email: 'mine@example.com' },
  'PUT /api/organizations/:orgId/roles/:roleName': { grants: {} },
  'PUT /api/organizations/:orgId/appearance': { accent: '#112233' },
  'PATCH /api/agents/:id': { description: 'Mine' },
  'POST /api/agents/:id/skills': { bundle_id: '{bundle}' },
  'PUT /api/connections/:id/token': { token: 'mine' },
  'POST /api/virtual-mcps/:id/try': { code: 'export default () => 1', inputSchema: {} },
  'PUT /api/agents/:id/channels/:type': { config: { url: 'https://hook.example.com/' } },
  'POST /api/agents/:id/reviews': { rating: 1 },
  'PUT /api/agents/:id/memories': { key: 'tea', content: 'Green.' },
  'POST /api/agents/:id/memories/forget': { key: 'tea' },
  'POST /api/agents/:id/credits': { amount: 1 },
  'POST /api/agents/:id/inbox/:messageId/reply': { text: 'Mine' },
  'POST /api/agents/:id/work/:taskId/reply': { claim: 'mine', text: 'Mine' },
  'POST /api/agents/:id/work/:taskId/fail': { claim: 'mine', error: 'Mine' },
  'POST /api/projects/:id/skills': { bundle_id: '{bundle}' },
  'PUT /api/projects/:id/code': { folder: '/tmp' },
  'PUT /api/skill-bundles/:id': { description: 'Mine' },
  'POST /api/questions/:id/answer': { answer: 'Mine' },
  'POST /api/plugins/:name/grant': { capability: 'db:read' },
  'POST /api/plugins/:name/revoke': { capability: 'db:read' },
};

/** What the owner sees of the agents. */
export const AGENT_VIEWS = [
  '/api/agents',
  '/api/agents/{agent}/skills',
  '/api/agents/{agent}/keys',
  '/api/agents/{agent}/inbox',
  '/api/agents/{agent}/tools',
  '/api/agents/{agent}/schedules',
  '/api/agents/{agent}/workflows',
  '/api/agents/{agent}/memories',
  '/api/projects/{project}/skills',
  '/api/skill-bundles',
  '/api/executions',
  '/api/notifications',
  '/api/questions',
];
