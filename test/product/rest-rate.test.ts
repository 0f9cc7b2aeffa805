/** How often the REST of toolsets is served: each key by its own rate, and everybody without a valid key by address. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../apps/server/src/app.ts';
import { createApp } from '../../apps/server/src/app.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import { scratchFolder } from './parley.ts';

const folder = scratchFolder();
const BURST = 30;
let app: App;
let url: string;
let owner: string;

beforeAll(async () => {
  const flags = ['--port', '0', '--log-level', 'silent', '--data', folder.path];
  // A token an hour comes back: none, for as long as a test lasts.
  const { config } = loadConfig([...flags, '--rate-burst', String(BURST)], { env: {} });
  app = await createApp({ config: { ...config, limits: { ...config.limits, ratePerSecond: 1 / 3600 } } });
  ({ url } = await app.listen());
  owner = readFileSync(app.ownerKeyFile, 'utf8').trim();
});

afterAll(async () => {
  await app.close();
  folder[Symbol.dispose]();
});

/** The statuses of many requests, each with how often it came. */
async function flood(path: string, times: number, key?: string): Promise<Record<string, number>> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const seen: Record<string, number> = {};
  const each = async () => {
    const answer = await fetch(`${url}${path}`, { headers });
    await answer.arrayBuffer();
    seen[answer.status] = (seen[answer.status] ?? 0) + 1;
  };
  for (let left = times; left > 0; left -= 50)
    await Promise.all(Array.from({ length: Math.min(left, 50) }, each));
  return seen;
}

async function newKey(name: string): Promise<string> {
  const { identity } = app.host;
  const caller = await identity.authenticate(owner, 'key');
  if (caller === undefined) throw new Error('The key of the owner is not valid.');
  return (await identity.createKey(caller, { name, grants: caller.grants, expiresAt: null })).text;
}

test.each(['/api/notifications', '/api/audit'])(
  'a flood without a valid key at %s is refused by address, and a key at that address is served',
  async (path) => {
    expect(await flood(path, 1300)).toEqual({ 401: 1200, 429: 100 });
    expect(await flood(path, 15, 'nonsense')).toEqual({ 401: 10, 429: 5 });
    expect(await flood(path, 1, await newKey('Served'))).toEqual({ 200: 1 });
  },
);

test.each(['/api/notifications', '/api/audit'])(
  'a key that comes too often to %s is refused everywhere, and no other is',
  async (path) => {
    const busy = await newKey('Busy');
    expect(await flood(path, BURST + 5, busy)).toEqual({ 200: BURST, 429: 5 });
    expect(await flood('/api/agents', 1, busy)).toEqual({ 429: 1 });
    expect(await flood('/mcp', 1, busy)).toEqual({ 429: 1 });
    expect(await flood(path, 1, await newKey('Calm'))).toEqual({ 200: 1 });
  },
);
