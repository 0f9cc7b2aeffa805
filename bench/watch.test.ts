/** Owns the promises of measuring watches: what is judged, and that a wrong answer is never timed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleScript } from './bundle.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { judgeWatch } from './watch-targets.ts';
import type { WakeUp, WatchSpeed } from './watch.ts';

function wakeUp(p50Ms: number): WakeUp {
  const latency = { count: 200, p50Ms, p99Ms: p50Ms };
  return { fromChange: latency, fromCommit: { ...latency, p50Ms: p50Ms / 2 } };
}

const fast = { one: wakeUp(1), many: wakeUp(2) };
const speed: WatchSpeed = { oneProcess: fast, twoProcesses: fast };

function verdictsOf(sqlite: WatchSpeed, postgres?: WatchSpeed): string[] {
  return judgeWatch({ sqlite, ...(postgres && { postgres }) }).map(({ verdict }) => verdict);
}

describe('verdicts on watches', () => {
  test('the slower of one waiter and many is judged, and a time at its limit is not under it', () => {
    expect(verdictsOf(speed)).toEqual(['pass', 'pass']);
    expect(verdictsOf({ ...speed, oneProcess: { ...fast, many: wakeUp(10) } })).toEqual(['miss', 'pass']);
    expect(verdictsOf({ ...speed, twoProcesses: { ...fast, one: wakeUp(200) } })).toEqual(['pass', 'miss']);
  });

  test('slow figures of PostgreSQL stand beside those of SQLite and change no verdict', () => {
    const slow = { one: wakeUp(900), many: wakeUp(900) };
    const postgres = { oneProcess: slow, twoProcesses: slow };
    expect(verdictsOf(speed, postgres)).toEqual(['pass', 'pass']);
    expect(judgeWatch({ sqlite: speed, postgres })[0]?.note).toContain('PostgreSQL one waiter 900 ms');
  });
});

describe('the watching process', () => {
  let dataDir: string;
  const started: ServerProcess[] = [];

  beforeAll(async () => {
    const script = bundleScript('servers/watch-services.ts');
    dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
    for (let count = 0; count < 2; count++) started.push(await startServer(script, ['--data', dataDir]));
  });

  afterAll(async () => {
    await Promise.all(started.map((server) => server.stop()));
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('every waiter answers the note of the other process, and a note that was not made is refused', async () => {
    const [waiter, maker] = started;
    await waiter?.ask('arm 3');
    const change = await maker?.ask('change');
    expect((await waiter?.ask(`answered ${String(change?.['id'])}`))?.['answeredMs']).toHaveLength(3);
    expect(await maker?.ask('clear')).toEqual({ cleared: 1 });
    await waiter?.ask('arm 1');
    await maker?.ask('change');
    await expect(waiter?.ask('answered ann_that_never_was')).rejects.toThrow(
      'where ann_that_never_was was made',
    );
  });
});
