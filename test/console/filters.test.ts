/** Filters that offer what was not read yet, names in the place of ids, and changes of others in lists that seldom change. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../e2e/chromium.ts';
import type { Browser } from '../product/console-browser.ts';
import type { ConsoleBed } from './console-bed.ts';
import { openConsole } from './console-bed.ts';

const LONG_MS = 120_000;

const widgets = [
  {
    id: 'w1',
    name: 'Calls',
    type: 'metric',
    aggregation: { fn: 'count' },
    source: { path: '$', from: 'output' },
  },
];

describeInBrowser('filters of lists', () => {
  let bed: ConsoleBed;
  let owner: Browser;
  beforeAll(async () => {
    bed = await openConsole(['--demo']);
    owner = await bed.server.signedIn();
  }, LONG_MS);
  afterAll(() => bed[Symbol.asyncDispose]());

  test('of calls and rates offer who has not called yet', async () => {
    await owner.call('self', 'API_KEY_CREATE', { name: 'Silent key', permissions: { parley: ['*'] } });
    const { page, go, faults } = await bed.open();
    for (const part of ['calls', 'rates']) {
      await go(`/monitoring/${part}`);
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Silent key' }).click();
      await page.getByText('Caller: Silent key').waitFor();
    }
    expect(faults).toEqual([]);
  });

  test('narrow people of feedback, projects and dashboards', async () => {
    await owner.call('self', 'MONITORING_DASHBOARD_CREATE', { name: 'Counted', filters: {}, widgets });
    const { page, go, faults } = await bed.open();
    await go('/monitoring/dashboards?shows=metric');
    await page.getByRole('row', { name: /Counted/ }).waitFor();
    await go('/monitoring/dashboards?shows=timeseries&tool=none');
    await page.getByText('Nothing matches').waitFor();
    await go('/organization/projects?plugin=none');
    await page.getByText('Nothing matches').waitFor();
    const asked: string[] = [];
    page.on('response', (response) => asked.push(response.url()));
    await go('/feedback/people?verified=false&joined=7');
    await expect
      .poll(() => asked.filter((url) => url.includes('verified=false') && url.includes('dateFrom=')).length)
      .toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  test('and a dashboard or project that somebody else makes shows by itself', async () => {
    const { page, go, faults } = await bed.open();
    const { organization } = (await owner.ask('GET /api/session')).body.data;
    await go('/monitoring/dashboards');
    await page.getByRole('button', { name: 'Live: Changes by others show at once.' }).waitFor();
    await owner.call('self', 'MONITORING_DASHBOARD_CREATE', { name: 'Of others', filters: {}, widgets });
    await page.getByText('Of others').waitFor();
    await go('/organization/projects');
    await page.getByRole('button', { name: 'Live: Changes by others show at once.' }).waitFor();
    const project = { organizationId: organization.id, slug: 'theirs', name: 'Theirs' };
    await owner.call('self', 'PROJECT_CREATE', project);
    await page.getByRole('button', { name: 'Theirs', exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  test('lists by time are read from either end, and members by name', async () => {
    const { page, go, faults } = await bed.open();
    // Invitations stand above the members.
    const rowOf = (list: string) => {
      const rows = page.getByRole('table', { name: list }).locator('.table-body [role="row"]');
      return (list === 'Members' ? rows.last() : rows.first()).textContent();
    };
    for (const [path, list, column] of [
      ['/tasks', 'Tasks', 'Begun'],
      ['/annotations', 'Annotations', 'Said'],
      ['/monitoring/calls?time=7d', 'Calls', 'When'],
      ['/events', 'Events', 'When'],
      ['/organization/audit', 'Audit log', 'When'],
      ['/organization/members', 'Members', 'Name'],
      ['/feedback/changelog', 'Changelog', 'Written'],
    ] as const) {
      await go(path);
      const before = await rowOf(list);
      // Once more where the first click has the order that was there.
      await page.getByRole('columnheader', { name: column }).getByRole('button').click();
      if (column === 'Name')
        await page.getByRole('columnheader', { name: column }).getByRole('button').click();
      await expect.poll(() => rowOf(list), { message: path }).not.toBe(before);
    }
    expect(faults).toEqual([]);
  });

  test('hundreds of credentials exist only while they are seen', async () => {
    const { data } = (await owner.ask('GET /api/connections')).body;
    const { id } = (data as { id: string }[])[0]!;
    const { page, go, faults } = await bed.open();
    await page.addInitScript({ content: `(${playCredentials.toString()})()` });
    await go(`/connections/${id}/credentials`);
    const rows = page
      .getByRole('table', { name: 'Credentials of people' })
      .locator('.table-body [role="row"]');
    await rows.first().waitFor();
    expect(await rows.count()).toBeLessThan(100);
    expect(faults).toEqual([]);
  });

  test('a key says by name whose it is', async () => {
    const [agent] = (await owner.ask('GET /api/agents')).body.data as { id: string; name: string }[];
    await owner.ask(`POST /api/agents/${agent!.id}/api-keys`, { body: { name: 'Key of the agent' } });
    const { organization } = (await owner.ask('GET /api/session')).body.data;
    const keys = (await owner.ask(`GET /api/organizations/${organization.id}/keys`)).body.data as {
      id: string;
      agentId: string | null;
    }[];
    const { id } = keys.find(({ agentId }) => agentId === agent!.id)!;
    const { page, go, faults } = await bed.open();
    await go(`/organization/keys/${id}`);
    await page
      .getByRole('complementary', { name: 'Details' })
      .getByRole('link', { name: agent!.name })
      .waitFor();
    expect(faults).toEqual([]);
  });
});

/** In the page: a connection that three hundred people brought their own credentials to. */
function playCredentials(): void {
  const truly = window.fetch;
  const at = new Date(0).toISOString();
  const people = Array.from({ length: 300 }, (_, place) => ({
    userId: `usr_${place}`,
    name: `Person ${place}`,
    email: null,
    state: 'ok',
    kind: 'oauth',
    expiresAt: null,
    updatedAt: at,
  }));
  window.fetch = async (input, init) => {
    const asked = typeof input === 'string' ? input : '';
    const part = /^\/api\/connections\/[^/]+\/(people|auth)/.exec(asked)?.[1];
    if (part === undefined) return truly(input, init);
    const isPeople = part === 'people';
    const auth = { kind: 'personal_token', state: 'ok', steps: [] };
    const data = isPeople ? { people, members: 300 } : auth;
    return new Response(JSON.stringify({ data }), { headers: { 'content-type': 'application/json' } });
  };
}
