/** Monitoring in a browser: calls narrowed from a cell, one in full with the calls inside it, steps by keyboard, files, dashboards. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConsoleBed } from './console-bed.ts';
import { lookAt, openConsole, settled } from './console-bed.ts';

const LONG_MS = 180_000;
const MARKUP = '<img src=x onerror="window.wasRun = true">';
let bed: ConsoleBed;

beforeAll(async () => {
  bed = await openConsole(['--demo']);
  const { store, identity } = bed.server.app.host;
  const organizationId = await identity.firstOrganizationId();
  const [member] = await identity.listMembers(organizationId);
  const add = (more: object, message: string | null = null) =>
    store.records.append(
      {
        at: Date.now() - 60_000,
        organizationId,
        callerId: 'key_gone',
        userId: member?.userId ?? null,
        source: 'key',
        toolset: 'self',
        tool: 'MY_TAGS',
        method: 'tools/call',
        effect: 'read',
        outcome: 'ok',
        code: null,
        durationUs: 3_000,
        era: 'modern',
        client: MARKUP,
        requestId: null,
        ...more,
      },
      {
        weightBytes: 10,
        make: () => ({
          input: JSON.stringify({ query: MARKUP }),
          output: '{"total":3}',
          message,
          bytesIn: 10,
          bytesOut: 10,
          upstreamUs: 1_000,
          traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
          properties: null,
        }),
      },
    );
  for (let index = 0; index < 300; index += 1) add({ at: Date.now() - 60_000 - index * 60_000 });
  add({ tool: 'broken_tool', outcome: 'error', code: 'invalid' }, MARKUP);
  const nested = { requestId: '7', callerId: member?.id };
  add({ ...nested, tool: 'inner_tool', at: Date.now() - 40, durationUs: 5_000 });
  add({ ...nested, tool: 'outer_tool', effect: 'run', at: Date.now() - 20, durationUs: 60_000 });
  await store.records.flush();
}, LONG_MS);
afterAll(() => bed[Symbol.asyncDispose]());

test(
  'calls are narrowed from a cell, opened, and stepped through by keyboard',
  { timeout: LONG_MS },
  async () => {
    const { page, go, faults, context } = await bed.open();
    await go('/monitoring/calls');
    const rows = page.getByRole('table', { name: 'Calls' });
    await rows.getByRole('button', { name: 'outer_tool' }).click();
    const detail = page.getByRole('complementary', { name: 'Details' });
    await detail.getByText('Calls inside it (1)').waitFor();
    await detail.getByRole('link', { name: 'inner_tool' }).click();
    await detail.getByText('Made by').waitFor();
    await page.keyboard.press('Escape');

    await go('/monitoring/calls?q=broken');
    await rows.getByTitle('Only calls that ended invalid').click();
    await page.waitForURL(/outcome=error/);
    await settled(page);
    await rows.getByRole('button', { name: 'broken_tool' }).click();
    await detail.getByText(MARKUP).first().waitFor();
    await page.keyboard.press('Escape');

    await go('/monitoring/calls?tool=MY_TAGS');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/calls\/\d+/);
    const first = page.url();
    await detail.getByRole('heading', { name: 'Arguments' }).waitFor();
    await page.keyboard.press('n');
    await page.waitForURL((url) => url.href !== first);
    await page.keyboard.press('p');
    await page.waitForURL(first);

    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /JSON lines/ }).click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.length).toBe(300);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ toolName: 'MY_TAGS' });
    expect([faults, await page.evaluate(() => 'wasRun' in window)]).toEqual([[], false]);
    await context.close();
  },
);

test('a dashboard is written with a preview, shown and deleted', { timeout: LONG_MS }, async () => {
  const { page, go, faults, context } = await bed.open();
  await go('/monitoring/dashboards/new');
  await page.getByLabel('Name').first().fill('Searches');
  await page.getByRole('textbox', { name: 'Value' }).fill('$.query');
  await page.getByText('calls looked at').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Searches' }).first().waitFor();
  await page.locator('.dashboard-figure').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/dashboards(\?.*)?$/);
  expect(faults).toEqual([]);
  await context.close();
});

test('looks right, in both themes and on a phone', { timeout: LONG_MS }, async () => {
  const owner = await bed.server.signedIn();
  const { calls } = (await owner.ask('GET /api/calls?limit=1')).body.data;
  const wrong = await lookAt(bed, {
    'monitoring-call': `/monitoring/calls/${calls[0].id}`,
    'monitoring-calls': '/monitoring/calls',
    'monitoring-errors': '/monitoring/errors',
    'monitoring-rates': '/monitoring/rates',
    'monitoring-dashboard-editor': '/monitoring/dashboards/new',
  });
  expect(wrong).toEqual([]);
});
