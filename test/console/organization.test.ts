/** Organization in a browser, by keyboard: invite, roles, keys whose secret is shown once, the audit log, and why somebody may not. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConsoleBed } from './console-bed.ts';
import { lookAt, openConsole, tabTo } from './console-bed.ts';

const LONG_MS = 180_000;
const MARKUP = '<img src=x onerror="window.wasRun = true">';
let bed: ConsoleBed;

beforeAll(async () => {
  bed = await openConsole(['--demo']);
}, LONG_MS);
afterAll(() => bed[Symbol.asyncDispose]());

test('a key is made by keyboard alone, works, is revoked, and is refused', { timeout: LONG_MS }, async () => {
  const { page, go, faults, context } = await bed.open();
  const dialog = page.getByRole('dialog');
  await go('/organization/keys?q=%3Cimg');
  await page.keyboard.press('c');
  await dialog.getByLabel('Name', { exact: false }).fill(MARKUP);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'I have kept it' }).waitFor();
  const key = (await dialog.locator('pre').textContent()) ?? '';
  expect(key).toMatch(/^parley_/);
  const ask = async () => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${bed.server.url}/api/calls`, { headers });
    await answer.text();
    return answer.status;
  };
  expect(await ask()).toBe(200);
  await page.keyboard.press('Escape');
  const row = page.getByRole('table', { name: 'Keys' }).getByRole('button', { name: MARKUP });
  await row.waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('d');
  await dialog.getByText('is refused from its next request on', { exact: false }).waitFor();
  await dialog.getByRole('button', { name: 'Revoke' }).press('Enter');
  // What stands behind an open dialog has no role.
  await dialog.waitFor({ state: 'detached' });
  await row.waitFor({ state: 'detached' });
  expect(await ask()).toBe(401);
  expect([faults, await page.evaluate(() => 'wasRun' in window)]).toEqual([[], false]);
  await context.close();
});

test(
  'somebody is invited with a role of one’s own, and the link leads in',
  { timeout: LONG_MS },
  async () => {
    const { page, go, faults, context } = await bed.open();
    const dialog = page.getByRole('dialog');
    await go('/organization/roles');
    await page.keyboard.press('c');
    await dialog.getByLabel('Name', { exact: false }).fill('tag keeper');
    await dialog.getByLabel('Find a tool').fill('Create Tag');
    await dialog.getByRole('checkbox', { name: /Create Tag/ }).press('Space');
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByRole('button', { name: 'Change tag keeper' }).waitFor();
    await page.getByRole('columnheader', { name: 'tag keeper' }).waitFor();

    await go('/organization/members');
    // The key works when it is known that this person may.
    await page.getByRole('button', { name: 'Invite' }).waitFor();
    await page.keyboard.press('c');
    await dialog.getByLabel('E-mail').fill('bo@example.com');
    await dialog.getByRole('checkbox', { name: /tag keeper/ }).press('Space');
    await dialog.getByRole('button', { name: 'Make the link' }).press('Enter');
    await page.getByText('It works once and is shown only now', { exact: false }).waitFor();
    const link = (await dialog.locator('pre').textContent()) ?? '';
    expect(new URL(link).pathname).toMatch(/^\/join\/parley_invite_/);
    expect((await fetch(`${bed.server.url}${new URL(link).pathname}`)).status).toBe(200);
    await page.keyboard.press('Escape');
    const members = page.getByRole('table', { name: 'Members' });
    const bo = members.getByRole('row', { name: /bo@example.com/ });
    await bo.getByRole('checkbox').press('Space');
    const chosen = page.getByRole('toolbar', { name: 'Selected rows' });
    await chosen.getByRole('button', { name: 'Remove' }).press('Enter');
    await dialog.getByText('bo@example.com: the invitation; its link stops working').waitFor();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await bo.waitFor({ state: 'detached' });
    expect((await fetch(`${bed.server.url}${new URL(link).pathname}`)).status).not.toBe(200);
    expect(faults).toEqual([]);
    await context.close();
  },
);

test(
  'several acts at once ask once who one is: a proof lets all go on, a refusal ends all',
  { timeout: LONG_MS },
  async () => {
    const { page, go, faults, context } = await bed.open();
    const owner = await bed.server.signedIn();
    const { organization } = (await owner.ask('GET /api/session')).body.data;
    for (const name of ['una', 'duo', 'tria'])
      await owner.ask(`POST /api/organizations/${organization.id}/invitations`, {
        body: { email: `${name}@stale.example`, roles: ['member'] },
      });
    // As after more than 15 minutes.
    await sql`update web_sessions set proven_at = 0`.execute(bed.server.app.host.store.db());
    await go('/organization/members?q=stale.example');
    const rows = page.getByRole('table', { name: 'Members' }).getByRole('row', { name: /@stale\.example/ });
    const remove = async () => {
      for (let index = 0; index < 3; index += 1) {
        const check = rows.nth(index).getByRole('checkbox');
        if ((await check.getAttribute('aria-checked')) !== 'true') await check.click();
      }
      await page
        .getByRole('toolbar', { name: 'Selected rows' })
        .getByRole('button', { name: 'Remove' })
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
      await proof.waitFor();
    };
    const proof = page.getByRole('dialog', { name: 'Is it still you?' });
    await rows.nth(2).waitFor();
    await remove();
    await page.keyboard.press('Escape');
    await proof.waitFor({ state: 'detached' });
    // All three have ended: the dialog of the act goes, and so does the selection.
    await page.getByRole('toolbar', { name: 'Selected rows' }).waitFor({ state: 'detached' });
    await expect.poll(() => rows.count()).toBe(3);
    await remove();
    await proof.getByLabel('API key').fill(bed.server.key);
    await page.keyboard.press('Enter');
    await expect.poll(() => rows.count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  },
);

test(
  'roles of a member change and come back, the log names it and is whole, and a denial is explained',
  { timeout: LONG_MS },
  async () => {
    const { page, go, faults, context } = await bed.open();
    // Few rows, so that the way by Tab is short.
    await go('/organization/members?q=priya');
    const people = page.getByRole('table', { name: 'Members' });
    await people.getByRole('button', { name: 'Priya Raman' }).click();
    const detail = page.getByRole('complementary', { name: 'Details' });
    await detail.getByRole('checkbox', { name: /^admin/ }).waitFor();
    await tabTo(page, 'admin');
    await page.keyboard.press('Space');
    await tabTo(page, 'Save the roles');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('z');
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await go('/organization/audit?action=member.roles_changed');
    const log = page.getByRole('table', { name: 'Audit log' });
    await log.getByRole('button', { name: 'member.roles_changed' }).first().waitFor();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The chain is whole', { exact: false }).waitFor();
    await log.getByRole('button', { name: 'member.roles_changed' }).first().click();
    await detail.getByText('in the chain').waitFor();
    // The same address opens it where the list has not read it.
    const opened = await page.evaluate(() => location.pathname.replace('/console', ''));
    await go(`${opened}?q=nothing-is-called-so`);
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await detail.getByText('in the chain').waitFor();
    await go('/organization/audit/audit_none');
    await detail.getByText('There is no such entry', { exact: false }).waitFor();

    await go('/organization/access');
    // Offered once the members are there.
    await page.locator('datalist option[value="Tomás Herrera"]').first().waitFor({ state: 'attached' });
    await page.getByLabel('Why can').fill('Tomás Herrera');
    await page.getByLabel('call', { exact: true }).fill('ORGANIZATION_DELETE');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Tomás Herrera cannot call/ }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  },
);

test(
  'the console wears the colour of the organization, and an owner signs out elsewhere',
  { timeout: LONG_MS },
  async () => {
    const { page, go, faults, context } = await bed.open();
    const other = await bed.open();
    const colour = () => document.documentElement.style.getPropertyValue('--accent');
    await go('/organization/settings');
    await tabTo(page, 'Use #0f766e');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(colour)).toBe('#0f766e');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('z');
    await expect.poll(() => page.evaluate(colour)).toBe('');
    await go('/organization/sessions');
    await page.getByRole('button', { name: 'Sign out everywhere else' }).waitFor();
    await tabTo(page, 'Sign out everywhere else');
    await page.keyboard.press('Enter');
    await other.page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await other.context.close();
    await context.close();
  },
);

// The type of a list asks for a name of its views; some that had none are looked at.
const LISTS = [
  '/feedback/people',
  '/virtual-mcps',
  '/events/schedules',
  '/monitoring/rates',
  '/organization/audit',
  '/organization/projects',
];

test('lists keep views, and their rows are selected and copied by keys', { timeout: LONG_MS }, async () => {
  const { page, go, faults, context } = await bed.open();
  const without: string[] = [];
  let selected = 0;
  for (const path of LISTS) {
    await go(path);
    if ((await page.locator('.list-tools').getByRole('button', { name: 'Views' }).count()) !== 1)
      without.push(`${path}: views`);
    if ((await page.locator('.table-data').count()) === 0) continue;
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const bar = page.getByRole('toolbar', { name: 'Selected rows' });
    await bar.getByText('1 selected').waitFor();
    await bar.getByRole('button', { name: 'Copy as JSON' }).waitFor();
    selected += 1;
  }
  expect(without).toEqual([]);
  expect(selected).toBeGreaterThan(3);
  await go('/organization/projects?q=org&sort=-name');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save these filters' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Ours');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Ours' }).waitFor();
  await go('/organization/projects');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Ours' }).click();
  await expect.poll(() => page.evaluate(() => location.search)).toBe('?q=org&sort=-name');
  expect(faults).toEqual([]);
  await context.close();
});

test('looks right, in both themes and on a phone', { timeout: 2 * LONG_MS }, async () => {
  const owner = await bed.server.signedIn();
  const { members } = await owner.call('self', 'ORGANIZATION_MEMBER_LIST');
  const { items } = await owner.call('self', 'API_KEY_LIST');
  const wrong = await lookAt(bed, {
    'organization-members': '/organization/members',
    'organization-roles': '/organization/roles',
    'organization-keys': '/organization/keys',
    'organization-settings': '/organization/settings',
    'organization-audit': '/organization/audit',
    'organization-access': '/organization/access',
    'organization-member': `/organization/members/${members[0].id}`,
    'organization-key': `/organization/keys/${items[0].id}`,
  });
  expect(wrong).toEqual([]);
});
