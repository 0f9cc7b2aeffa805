/** A colleague is added from the command line and joins with a browser that runs no script; what they did is in the log. */
import { openStore } from '@parley/store';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ensureBuilt } from '../product/build.ts';
import { callTool, message, post } from '../product/mcp-messages.ts';
import type { Server } from '../product/parley.ts';
import { runParley, scratchFolder, startParley } from '../product/parley.ts';
import { describeInBrowser, launchChromium } from './chromium.ts';

const PATIENCE = { timeout: 10_000, interval: 50 };
const folder = scratchFolder();
let server: Server;

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(folder.path);
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const parley = (...args: string[]) => runParley([...args, '--data', folder.path]);

async function json<Shape>(...args: string[]): Promise<Shape> {
  const { code, stdout, stderr } = await parley(...args, '--json');
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Shape;
}

async function toolsOf(key: string): Promise<string[]> {
  const { body } = await post(server.mcp, key, message(1, 'tools/list'));
  return (body.result?.tools ?? []).map(({ name }) => name);
}

describeInBrowser('joining', () => {
  test('an invited person joins by the link, acts with their role, and is removed again', async () => {
    const grants = 'annotations:reply,resolve,get_pending';
    await json('roles', 'save', 'helper', '--grant', grants);
    const port = new URL(server.url).port;
    const invitation = await json<{ link: string }>(
      'members',
      'invite',
      'Bo@acme.example',
      '--role',
      'helper',
      '--port',
      port,
    );
    expect(invitation.link.startsWith(`${server.url}/join/`)).toBe(true);

    const browser = await launchChromium();
    let text: string;
    try {
      const context = await browser.newContext({
        viewport: { width: 390, height: 700 },
        colorScheme: 'dark',
        javaScriptEnabled: false,
      });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (line) => complaints.push(line.text()));
      await page.goto(invitation.link);
      const box = await page.locator('form').boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
      await page.locator('[name=name]').fill('Bo');
      await page.locator('[name=email]').fill('bo@acme.example');
      await page.locator('button').click();
      text = (await page.locator('main').textContent()) ?? '';
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
    const [key = ''] = /parley_[0-9A-Za-z]{12}_[\w-]{43}/.exec(text) ?? [];
    const names = await toolsOf(key);
    expect(names).toEqual(expect.arrayContaining(['reply', 'resolve', 'get_pending', 'USER_GET']));
    expect(names).not.toContain('ORGANIZATION_UPDATE');
    // A key for nothing but the role's three tools.
    const made = await json<{ key: string }>('keys', 'create', 'Helper', '--role', 'helper');
    expect((await toolsOf(made.key)).toSorted()).toEqual(['get_pending', 'reply', 'resolve']);

    const { members } = await json<{ members: { email: string | null; roles: string[] }[] }>(
      'members',
      'list',
    );
    expect(members).toMatchObject([{ roles: ['owner'] }, { email: 'bo@acme.example', roles: ['helper'] }]);
    // A member invites nobody: the command line asks for the rights that the tools ask for.
    const refused = await parley('members', 'invite', 'eve@acme.example', '--key', key);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('ORGANIZATION_MEMBER_ADD');
    const denied = await callTool({ mcp: server.mcp, key }, 'ORGANIZATION_UPDATE', { id: 'x' });
    expect(denied.body.error?.message).toContain('ORGANIZATION_UPDATE');

    await json('members', 'role', 'bo@acme.example', 'admin');
    // Another process changed it, and the server hears of that.
    await vi.waitFor(async () => expect(await toolsOf(key)).toContain('ORGANIZATION_UPDATE'), PATIENCE);
    await json('members', 'remove', 'bo@acme.example');
    const used = async () => (await callTool({ mcp: server.mcp, key }, 'USER_GET', { id: 'x' })).status;
    await vi.waitFor(async () => expect(await used()).toBe(401), PATIENCE);
    expect((await parley('members', 'remove', 'bo@acme.example')).stderr).toContain('There is no member');
  });

  test('check 30: a forged header changes neither the organization nor who acts', async () => {
    const second = await json<{ id: string; key: string }>(
      'organizations',
      'create',
      'second',
      '--name',
      'Two',
    );
    const own = await callTool({ mcp: server.mcp, key: second.key }, 'ORGANIZATION_GET');
    expect(own.body.result?.structuredContent).toMatchObject({ id: second.id, slug: 'second', name: 'Two' });
    const forged = await post(
      server.mcp,
      server.key,
      message(1, 'tools/call', { name: 'ORGANIZATION_GET', arguments: {} }),
      {
        'x-parley-organization': second.id,
        'x-organization-id': second.id,
        'x-parley-caller': second.id,
        'x-caller-id': second.id,
      },
    );
    expect(forged.body.result?.structuredContent).toMatchObject({ slug: 'default' });
    await json('organizations', 'rename', 'Three', '--slug', 'third', '--key', second.key);
    const listed = await json<{ slug: string; name: string }[]>('organizations', 'list');
    expect(listed).toMatchObject([{ slug: 'default' }, { slug: 'third', name: 'Three' }]);
    // With a key of its own it sees nothing of the other; a key for everything reaches what its user reaches.
    const { stdout } = await parley('roles', 'list', '--key', second.key);
    expect(stdout).not.toContain('helper');
  });

  test('parley doctor finds the log whole, with the denial in it, and says when an entry was changed', async () => {
    await server.stop();
    const found = async () => {
      const { stdout } = await parley('doctor', '--json');
      const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; found: string }[] };
      return checks.find(({ name }) => name === 'audit log');
    };
    expect(await found()).toMatchObject({ state: 'ok' });
    const store = await openStore({ dataDir: folder.path });
    const db = store.db<{ audit_log: { seq: number; action: string; target: string; caller_id: string } }>();
    const denials = await db
      .selectFrom('audit_log')
      .select('target')
      .where('action', '=', 'call.denied')
      .execute();
    expect(denials).toEqual([{ target: 'ORGANIZATION_UPDATE' }]);
    await db.updateTable('audit_log').set({ target: 'x' }).where('seq', '=', 2).execute();
    await store.close();
    expect(await found()).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('entry 2 of org_') as string,
    });
  });
});
