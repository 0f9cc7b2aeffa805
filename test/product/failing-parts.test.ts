/** A toolset that fails in its routes and at the stop: it is reported, and everybody else is served to the end. */
import { join } from 'node:path';
import { openStore } from '@parley/store';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool, stdioClient } from './mcp-messages.ts';
import { scratchFolder, spawnParley, startParley } from './parley.ts';

const program = join(import.meta.dirname, 'failing-program.ts');
const STOP_FAULTS = ['a stop that rejects', 'a stop that throws'];

beforeAll(ensureBuilt);

/** The faults that were reported with this `where`. */
function faultsAt(stderr: string, where: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => line.includes(`"where":"${where}"`))
    .map((line) => (JSON.parse(line) as { err: { message: string } }).err.message);
}

test('a route that throws is reported, its request is ended, and the server goes on', async () => {
  using folder = scratchFolder();
  await using server = await startParley(folder.path, { program });
  for (const path of ['at-once', 'later']) {
    const response = await fetch(`${server.url}/failing/${path}`, { signal: AbortSignal.timeout(15_000) });
    expect([path, response.status]).toEqual([path, 500]);
    expect(await response.text()).not.toMatch(/thrown|rejected/);
  }
  const half = await fetch(`${server.url}/failing/midway`, { signal: AbortSignal.timeout(15_000) });
  await expect(half.text()).rejects.toThrow('terminated');
  expect((await callTool(server, 'parley_whoami')).status).toBe(200);
  expect(faultsAt(server.stderr(), 'http')).toEqual([
    'thrown before there is a promise',
    'rejected',
    'thrown after half of the answer',
  ]);
  const metrics = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${server.key}` },
  });
  expect(await metrics.text()).toContain('\nparley_uncaught_errors_total 0\n');
});

test('a stop that fails is reported, and the rest of "parley start" still ends', async () => {
  using folder = scratchFolder();
  const server = await startParley(folder.path, { program });
  expect((await callTool(server, 'parley_whoami')).status).toBe(200);
  const { code, stderr } = await server.stop();
  expect(faultsAt(stderr, 'stop').toSorted()).toEqual([...STOP_FAULTS, 'routes that do not close']);
  expect(stderr).toContain('"msg":"stopped"');
  expect(code).toBe(0);
  const store = await openStore({ dataDir: folder.path });
  expect(await store.records.count()).toBe(1);
  await store.close();
});

test('a stop that fails is reported, and the rest of "parley mcp" still ends', async () => {
  using folder = scratchFolder();
  const running = spawnParley(['mcp', '--data', folder.path], { program });
  await stdioClient(running).call('parley_whoami');
  running.child.stdin.end();
  const { code, stderr } = await running.ended;
  expect(faultsAt(stderr, 'stop').toSorted()).toEqual(STOP_FAULTS);
  expect(code).toBe(0);
  const store = await openStore({ dataDir: folder.path });
  expect(await store.records.count()).toBe(1);
  await store.close();
});
