/** `parley pages`: tokens of annotated pages are listed, bound and revoked while a server runs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage, ORIGIN, tokenOf } from './annotations-page.ts';
import { ensureBuilt } from './build.ts';
import { message, post } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

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

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly pages: number;
  readonly origins: string[];
}

const pages = (...args: string[]) => runParley(['pages', ...args, '--data', folder.path]);
const tagOf = ({ stdout }: Server) =>
  (JSON.parse(stdout().split('\n')[0] ?? '') as { overlayTag: string }).overlayTag;

async function listed(): Promise<Shown[]> {
  const { code, stdout, stderr } = await pages('list', '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Shown[];
}

test('the token of a running server is listed with its pages, and its text is not shown', async () => {
  const page = await openPage(server.url, tokenOf(tagOf(server)));
  const [token] = await listed();
  expect(token).toMatchObject({ state: 'valid', pages: 1, origins: [] });
  const { stdout } = await pages('list');
  expect(stdout).toMatch(new RegExp(`^${token!.id} +valid +1 .*any that the server allows$`, 'm'));
  expect(stdout).not.toContain('parley_page_');
  page.close();
});

test('pages of other origins than the bound ones are disconnected and refused', async () => {
  const token = tokenOf(tagOf(server));
  const page = await openPage(server.url, token);
  expect((await pages('allow', 'https://shop.example')).stdout).toMatch(
    /^Only pages of https:\/\/shop\.example may use page token ptk_\w+\.\n$/,
  );
  expect(await page.closed).toBe(4401);
  await expect(openPage(server.url, token)).rejects.toThrow('4401');
  expect((await pages('allow', ORIGIN, 'https://shop.example')).code).toBe(0);
  (await openPage(server.url, token)).close();
  expect((await pages('allow', 'any')).stdout).toContain('is bound to no origin');
  expect((await listed())[0]?.origins).toEqual([]);
});

test('a revoked token closes its pages, opens nothing, and the next start prints a new one', async () => {
  const token = tokenOf(tagOf(server));
  const page = await openPage(server.url, token);
  const taken = await pages('create');
  expect({ code: taken.code, stdout: taken.stdout }).toEqual({ code: 1, stdout: '' });
  expect(taken.stderr).toMatch(
    /^parley: There is a valid page token: ptk_\w+\. .* revoke it to make another\.\n$/,
  );
  const [{ id } = { id: '' }] = await listed();
  const { code, stdout } = await pages('revoke', id);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `Page token ${id} is revoked. The next "parley start" makes a new one and prints its script tag.\n`,
  });
  expect(await page.closed).toBe(4401);
  await expect(openPage(server.url, token)).rejects.toThrow('4401');
  expect((await pages('allow', 'any')).stderr).toBe(
    'parley: There is no valid page token. "parley start" and "parley pages create" make one.\n',
  );
  await server.stop();
  server = await startParley(folder.path);
  expect(tokenOf(tagOf(server))).not.toBe(token);
  (await openPage(server.url, tokenOf(tagOf(server)))).close();
  expect((await listed()).map(({ state }) => state)).toEqual(['valid', 'revoked']);
});

test('a token can be made without a start, and a running server takes it', async () => {
  const [{ id } = { id: '' }] = await listed();
  await pages('revoke', id);
  const made = await pages('create', '--json');
  const { token, overlayTag } = JSON.parse(made.stdout) as { token: string; overlayTag: string };
  expect(tokenOf(overlayTag)).toBe(token);
  (await openPage(server.url, token)).close();
});

test.each([
  ['no action', []],
  ['an unknown action', ['destroy']],
  ['an inherited action', ['constructor']],
  ['binding to nothing', ['allow']],
  ['revoking nothing', ['revoke']],
  ['revoking two', ['revoke', 'ptk_a', 'ptk_b']],
  ['a list of something', ['list', 'x']],
  ['a name for a new one', ['create', 'x']],
])('%s is refused with the usage and code 2', async (_name, args) => {
  const { code, stdout, stderr } = await pages(...args);
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: 'parley: Usage: parley pages list | allow ORIGIN... | revoke ID | create\n',
  });
});

test('what is no origin and an unknown id are refused in one line', async () => {
  const odd = await pages('allow', 'shop.example');
  expect(odd.code).toBe(1);
  expect(odd.stderr.trim().split('\n')).toHaveLength(1);
  expect(odd.stderr).toContain('must be an origin such as https://shop.example');
  const unknown = await pages('revoke', 'ptk_unknown');
  expect({ code: unknown.code, stderr: unknown.stderr }).toEqual({
    code: 1,
    stderr: 'parley: Page token not found: ptk_unknown\n',
  });
});

test('a narrow key can do none of it, and nothing changes', async () => {
  const { stdout } = await runParley([
    'keys',
    'create',
    'Narrow',
    '--grant',
    'annotations:list_sessions',
    '--data',
    folder.path,
    '--json',
  ]);
  const { key } = JSON.parse(stdout) as { key: string };
  // A page that was closed a moment ago is counted until the server has seen it go.
  const first = async () => ({ ...(await listed())[0]!, pages: 0 });
  const before = await first();
  for (const args of [['list'], ['create'], ['revoke', before.id], ['allow', 'https://shop.example']]) {
    const { code, stdout: said, stderr } = await pages(...args, '--key', key);
    expect({ code, said }, args[0]).toEqual({ code: 1, said: '' });
    expect(stderr, args[0]).toContain('This key may not manage page tokens.');
  }
  expect(await first()).toEqual(before);
});

test('the list of tools that an owner key sees over MCP has none of them', async () => {
  const url = `${server.url}/mcp/annotations`;
  const { body } = await post(url, server.key, message(1, 'tools/list'));
  const names = body.result?.tools?.map(({ name }) => name) ?? [];
  expect(names).toContain('acknowledge');
  expect(names.filter((name) => name.includes('page_token'))).toEqual([]);
});
