/** A toolset is its folder and one line: everything that it declares is there, and nothing else knows it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSourceTree } from '../../scripts/check/source-tree.ts';
import { ROOT } from './build.ts';
import { callTool, message, post } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';
import { keyOfNew } from './people.ts';

const program = join(ROOT, 'test/product/stranger-program.ts');
const folder = scratchFolder();
let server: Server;
let ready: Record<string, unknown>;

beforeAll(async () => {
  const migrated = await runParley(['migrate', '--data', folder.path, '--json'], { program });
  expect((JSON.parse(migrated.stdout) as { applied: string[] }).applied).toContain('lantern/001-lanterns');
  server = await startParley(folder.path, { program, args: ['--lantern-oil', '7'] });
  ready = JSON.parse(server.stdout().split('\n')[0] ?? '') as Record<string, unknown>;
});

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const namesOf = async (key: string) => {
  const { body } = await post(`${server.mcp}/lantern`, key, message(1, 'tools/list'));
  return body.result?.tools?.map(({ name }) => name) ?? body.error?.message;
};

describe('a toolset of a stranger', () => {
  test('has its tools, over its own table and its own setting', async () => {
    const lit = await callTool(server, 'light_lantern');
    expect(lit.body.result?.structuredContent).toEqual({ oil: 7 });
    const counted = await callTool(server, 'count_lanterns');
    expect(counted.body.result?.structuredContent).toEqual({ lit: 1 });
  });

  test('serves its routes, and without a key only what it declares open', async () => {
    const send = (path: string, key?: string) =>
      fetch(server.url + path, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } });
    expect((await send('/lanterns')).status).toBe(401);
    expect((await send('/lanterns/about/')).status).toBe(401);
    const foreign = await fetch(`${server.url}/lanterns/about`, {
      headers: { origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    const counted = await send('/lanterns', server.key);
    expect([counted.status, Object.keys((await counted.json()) as object)]).toEqual([200, ['lit']]);
    const open = await send('/lanterns/about');
    expect([open.status, await open.text()]).toEqual([200, 'Lanterns give light.']);
  });

  test.each([
    ['owner', ['count_lanterns', 'light_lantern'], true],
    ['admin', ['count_lanterns', 'light_lantern'], true],
    ['member', ['count_lanterns', 'light_lantern'], true],
    ['user', ['count_lanterns'], false],
  ])('gives the role %s what it declares, and no more', async (role, tools, mayLight) => {
    const key = await keyOfNew(role, folder.path);
    expect(await namesOf(key)).toEqual(tools);
    const { body } = await callTool({ ...server, key }, 'light_lantern');
    expect(body.result?.structuredContent).toEqual(mayLight ? { oil: 7 } : undefined);
  });

  test('says its word when the server is ready', () => {
    expect(ready['lanterns']).toBe(`${server.url}/lanterns`);
  });

  test('has its option in the help and in the messages, with its bounds', async () => {
    const help = await runParley(['start', '--help'], { program });
    expect(help.stdout).toContain('--lantern-oil CUPS');
    const bad = await runParley(['migrate', '--data', folder.path, '--lantern-oil', '10'], { program });
    expect(bad).toMatchObject({
      code: 2,
      stderr: 'parley: --lantern-oil: must be a whole number from 1 to 9 (got "10")\n',
    });
    const unknown = await runParley(['migrate', '--data', folder.path, '--lantern-oil', '3']);
    expect(unknown.code).toBe(2);
  });

  test('is named by nothing but its folder, the one line and this test', () => {
    const naming = readSourceTree(ROOT)
      .paths.filter((path) => !path.startsWith('test/product/lantern/'))
      .filter((path) => /lantern/i.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(naming.toSorted()).toEqual([
      'test/product/stranger-program.ts',
      'test/product/stranger-toolset.test.ts',
    ]);
  });
});
