/** Owns the promises of measuring durable tasks: what is judged, what is counted, and what is never overlooked. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleScript } from './bundle.ts';
import { latencyOf } from './latency.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { countAfterKills } from './task-kill.ts';
import { judgeTasks } from './task-targets.ts';
import type { TaskFigures } from './tasks.ts';

const latency = { count: 100, p50Ms: 1, p99Ms: 3 };
const speed = {
  queuedPerSecond: 3000,
  runPerSecond: 1500,
  httpPerSecond: 900,
  httpCreate: latency,
  startOneProcess: latency,
  startTwoProcesses: latency,
  resume: latency,
};
const figures: TaskFigures = {
  sqlite: speed,
  get: { ...latency, stored: 100_000 },
  parked: {
    count: 10_000,
    cpuPercent: 0.4,
    seconds: 5,
    timersBefore: 4,
    timersAfter: 5,
    addedMb: 16,
    addedAsLeftMb: 130,
  },
  kill: { kills: 2, acknowledged: 1000, missing: 0, momentsMs: [200, 700] },
};

function missed(changed: Partial<TaskFigures>): string[] {
  return judgeTasks({ ...figures, ...changed })
    .filter(({ verdict }) => verdict !== 'pass')
    .map(({ what }) => what);
}

describe('verdicts on durable tasks', () => {
  test('figures inside their limits pass, all of them', () => {
    expect(missed({})).toEqual([]);
  });

  test('the slower way to create one after another is judged', () => {
    expect(missed({ sqlite: { ...speed, runPerSecond: 999 } })).toEqual([
      'tasks created per second on SQLite',
    ]);
  });

  test('a time at its limit is not under it', () => {
    const sqlite = { ...speed, startTwoProcesses: { ...latency, p50Ms: 200 } };
    expect(missed({ sqlite })).toEqual(['enqueue to start p50, two processes']);
  });

  test('a timer for each parked task is a miss, however cheap it is', () => {
    const parked = { ...figures.parked, timersAfter: 10_004 };
    expect(missed({ parked })).toEqual(['10,000 parked tasks: CPU']);
  });

  test('one lost task is a miss, and so is a kill before the first one', () => {
    const what = ['acknowledged tasks missing after kill -9'];
    expect(missed({ kill: { ...figures.kill, missing: 1 } })).toEqual(what);
    expect(missed({ kill: { ...figures.kill, acknowledged: 0 } })).toEqual(what);
  });

  test('slow figures of PostgreSQL stand beside those of SQLite and change no verdict', () => {
    const postgres = { ...speed, queuedPerSecond: 1 };
    expect(missed({ postgres })).toEqual([]);
    expect(judgeTasks({ ...figures, postgres })[0]?.note).toContain('PostgreSQL 1 queued');
  });

  test('latencies tell the middle and the slow end, and nothing of no times', () => {
    const timesMs = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(latencyOf(timesMs)).toEqual({ count: 100, p50Ms: 51, p99Ms: 100 });
    expect(() => latencyOf([])).toThrow('Nothing was timed');
  });
});

describe('the task process', () => {
  let script: string;
  let dataDir: string;
  let server: ServerProcess | undefined;

  beforeAll(() => {
    script = bundleScript('servers/task-engine.ts');
    dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('every task that was made is timed once, and every answer too', async () => {
    server = await startServer(script, ['--data', join(dataDir, 'speed'), '--worker']);
    expect(await server.ask('create 30')).toEqual({ perSecond: expect.any(Number) });
    const { timesMs } = await server.ask('times 30');
    expect(timesMs).toHaveLength(30);
    expect((await server.ask('answer 3'))['timesMs']).toHaveLength(3);
  });

  test('parking adds one timer at most', async () => {
    const before = await server?.ask('footprint');
    await server?.ask('park 40');
    const after = await server?.ask('footprint');
    expect(Number(after?.['timers'])).toBeLessThanOrEqual(Number(before?.['timers']) + 1);
  });

  test('an acknowledged task survives a kill, and one that never was is counted as missing', async () => {
    const folder = join(dataDir, 'kill');
    const count = await countAfterKills(script, folder, 1);
    expect(count).toMatchObject({ kills: 1, missing: 0 });
    expect(count.acknowledged).toBeGreaterThan(0);
    const file = join(folder, 'invented.txt');
    writeFileSync(file, 'task_that_never_was\n');
    const reader = await startServer(script, ['--data', folder]);
    expect(await reader.ask(`missing ${file}`)).toEqual({ missing: 1 });
    await reader.stop();
  });
});
