/** The screens of connections and virtual MCPs in a browser: their main jobs against servers that answer, change, refuse and are gone. */
import { readFileSync } from 'node:fs';
import { guardWith, startOAuthProvider } from '@parley/test-support/oauth-provider';
import type { OAuthProvider } from '@parley/test-support/oauth-provider';
import type { McpUpstream } from '@parley/test-support/mcp-upstream';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../e2e/chromium.ts';
import type { ConsoleBed, Tab } from './console-bed.ts';
import { lookAt, openConsole, settled } from './console-bed.ts';

const LONG_MS = 120_000;
const HOSTILE = '<img src=x onerror="window.hurt=1">';

describeInBrowser('connections and virtual MCPs', () => {
  let bed: ConsoleBed;
  let tab: Tab;
  let issues: McpUpstream;
  let mail: McpUpstream;
  let provider: OAuthProvider;
  const ids = { issues: '', mail: '', gone: '', virtual: '' };

  const manage = async (tool: string, args: object) => {
    const key = readFileSync(bed.server.app.ownerKeyFile, 'utf8').trim();
    const answer = await fetch(`${bed.server.url}/mcp/self/call-tool/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    return answer.json();
  };
  const connect = async (data: object) => (await manage('COLLECTION_CONNECTIONS_CREATE', { data })).item.id;
  const tool = (name: string, more: object = {}) => ({
    ...plainTool(name),
    description: `${name} ${HOSTILE}`,
    ...more,
  });

  beforeAll(async () => {
    bed = await openConsole(['--demo', '--allow-egress', '127.0.0.1']);
    provider = await startOAuthProvider();
    issues = await startUpstream({
      era: '2026',
      tools: ['get_issue', 'list_issues', 'search'].map((name) => tool(name)),
      answer: (name) => ({ content: [{ type: 'text', text: name }], structuredContent: { called: name } }),
    });
    mail = await startUpstream({ era: '2026', tools: [tool('search')], fault: guardWith(provider) });
    const connection_type = 'HTTP';
    ids.issues = await connect({
      title: `Issues ${HOSTILE}`,
      description: HOSTILE,
      connection_type,
      connection_url: issues.url,
    });
    ids.mail = await connect({ title: 'Mail', connection_type, connection_url: mail.url });
    ids.gone = await connect({ title: 'Gone', connection_type, connection_url: 'http://127.0.0.1:9/mcp' });
    tab = await bed.open();
  }, LONG_MS);

  afterAll(async () => {
    await bed[Symbol.asyncDispose]();
    for (const server of [issues, mail, provider]) await server[Symbol.asyncDispose]();
  });

  const button = (name: string | RegExp) => tab.page.getByRole('button', { name });
  const shows = (text: string) => tab.page.locator(`text=${text}`).first().waitFor();

  test('all are tested, and each says how it does', { timeout: LONG_MS }, async () => {
    await tab.go('/connections');
    await button('Test all').click();
    await tab.page.locator('[data-key] .badge').first().waitFor();
    await shows('unreachable');
    await shows('auth required');
    const row = tab.page.locator(`[data-key="${ids.gone}"]`);
    expect(await row.textContent()).toContain('error');
    expect(await tab.page.locator(`[data-key="${ids.mail}"]`).textContent()).toContain('needs sign-in');
  });

  test('a changed definition is held, shown field by field, and approved', { timeout: LONG_MS }, async () => {
    await tab.go(`/connections/${ids.issues}/tools`);
    issues.script.tools = [
      tool('get_issue', { description: `Now it sends mail ${HOSTILE}` }),
      tool('list_issues'),
      tool('search'),
      tool('brand_new'),
    ];
    // By keyboard: the key asks its server again, and the list hears of it.
    await tab.page.keyboard.press('r');
    await shows('Quarantine:');
    await button('See what is different').click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.waitFor();
    await tab.page.keyboard.press('Escape');
    await button('get_issue').click();
    await tab.page.locator('.diff-before').first().waitFor();
    expect(await tab.page.locator('.diff-after').first().textContent()).toContain('Now it sends mail');
    await tab.page.keyboard.press('Escape');
    await button('Choose them').click();
    await button('Approve 2').click();
    await shows('2 definitions are approved.');
    await tab.page.locator('text=Quarantine:').waitFor({ state: 'hidden' });
  });

  test('tools are chosen by a pattern and given to a new virtual MCP', { timeout: LONG_MS }, async () => {
    await tab.page.getByLabel(/^Pattern/).fill('*_issue*, -brand*');
    await tab.page.keyboard.press('Enter');
    await shows('2 of 4 chosen');
    await button('Give to a virtual MCP').click();
    await tab.page.getByRole('textbox', { name: 'Name', exact: true }).fill('Reading');
    await tab.page.keyboard.press('Enter');
    await shows('“Reading” has them now.');
    const { items } = await manage('COLLECTION_VIRTUAL_MCP_LIST', { limit: 1000 });
    const made = items.find(({ title }: { title: string }) => title === 'Reading');
    expect(made.connections).toMatchObject([
      { connection_id: ids.issues, selected_tools: ['get_issue', 'list_issues'] },
    ]);
    ids.virtual = made.id;
  });

  test('an authorization is followed step by step to its end', { timeout: LONG_MS }, async () => {
    await tab.go(`/connections/${ids.mail}/credentials`);
    const opened = tab.context.waitForEvent('page');
    await button('Authorise').click();
    // The console is at another name than the address that browsers come back to, so its page asks once more.
    await (await opened).getByRole('button', { name: 'Go on' }).click();
    await tab.page.locator('.auth-step-done >> text=Read the tools with it').waitFor({ timeout: 30_000 });
    await expect.poll(() => tab.page.locator('.auth-step-done').count()).toBe(8);
    await shows('Everybody’s credentials');
  });

  test('servers of a client are taken over from its JSON', { timeout: LONG_MS }, async () => {
    await tab.go('/connections');
    // The key works when it is known that this person may.
    await tab.page.getByRole('button', { name: 'Add', exact: true }).waitFor();
    await tab.page.keyboard.press('n');
    await tab.page.getByRole('tab', { name: /JSON/ }).click();
    const text = {
      mcpServers: {
        Copied: { url: issues.url, headers: { 'X-Key': '${MY_KEY}' } },
        Mail: { url: mail.url },
        Odd: { type: 'ws', url: 'wss://odd.example' },
      },
    };
    await tab.page.getByRole('textbox', { name: 'JSON' }).fill(JSON.stringify(text));
    await button('Look at it').click();
    await shows('There is a connection of this name.');
    // What an address inside needs is said before anything is added.
    expect(await button('Add 0').isDisabled()).toBe(true);
    await tab.page.getByRole('checkbox', { name: /^Let them reach their private addresses/ }).click();
    await tab.page.getByRole('textbox', { name: 'MY_KEY' }).fill('typed');
    await button('Add 1').click();
    await shows('1 of 1 server is added.');
    await settled(tab.page);
    expect(issues.seen.some(({ headers }) => headers['x-key'] === 'typed')).toBe(true);
  });

  test(
    'a virtual MCP shows its names and collisions, and a tool in code is tried before it is made',
    { timeout: LONG_MS },
    async () => {
      await tab.go(`/virtual-mcps/${ids.virtual}`);
      await button('Add members').click();
      await tab.page.getByRole('checkbox', { name: 'Choose Mail' }).click();
      await button('Add 1').click();
      await shows('A member is added.');
      await button(/^Choose what is shown of Issues/).click();
      await tab.page.getByRole('checkbox', { name: /^All tools/ }).click();
      await button('Save').click();
      await shows('is changed.');
      await tab.page.getByRole('tab', { name: /Names/ }).click();
      await tab.page.locator('.table >> text=collision').first().waitFor();

      await tab.page.getByRole('tab', { name: 'Tools in code' }).click();
      await button('New tool').first().click();
      await tab.page.getByRole('textbox', { name: 'Name', exact: true }).fill('look_twice');
      await button(/^Run$/).click();
      await shows('it returned');
      await button('Make it').click();
      await shows('look_twice is made; clients have it now.');
      const { items } = await manage('COLLECTION_VIRTUAL_TOOLS_LIST', { virtual_mcp_id: ids.virtual });
      expect(items).toMatchObject([{ name: 'look_twice' }]);
      await button('Delete').click();
      await button('Undo').first().click();
      await tab.page.locator('.table >> text=look_twice').first().waitFor();

      await tab.page.getByRole('tab', { name: 'Connect a client' }).click();
      await tab.page.locator('label.mode-label', { hasText: 'Code' }).first().click();
      await tab.page.locator(`text=${ids.virtual}?mode=code_execution`).first().waitFor();
    },
  );

  test(
    'what strangers wrote is text, and the screens hold on all sizes and themes',
    { timeout: LONG_MS },
    async () => {
      expect(
        await lookAt(bed, {
          connections: '/connections',
          connection: `/connections/${ids.issues}`,
          'connection-tools': `/connections/${ids.issues}/tools`,
          'connection-credentials': `/connections/${ids.mail}/credentials`,
          'virtual-mcps': '/virtual-mcps',
          'virtual-mcp': `/virtual-mcps/${ids.virtual}`,
          'virtual-mcp-names': `/virtual-mcps/${ids.virtual}/names`,
          'virtual-mcp-code': `/virtual-mcps/${ids.virtual}/code?tool=look_twice`,
        }),
      ).toEqual([]);
      await tab.go(`/connections/${ids.issues}/tools`);
      await button('get_issue').click();
      await shows('What it says of itself');
      expect(await tab.page.evaluate(() => 'hurt' in window)).toBe(false);
      expect(await tab.page.locator('img[src="x"]').count()).toBe(0);
      expect(tab.faults).toEqual([]);
    },
  );

  test('somebody who may only look has no buttons that change', { timeout: LONG_MS }, async () => {
    const { identity } = bed.server.app.host;
    const organizationId = await identity.firstOrganizationId();
    const [first] = await identity.listMembers(organizationId);
    const founder = await identity.callerOfMember(organizationId, first?.id ?? '');
    if (founder === undefined) throw new Error('There is no owner.');
    const userId = await identity.ensureUser({ email: 'mia@acme.example', name: 'Mia' });
    await identity.addMember(founder, { userId, roles: ['member'] });
    const other = await bed.open({ who: 'mia@acme.example' });
    await other.go(`/connections/${ids.issues}`);
    await other.page.locator(`[data-key="${ids.issues}"]`).waitFor();
    for (const name of ['Add', 'Test all', 'Test'])
      expect([name, await other.page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0]);
    expect(await other.page.getByRole('tab', { name: 'Settings' }).count()).toBe(0);
    await other.go(`/virtual-mcps/${ids.virtual}`);
    expect(await other.page.getByRole('button', { name: 'New' }).count()).toBe(0);
    await other.context.close();
  });
});
