/** Three servers on PostgreSQL without sticky balancing: clients of both eras, through a rolling restart. */
import { scratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { modern, modernHeaders } from '@parley/test-support/wire';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openStream } from '../../packages/gateway/test/event-stream.ts';
import { openSession } from '../../packages/gateway/test/session.ts';
import { ensureBuilt } from '../product/build.ts';
import { callTool } from '../product/mcp-messages.ts';
import type { Server } from '../product/parley.ts';
import { startReplicaBed, whileClientsWork } from './replica-bed.ts';
import { whileAsking } from './steady-requests.ts';

beforeAll(ensureBuilt);

/** Beside the clients of both eras; `npm run faults -- rolling` has five hundred. */
const REQUESTS_PER_SECOND = 20;

async function openBed() {
  const database = await scratchDatabase('postgres');
  onTestFinished(() => database.remove());
  const { databaseUrl = '', dataDir } = database.options;
  const bed = await startReplicaBed({ databaseUrl, dataDir });
  onTestFinished(() => bed[Symbol.asyncDispose]());
  return bed;
}

test('no request fails while servers are restarted one after the other', { timeout: 240_000 }, async () => {
  const bed = await openBed();
  const asked = { url: bed.balancer.url, key: bed.key };
  const doings = await whileClientsWork(bed, 2, async () => {
    const { failures } = await whileAsking(asked, REQUESTS_PER_SECOND, async () => {
      for (const index of bed.servers.keys()) await bed.restart(index);
    });
    expect(failures).toEqual({});
  });
  expect(doings.failures).toEqual([]);
  for (const era of ['modern', 'legacy'])
    for (const what of ['list', 'call', 'ask']) expect(doings.done[`${era} ${what}`]).toBeGreaterThan(10);
  // Each session was on a server that ended.
  expect(doings.reopened).toBeGreaterThan(0);
  // Whoever was asked got an answer once: nothing was sent a second time.
  const answered = (doings.done['modern ask'] ?? 0) + (doings.done['legacy ask'] ?? 0);
  expect(bed.upstream.calls.ask).toBeGreaterThanOrEqual(answered);
  expect(bed.upstream.calls.ask).toBeLessThanOrEqual(answered + doings.reopened);

  // What is heard comes through any of them, whoever makes the change.
  const { key, balancer } = bed;
  const message = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const body = JSON.stringify(message);
  const listens = await Promise.all(
    bed.servers.map(() => openStream({ port: balancer.port, key, headers: modernHeaders(message), body })),
  );
  for (const listen of listens)
    expect(await listen.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
  const session = await openSession({ port: balancer.port, key });
  const heard = await openStream({ port: balancer.port, key, method: 'GET', headers: session.headers });
  expect(heard.status).toBe(200);
  const off = { id: 'conn_asking', data: { status: 'inactive' } };
  await callTool({ mcp: `${balancer.url}/mcp`, key }, 'COLLECTION_CONNECTIONS_UPDATE', off);
  const toolsChanged = { method: 'notifications/tools/list_changed' };
  for (const listen of listens) expect(await listen.next()).toMatchObject(toolsChanged);
  // A session hears of other lists too, before it or after it.
  let told = await heard.next();
  while (/(resources|prompts)\/list_changed$/.test(told.method)) told = await heard.next();
  expect(told).toMatchObject(toolsChanged);
  await Promise.all([...listens, heard].map((stream) => stream.close()));

  // One that is killed takes its sessions along, and the others answer on.
  const [dead, other] = bed.servers;
  const lost = await openSession({ port: portOf(dead), key });
  dead?.child.kill('SIGKILL');
  await dead?.ended;
  await eventually(() => expect(balancer.ready()).toBe(2));
  const again = await openStream({ port: portOf(other), key, method: 'GET', headers: lost.headers });
  expect(again.status).toBe(404);
  const mcp = `${balancer.url}/mcp`;
  for (let count = 0; count < 4; count += 1)
    expect((await callTool({ mcp, key }, 'parley_whoami')).status).toBe(200);
});

function portOf(server: Server | undefined): number {
  return Number(new URL(server?.url ?? '').port);
}
