/** The record log with very many records as a bench process: recording and figures are timed in here. */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { detach, soleCaller } from '@parley/kit';
import type { CallBody, CallRecord } from '@parley/kit';
import { callParts, DEFAULT_LIMITS } from '@parley/gateway';
import { createIdentity, identityMigrations } from '@parley/identity';
import { openStore } from '@parley/store';
import { detailsWith } from '../../apps/server/src/redaction/call-detail.ts';
import { createMonitoring } from '../../packages/mesh/src/services/monitoring/index.ts';
import { announce, fail } from './serving.ts';

const { values } = parseArgs({
  options: { data: { type: 'string', default: '' }, 'database-url': { type: 'string' } },
});
const databaseUrl = values['database-url'];
const store = await openStore({
  dataDir: values.data,
  recordRetention: { maxAgeMs: 400 * 86_400_000, maxRows: 1e9, maxBytes: 1e12 },
  ...(databaseUrl !== undefined && { databaseUrl }),
});
await store.migrate([identityMigrations]);
const identity = createIdentity(store);
const monitoring = createMonitoring({ store, identity });
const { observe } = callParts(
  store,
  DEFAULT_LIMITS,
  detailsWith(() => ({ texts: [] })),
);
const caller = soleCaller('org_bench', 'Bench', { grants: {}, source: 'key' });

const MONTH_MS = 30 * 86_400_000;
const TOOLS = 10;
const FLUSH_ROWS = 4_000;
const STEADY_PER_SECOND = 6_000;
const LONGEST_PRUNE_MS = 10_000;
// The engine asks a tool for its effect and its schema alone.
const tool = {
  effect: 'read',
  definition: { name: 'echo', inputSchema: { type: 'object' } },
} as unknown as CallBody['tool'];

function callOf(index: number): CallRecord {
  const args = { text: `the ${index}th text of a usual length`, isShown: true };
  const content = [{ type: 'text' as const, text: JSON.stringify(args) }];
  return {
    caller,
    method: 'tools/call',
    name: `echo_${index % TOOLS}`,
    toolset: 'bench',
    outcome: index % 50 === 0 ? 'error' : 'ok',
    code: index % 50 === 0 ? 'invalid' : null,
    durationMs: 0.1 + (index % 97) / 20,
    info: { id: String(index), era: 'modern', client: 'bench' },
    body: { tool, args, answer: { content, structuredContent: args } },
  };
}

/** Recording from the end of a call until it is stored, with everything that is done to it. */
async function record(count: number): Promise<object> {
  const run = async (calls: number) => {
    const before = process.cpuUsage();
    let ownUs = 0;
    for (let index = 0; index < calls; index += 1) {
      const making = process.hrtime.bigint();
      const call = callOf(index);
      ownUs += Number(process.hrtime.bigint() - making) / 1000;
      observe(call);
      if (index % FLUSH_ROWS === 0) await store.records.flush();
    }
    await store.records.flush();
    const { user, system } = process.cpuUsage(before);
    return (user + system - ownUs) / calls;
  };
  await run(count / 4);
  return { perCallUs: Number((await run(count)).toFixed(2)) };
}

function recordOf(index: number, at: number): Parameters<typeof store.records.append>[0] {
  const call = callOf(index);
  return {
    at,
    organizationId: caller.organizationId,
    callerId: caller.id,
    userId: null,
    source: caller.source,
    toolset: call.toolset,
    tool: call.name,
    method: call.method,
    effect: 'read',
    outcome: call.outcome,
    code: call.code,
    durationUs: Math.round(call.durationMs * 1000),
    era: 'modern',
    client: 'bench',
    requestId: null,
  };
}

/** Records of a month, without bodies, which figures do not read. */
async function fill(count: number): Promise<object> {
  const startedMs = performance.now();
  const from = Date.now() - MONTH_MS;
  for (let index = 0; index < count; index += 1) {
    store.records.append(recordOf(index, from + Math.floor((index / count) * MONTH_MS)));
    if (index % FLUSH_ROWS === 0) await store.records.flush();
  }
  await store.records.flush();
  await monitoring.logs.stats(caller.organizationId, {});
  return { seconds: Math.round((performance.now() - startedMs) / 1000) };
}

/** New records at a steady rate, while all but the newest are deleted. */
async function beside(seconds: number): Promise<object> {
  const tidying = await openStore({
    dataDir: values.data,
    recordRetention: { maxAgeMs: 400 * 86_400_000, maxRows: 1_000, maxBytes: 1e12 },
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  const { records } = tidying;
  const before = await records.count();
  const pruned = records.prune();
  detach(pruned, fail);
  const startedMs = performance.now();
  let offered = 0;
  let mostWaiting = 0;
  for (let passedMs = 0; passedMs < seconds * 1000; passedMs = performance.now() - startedMs) {
    for (; offered < (passedMs * STEADY_PER_SECOND) / 1000; offered += 1)
      records.append({ ...recordOf(offered, Date.now()), requestId: 'steady' });
    mostWaiting = Math.max(mostWaiting, records.pending);
    await delay(10);
  }
  await records.flush();
  const stored = offered - records.dropped;
  // A short run may end before anything was deleted.
  await Promise.race([pruned, delay(LONGEST_PRUNE_MS)]);
  const deleted = before + stored - (await records.count());
  await tidying.close();
  return { offered, stored, deleted, mostWaiting };
}

async function stats(count: number): Promise<object> {
  const timesMs: number[] = [];
  let totalCalls = 0;
  for (let index = 0; index < count; index += 1) {
    const startedMs = performance.now();
    ({ calls: totalCalls } = await monitoring.logs.stats(caller.organizationId, {}));
    timesMs.push(performance.now() - startedMs);
  }
  return { timesMs, totalCalls };
}

announce(
  { url: 'http://127.0.0.1', key: '' },
  {
    async close() {
      identity.close();
      await store.close();
    },
    commands: {
      record: (count) => record(Number(count)),
      fill: (count) => fill(Number(count)),
      stats: (count) => stats(Number(count)),
      beside: (seconds) => beside(Number(seconds)),
    },
  },
);
