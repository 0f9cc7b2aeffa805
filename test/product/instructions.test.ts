/** What clients hear of the toolsets when they connect, on every way in. */
import { join } from 'node:path';
import { annotationsToolset } from '@parley/annotations';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { message, post } from './mcp-messages.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

let folder: ReturnType<typeof scratchFolder>;
let data: string;

beforeAll(ensureBuilt);
beforeEach(() => {
  folder = scratchFolder();
  data = join(folder.path, 'data');
});
afterEach(() => folder[Symbol.dispose]());

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

async function overStdio(first: object, ...toolsets: string[]): Promise<string | undefined> {
  const { stdout } = await runParley(['mcp', ...toolsets, '--data', data], {
    input: `${JSON.stringify(first)}\n`,
  });
  const { result } = JSON.parse(stdout.split('\n')[0] ?? '') as { result?: { instructions?: string } };
  return result?.instructions;
}

test('a client of annotations is told the loop by initialize and by server/discover, over stdio and over HTTP', async () => {
  const { instructions = '' } = annotationsToolset;
  expect(instructions).toContain('get_mine');
  const discover = message(1, 'server/discover');
  for (const first of [INITIALIZE, discover]) {
    expect(await overStdio(first, 'annotations')).toBe(instructions);
    expect(await overStdio(first)).toContain(instructions);
    expect((await overStdio(first, 'tasks')) ?? '').not.toContain(instructions);
  }
  await using server = await startParley(data);
  // The keys of a role with three tools: the text would name others that it does not have.
  const made = await fetch(`${server.url}/api/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Narrow',
      role: 'admin',
      grants: { annotations: ['get_all_pending', 'reply', 'resolve'] },
    }),
  });
  const { key: narrow } = ((await made.json()) as { data: { key: string } }).data;
  for (const first of [INITIALIZE, discover])
    expect(await overStdio(first, 'annotations', '--key', narrow)).toBeUndefined();
  for (const [path, isTold] of [
    ['/mcp/annotations', true],
    ['/mcp', true],
    ['/mcp/tasks', false],
  ] as const) {
    const isToldTo = async (key: string) => {
      const { text } = await post(server.url + path, key, discover);
      const initialized = await fetch(server.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(INITIALIZE),
      });
      return [text, await initialized.text()].map((answer) => answer.includes(instructions));
    };
    expect(await isToldTo(server.key), path).toEqual([isTold, isTold]);
    expect(await isToldTo(narrow), path).toEqual([false, false]);
  }
});
