/** What a tab and the palette call a place, what a plain member has of Home and Tools, and approvals behind many others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../e2e/chromium.ts';
import type { Page } from '../e2e/playwright.ts';
import type { ConsoleBed } from './console-bed.ts';
import { openConsole } from './console-bed.ts';

const LONG_MS = 120_000;
const MIRA = 'mira@acme.example';

describeInBrowser('places of one’s own', () => {
  let bed: ConsoleBed;
  let agentId: string;
  beforeAll(async () => {
    bed = await openConsole(['--demo']);
    const { identity } = bed.server.app.host;
    const owner = await bed.server.signedIn();
    const { person, organization } = (await owner.ask('GET /api/session')).body.data;
    const by = (await identity.callerOfMember(organization.id, person.id))!;
    const userId = await identity.ensureUser({ email: MIRA, name: 'Mira Member' });
    await identity.addMember(by, { userId, roles: ['member'] });
    const agents = (await owner.ask('GET /api/agents')).body.data as { id: string; name: string }[];
    agentId = agents[0]!.id;
  }, LONG_MS);
  afterAll(() => bed[Symbol.asyncDispose]());

  const titleOf = (page: Page) => page.evaluate(() => document.title);

  test('the tab says what is open and where, and the palette leads back to it by its name', async () => {
    const { page, go, faults } = await bed.open();
    await go('/');
    await expect.poll(() => titleOf(page)).toBe('Home · Parley');
    await go('/organization/keys');
    await expect.poll(() => titleOf(page)).toBe('Organization · Parley');
    await go(`/agents/${agentId}`);
    const name = await page.getByRole('complementary', { name: 'Details' }).locator('h2 bdi').textContent();
    await expect.poll(() => titleOf(page)).toBe(`${name} · Agents · Parley`);
    await go(`/agents/${agentId}/memory`);
    await expect.poll(() => titleOf(page)).toBe(`${name} · Agents · Parley`);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => titleOf(page)).toBe('Agents · Parley');
    await page.keyboard.press('Control+k');
    await page
      .getByRole('option', { name: `Agents: ${name}` })
      .first()
      .waitFor();
    const recent = await page.getByRole('option').allTextContents();
    expect(recent.filter((text) => text.includes(agentId))).toEqual([]);
    await page.keyboard.press('Escape');
    expect(faults).toEqual([]);
  });

  test('the way in is called so, and the place behind it by its own name', async () => {
    const { page } = await bed.openStranger('/console/tasks');
    await page.getByRole('heading', { name: 'Sign in to Parley' }).waitFor();
    await expect.poll(() => titleOf(page)).toBe('Sign in · Parley');
  });

  test('Home of a plain member says nothing of what is not shown to them', async () => {
    const { page, go, faults } = await bed.open({ who: MIRA });
    await go('/');
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    for (const title of ['Calls', 'Last changes'])
      expect(await page.getByRole('heading', { name: title, exact: true }).count()).toBe(0);
    expect(await page.locator('main a[href="/console/monitoring"]').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('a plain member has their own runs of a tool, page by page, and runs one again', async () => {
    const mira = await bed.server.signedIn(MIRA);
    for (let run = 0; run < 52; run += 1) await mira.call('parley', 'parley_whoami');
    await bed.server.app.host.store.records.flush();
    const { page, go, faults } = await bed.open({ who: MIRA });
    await go('/tools/parley:parley_whoami');
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByText('What it takes').waitFor();
    expect(await page.getByText('Who else has it').count()).toBe(0);
    await page.getByRole('tab', { name: 'My runs' }).click();
    const rows = page.getByRole('table', { name: 'My runs' }).locator('.table-body [role="row"]');
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByRole('button', { name: 'Show older runs' }).click();
    await expect.poll(() => rows.count()).toBe(52);
    await rows.last().click();
    await page.getByText('Mira Member').first().waitFor();
    await page.getByRole('button', { name: 'Use these arguments again' }).click();
    await page.getByRole('button', { name: /^Run/ }).first().waitFor();
    expect(faults).toEqual([]);
  });

  test('an approval that waits is there, however much schedules did since', async () => {
    const { page, faults } = await bed.open();
    await page.addInitScript({ content: `(${playExecutions.toString()})()` });
    await page.goto(`${bed.url}/console/agents?tab=approvals`);
    await page.getByText('Waits since long ago').first().waitFor();
    expect(faults).toEqual([]);
  });
});

/** In the page: a hundred executions that ended, and an older one that waits. */
function playExecutions(): void {
  const truly = window.fetch;
  const one = (id: string, status: string, schedule: string) => ({
    id,
    status,
    schedule,
    schedule_id: 'sch_1',
    agent_id: 'agt_1',
    actions: [],
    approvals: 0,
    approvals_needed: 1,
    due_at: new Date(0).toISOString(),
    started_at: null,
    finished_at: null,
    result: null,
  });
  const ended = Array.from({ length: 100 }, (_, at) => one(`exec_${at}`, 'completed', 'Often'));
  window.fetch = async (input, init) => {
    const asked = typeof input === 'string' ? input : '';
    if (!asked.startsWith('/api/executions')) return truly(input, init);
    const isWaiting = asked.includes('status=waiting');
    const data = isWaiting ? [one('exec_old', 'waiting', 'Waits since long ago')] : ended;
    return new Response(JSON.stringify({ data }), { headers: { 'content-type': 'application/json' } });
  };
}
