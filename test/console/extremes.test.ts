/** The console with nothing at all, with words that mean harm in every field, and with very many of everything. */
import { detach } from '@parley/kit';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../e2e/chromium.ts';
import { openPage, tokenOf } from '../product/annotations-page.ts';
import type { ConsoleBed, Tab } from './console-bed.ts';
import { keepPicture, openConsole, settled } from './console-bed.ts';
import { fillConsole } from './many-rows.ts';

const LONG_MS = 180_000;
/** The bench measures with a hundred thousand. */
const MANY = 3_000;
const HOSTILE = '<img src=x onerror="window.hit=1"> \u202Ethe end';
/** Each with a heading that says that there is nothing yet; the first before a screen has called a tool. */
const EMPTY = [
  '/monitoring/calls',
  '/annotations',
  '/feedback/inbox',
  '/feedback/boards',
  '/feedback/roadmap',
  '/feedback/changelog',
  '/tasks',
  '/agents',
  '/virtual-mcps',
  '/events/webhooks',
  '/events/subscriptions',
  '/events/schedules',
  '/events/deliveries',
  '/monitoring/errors',
  '/monitoring/dashboards',
  '/organization/roles',
];

describeInBrowser('extremes', () => {
  let bed: ConsoleBed;
  let tab: Tab;
  const refused: string[] = [];

  beforeAll(async () => {
    bed = await openConsole(['--allow-egress', '127.0.0.1']);
    tab = await bed.open();
    tab.page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
  }, LONG_MS);
  afterAll(() => bed[Symbol.asyncDispose]());

  test(
    'an organization with nothing says on every screen what to do first',
    { timeout: LONG_MS },
    async () => {
      const wrong: string[] = [];
      for (const path of EMPTY) {
        await tab.go(path);
        const title = tab.page.locator('main .state-title').first();
        await title.waitFor({ state: 'visible' }).catch(() => wrong.push(path));
        await keepPicture(tab.page, `empty${path.replaceAll('/', '-')}`);
      }
      expect([wrong, refused, tab.faults]).toEqual([[], [], []]);
    },
  );

  test('words that mean harm stay words, in every field that is shown', { timeout: LONG_MS }, async () => {
    await using upstream = await startUpstream({
      era: '2026',
      tools: [{ ...plainTool('harm'), title: HOSTILE, description: HOSTILE }],
    });
    const owner = await bed.server.signedIn();
    const { organization } = (await owner.ask('GET /api/session')).body.data;
    await owner.ask('PUT /api/account', { body: { name: HOSTILE } });
    const { tag } = (await owner.ask('GET /api/annotations/page-tokens/tag')).body.data;
    const page = await openPage(bed.server.url, tokenOf(tag));
    const noteId = await page.annotate(HOSTILE);
    await owner.ask(`POST /api/annotations/${noteId}/replies`, { body: { message: HOSTILE } });
    page.close();
    const data = {
      title: HOSTILE,
      description: HOSTILE,
      connection_type: 'HTTP',
      connection_url: upstream.url,
    };
    const made = await owner.call('self', 'COLLECTION_CONNECTIONS_CREATE', { data });
    const virtual = await owner.call('self', 'COLLECTION_VIRTUAL_MCP_CREATE', {
      data: { title: HOSTILE, description: HOSTILE, connections: [{ connection_id: made.item.id }] },
    });
    await owner.call('self', 'API_KEY_CREATE', { name: HOSTILE, permissions: { self: ['TAGS_LIST'] } });
    const project = { organizationId: organization.id, slug: 'harm', name: HOSTILE, description: HOSTILE };
    await owner.call('self', 'PROJECT_CREATE', project);
    await owner.call('self', 'ORGANIZATION_UPDATE', {
      id: organization.id,
      name: HOSTILE,
      description: HOSTILE,
    });
    const event = { type: 'harm.done', subject: HOSTILE, data: { text: HOSTILE } };
    await owner.call('self', 'EVENT_PUBLISH', event);
    await owner.call('self', 'TAGS_CREATE', { name: HOSTILE });
    const more = await seedHarm(bed, { organizationId: organization.id, virtualId: virtual.item.id });
    // A call that fails with it, and one that is recorded with it.
    await owner.ask(`POST /api/call/${made.item.id}/harm`, { body: { arguments: { text: HOSTILE } } });
    const places = [
      '/',
      '/annotations',
      `/annotations/${noteId}`,
      '/connections',
      `/connections/${made.item.id}`,
      `/connections/${made.item.id}/tools`,
      `/connections/${made.item.id}/settings`,
      '/virtual-mcps',
      `/virtual-mcps/${virtual.item.id}`,
      '/tools',
      `/tools/${encodeURIComponent(`${made.item.id}:harm`)}`,
      '/events/stream',
      '/monitoring/calls',
      '/monitoring/rates',
      '/organization/members',
      '/organization/keys',
      '/organization/projects',
      '/organization/settings',
      '/organization/sessions',
      '/organization/audit',
      '/organization/access',
      ...more,
    ];
    for (const path of places) {
      await tab.go(path);
      const { hit, pictures } = await tab.page.evaluate(() => ({
        hit: 'hit' in window,
        pictures: document.querySelectorAll('img[src="x"]').length,
      }));
      expect([path, hit, pictures]).toEqual([path, false, 0]);
    }
    await tab.page.keyboard.press('Control+k');
    await tab.page.keyboard.type('img');
    await tab.page.locator('.palette-item').first().waitFor();
    expect(await tab.page.evaluate(() => 'hit' in window)).toBe(false);
    await tab.page.keyboard.press('Escape');
    expect(tab.faults).toEqual([]);
  });

  test(
    'very many of everything: a screen holds what is seen, the rest comes as one goes on',
    { timeout: LONG_MS },
    async () => {
      await (await bed.server.signedIn()).ask('POST /api/v1/boards', { body: { name: 'Many' } });
      await fillConsole(bed.server, MANY);
      const lists: Readonly<Record<string, string>> = {
        '/annotations': 'Annotations',
        '/feedback/inbox': 'Inbox',
        '/tasks': 'Tasks',
        '/events/stream': 'Events',
        '/monitoring/calls?time=7d': 'Calls',
        '/organization/members': 'Members',
        '/organization/keys': 'Keys',
      };
      for (const path of Object.keys(lists)) {
        await tab.go(path);
        const rows = () =>
          tab.page.evaluate(
            () => Number(document.querySelector('[role="table"]')?.getAttribute('aria-rowcount')) - 1,
          );
        await expect.poll(rows).toBeGreaterThan(90);
        const before = await rows();
        // To the end again and again, until a list of pages has grown past what is drawn at once.
        for (let jump = 0; jump < 40 && (await rows()) < 400; jump += 1)
          await tab.page.evaluate(async () => {
            const box = document.querySelector('.table-scroll');
            if (box) box.scrollTop = box.scrollHeight;
            await new Promise((resolve) => setTimeout(resolve, 50));
          });
        await expect.poll(rows).toBeGreaterThanOrEqual(400);
        await expect
          .poll(() => tab.page.evaluate(() => document.querySelectorAll('.table-data').length))
          .toBeLessThan(80);
        expect([path, (await rows()) > before || before >= 400]).toEqual([path, true]);
      }
      await tab.go('/organization/members?q=many2999');
      await tab.page.getByText('One of many 2999').first().waitFor();
      // A link opens what stands far behind what the list has read.
      const { store } = bed.server.app.host;
      const far = async (table: string, order: string) => {
        const text = `select id from ${table} order by ${order} limit 1`;
        return (await sql.raw<{ id: string }>(text).execute(store.db())).rows[0]?.id ?? '';
      };
      for (const [path, shown] of [
        [`/organization/members/${await far('members', 'created_at desc, id desc')}`, 'One of many'],
        [`/organization/keys/${await far('api_keys', 'created_at, id')}`, 'Begins with'],
      ] as const) {
        await tab.go(path);
        const detail = tab.page.getByRole('complementary', { name: 'Details' });
        await detail.getByText(shown, { exact: false }).first().waitFor();
      }
      expect(tab.faults).toEqual([]);
    },
  );

  test('a note is found, answered and closed with the keyboard alone', { timeout: LONG_MS }, async () => {
    const { page } = tab;
    await tab.go('/');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('table', { name: 'Annotations' }).waitFor();
    await settled(page);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Reply' }).waitFor();
    const tabTo = async (name: string) => {
      for (let press = 0; press < 60; press += 1) {
        const isThere = await page.evaluate((wanted) => {
          const at = document.activeElement;
          const label =
            at?.getAttribute('aria-label') ?? at?.closest('.field')?.textContent ?? at?.textContent;
          return at !== document.body && (label ?? '').includes(wanted);
        }, name);
        if (isThere) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not lead to ${name}.`);
    };
    await tabTo('Reply');
    await page.keyboard.type('By keys');
    await page.keyboard.press('Control+Enter');
    await page.getByText('By keys').first().waitFor();
    // Out of the field, where the key means what the help says.
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    expect(tab.faults).toEqual([]);
  });
});

/** Words that mean harm in what agents, tasks, dashboards, views and code have; answers where they show. */
async function seedHarm(
  { server }: ConsoleBed,
  { organizationId, virtualId }: { readonly organizationId: string; readonly virtualId: string },
): Promise<string[]> {
  const owner = await server.signedIn();
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  const ask = async (route: string, body: object, key = server.key): Promise<any> => {
    const [method = '', path = ''] = route.split(' ');
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${route}: ${text}`);
    return text === '' ? undefined : JSON.parse(text).data;
  };
  const agent = await ask('POST /api/agents', { name: HOSTILE, description: HOSTILE });
  await ask('POST /api/skill-bundles', { name: HOSTILE, description: HOSTILE });
  const by = (tool: string, args: object) => ask(`POST /mcp/agent/call-tool/${tool}`, args, agent.key);
  await by('corvid_save_memory', { key: HOSTILE, content: HOSTILE });
  await by('corvid_notify_owner', { message: HOSTILE });
  await by('corvid_manage_schedule', {
    action: 'create',
    name: HOSTILE,
    description: HOSTILE,
    interval_minutes: 60,
    schedule_actions: [{ type: 'memory_maintenance' }],
  });
  await by('corvid_manage_workflow', {
    action: 'create',
    name: HOSTILE,
    nodes: [
      { id: 'a', type: 'start', label: HOSTILE },
      { id: 'b', type: 'end', label: HOSTILE },
    ],
    edges: [{ id: 'e', sourceNodeId: 'a', targetNodeId: 'b' }],
  });
  const question = { question: HOSTILE, context: HOSTILE, options: [HOSTILE, 'no'], timeout_minutes: 10 };
  // It waits until somebody answers, or the server ends: then nobody waits for it any more.
  detach(by('corvid_ask_owner', question), () => undefined);
  await expect.poll(async () => (await owner.ask('GET /api/questions')).body.data.questions.length).toBe(1);
  const widget = {
    id: 'w',
    type: 'metric',
    source: { path: '$.id', from: 'input' },
    aggregation: { fn: 'count' },
  };
  const dashboard = await owner.call('self', 'MONITORING_DASHBOARD_CREATE', {
    name: HOSTILE,
    description: HOSTILE,
    widgets: [{ ...widget, name: HOSTILE }],
  });
  await owner.call('self', 'COLLECTION_VIRTUAL_TOOLS_CREATE', {
    virtual_mcp_id: virtualId,
    data: {
      name: 'harmful',
      description: HOSTILE,
      inputSchema: { type: 'object' },
      code: `export default () => ${JSON.stringify(HOSTILE)}`,
    },
  });
  const views = [{ name: HOSTILE, search: '?q=x' }];
  expect((await owner.ask('PUT /api/views/tasks', { body: { views } })).status).toBe(200);
  const task = await owner.call('tasks', 'start_long_running_task', { steps: 1, delayMs: 100 });
  await expect
    .poll(async () => (await owner.ask(`GET /api/tasks/${task.taskId}`)).body.data.state)
    .toBe('completed');
  const result = JSON.stringify({ content: [{ type: 'text', text: HOSTILE }] });
  const db = server.app.host.store.db();
  await sql`update tasks set result = ${result}, status_message = ${HOSTILE} where organization_id = ${organizationId}`.execute(
    db,
  );
  await sql`update task_progress set message = ${HOSTILE}`.execute(db);
  const parts = ['', '/schedules', '/workflows', '/memory', '/about', '/tools'];
  return [
    '/agents',
    ...['questions', 'approvals', 'bundles'].map((tab) => `/agents?tab=${tab}`),
    ...parts.map((part) => `/agents/${agent.id}${part}`),
    '/tasks',
    `/tasks/${task.taskId}`,
    '/monitoring/dashboards',
    `/monitoring/dashboards/${dashboard.id}`,
    `/virtual-mcps/${virtualId}/code`,
  ];
}
