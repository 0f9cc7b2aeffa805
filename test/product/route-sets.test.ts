/** Routes that toolsets bring: the longest prefix has a path, no two sets share one, and a faulty set harms nobody. */
import type { RouteSet } from '@parley/http';
import { defineToolset } from '@parley/kit';
import { afterEach, describe, expect, test } from 'vitest';
import { createApp } from '../../apps/server/src/app.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import { scratchFolder } from './parley.ts';

type Handle = RouteSet['handle'];

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const says =
  (text: string): Handle =>
  async (_req, res) => {
    res.end(text);
  };

/** A toolset that brings nothing but routes. */
function bringing(name: string, prefix: string, handle: Handle) {
  const routes = (): RouteSet => ({ name, prefix, isGuarded: true, handle, close: async () => undefined });
  return defineToolset({ name: name.toLowerCase(), title: name, tools: [], routes });
}

async function start(...toolsets: ReturnType<typeof bringing>[]): Promise<string> {
  const folder = scratchFolder();
  closing.push(async () => folder[Symbol.dispose]());
  const flags = ['--port', '0', '--log-level', 'silent', '--data', folder.path];
  const app = await createApp({ config: loadConfig(flags, { env: {} }).config, toolsets });
  closing.push(() => app.close());
  return (await app.listen()).url;
}

test('the longest prefix has a path, whatever came first', async () => {
  const url = await start(
    bringing('Console', '/things', says('console')),
    bringing('Deep', '/things/v1/deep', says('deep')),
  );
  const ask = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    return [answer.status, await answer.text()];
  };
  expect(await ask('/things/x')).toEqual([200, 'console']);
  expect(await ask('/things/v2')).toEqual([200, 'console']);
  expect(await ask('/things/v1/deep/x')).toEqual([200, 'deep']);
  expect(await ask('/api/v1/openapi.json')).toEqual([200, expect.stringContaining('Parley feedback API')]);
  expect((await ask('/api/v1/posts'))[0]).toBe(401);
});

test.each([
  ['/api/v1', '"Feedback API" and "Mine" both want /api/v1. Give one of them another prefix.'],
  ['/feedback', '"Feedback pages" and "Mine" both want /feedback.'],
  ['/__parley', '"Browser link" and "Mine" both want /__parley.'],
  ['/mcp', '"MCP" and "Mine" both want /mcp.'],
])('two sets on %s refuse to start, and say which', async (prefix, sentence) => {
  await expect(start(bringing('Mine', prefix, says('mine')))).rejects.toThrow(sentence);
});

describe('a set that fails', () => {
  const atOnce: Handle = () => {
    throw new Error('at once');
  };
  const inTime: Handle = async () => {
    throw new Error('in time');
  };
  const halfway: Handle = async (_req, res) => {
    res.write('some');
    throw new Error('halfway');
  };

  test.each([
    ['before it has made a promise', atOnce, '500'],
    ['later', inTime, '500'],
    ['after it has begun to answer', halfway, 'cut'],
  ])('%s harms no other request', async (_name, handle, seen) => {
    const url = await start(bringing('Faulty', '/faulty', handle));
    const status = await fetch(`${url}/faulty`)
      .then(
        async (answer) => answer.text().then(() => String(answer.status)),
        () => 'cut',
      )
      .catch(() => 'cut');
    expect(status).toBe(seen);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});
