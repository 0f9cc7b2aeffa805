/** Events in a browser: published by hand, seen as they happen, replayed, sent again; webhooks with a secret that is shown once. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConsoleBed } from './console-bed.ts';
import { lookAt, openConsole } from './console-bed.ts';

const LONG_MS = 180_000;
const MARKUP = '<img src=x onerror="window.wasRun = true">';
let bed: ConsoleBed;
let hookUrl: string;
let answer = 500;
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(answer).end();
});

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo; // a listening TCP server has a port
  hookUrl = `http://127.0.0.1:${port}/hook`;
  bed = await openConsole(['--demo', '--allow-egress', `127.0.0.1:${port}`]);
}, LONG_MS);
afterAll(async () => {
  await bed[Symbol.asyncDispose]();
  receiver.closeAllConnections();
  receiver.close();
});

test(
  'a webhook is made, tried, rotated, and its deliveries are sent again',
  { timeout: LONG_MS },
  async () => {
    const { page, go, faults, context } = await bed.open();
    const dialog = page.getByRole('dialog');
    await go('/events/webhooks');
    await page.keyboard.press('c');
    await dialog.getByLabel('Address').fill(hookUrl);
    await dialog.getByLabel('Hears of').fill('shop.*');
    await page.keyboard.press('Enter');
    const secret = async () => (await dialog.locator('pre').textContent()) ?? '';
    const kept = page.getByRole('button', { name: 'I have kept it' });
    await kept.waitFor();
    const first = await secret();
    expect(first).toMatch(/^whsec_/);
    await kept.click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('The receiver did not take it', { exact: false }).waitFor();

    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    await kept.waitFor();
    expect(await secret()).not.toBe(first);
    await kept.click();

    await go('/events/stream');
    await page.keyboard.press('c');
    await dialog.getByLabel('Type', { exact: false }).fill('shop.opened');
    await dialog.getByLabel('Subject').fill(MARKUP);
    await dialog.getByRole('button', { name: 'Publish' }).click();
    const list = page.getByRole('table', { name: 'Events' });
    await list.getByRole('button', { name: 'shop.opened' }).click();
    const detail = page.getByRole('complementary', { name: 'Details' });
    await detail.getByText(hookUrl).waitFor();
    answer = 204;
    await detail.getByRole('button', { name: 'Retry' }).click();
    await detail.getByRole('button', { name: 'Again' }).waitFor();
    expect([faults, await page.evaluate(() => 'wasRun' in window)]).toEqual([[], false]);
    await context.close();
  },
);

test('what another program publishes shows at once, and can be replayed', { timeout: LONG_MS }, async () => {
  const { page, go, faults, context } = await bed.open();
  await go('/events/stream?type=far.*');
  const { events, identity } = bed.server.app.host;
  const organizationId = await identity.firstOrganizationId();
  const publish = (type: string) => events.publishNow({ organizationId, source: 'conn_far', type });
  await publish('far.first');
  const after = await events.history.lastNumber(organizationId);
  const list = page.getByRole('table', { name: 'Events' });
  await list.getByRole('button', { name: 'far.first' }).waitFor();
  await publish('far.second');
  await list.getByRole('button', { name: 'far.second' }).waitFor();
  await page.keyboard.press('r');
  await page.getByLabel('After number').fill(String(after));
  await page.keyboard.press('Enter');
  await page.getByText('In their order after number', { exact: false }).waitFor();
  await list.getByRole('button', { name: 'far.first' }).waitFor({ state: 'detached' });
  await list.getByRole('button', { name: 'far.second' }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('a schedule is made and cancelled, and a connection is subscribed', { timeout: LONG_MS }, async () => {
  const { page, go, faults, context } = await bed.open();
  const dialog = page.getByRole('dialog');
  await go('/events/schedules?q=plan');
  await page.keyboard.press('c');
  await dialog.getByLabel('Type', { exact: false }).fill('plan.weekly');
  await dialog.getByRole('combobox', { name: 'When' }).click();
  await page.getByRole('option', { name: 'Again and again' }).click();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  const plans = page.getByRole('table', { name: 'Schedules' });
  await plans.getByText('plan.weekly').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByRole('toolbar').getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Cancel them' }).click();
  await plans.waitFor({ state: 'detached' });

  await go('/events/subscriptions');
  await page.keyboard.press('c');
  await dialog.getByLabel('Type', { exact: false }).fill('plan.*');
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Subscriptions' }).getByText('plan.*').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('looks right, in both themes and on a phone', { timeout: LONG_MS }, async () => {
  const { events, identity } = bed.server.app.host;
  const organizationId = await identity.firstOrganizationId();
  const { id } = await events.publishNow({ organizationId, source: 'conn_far', type: 'looked.at' });
  const wrong = await lookAt(bed, {
    'events-event': `/events/stream/${id}`,
    'events-stream': '/events/stream',
    'events-deliveries': '/events/deliveries',
    'events-webhooks': '/events/webhooks',
  });
  expect(wrong).toEqual([]);
});
