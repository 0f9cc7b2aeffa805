/** Owns the promises of measuring feedback: what is judged, and that the bench fills and asks as it says. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleScript } from './bundle.ts';
import { putOverRest, readOverRest } from './feedback-load.ts';
import { judgeFeedback } from './feedback-targets.ts';
import type { FeedbackSpeed } from './feedback.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

const times = { count: 1000, p50Ms: 2, p95Ms: 9, p99Ms: 12, cpuMs: 2 };
const speed: FeedbackSpeed = {
  listed: 94_000,
  fillSeconds: 10,
  search: times,
  list: times,
  deep: { ...times, deepest: 10_000 },
  votes: { perSecond: 2000, wrong: 0 },
  http: { search: times, list: times, votesPerSecond: 1500 },
};

const missed = (figures: Parameters<typeof judgeFeedback>[0]) =>
  judgeFeedback(figures).flatMap(({ verdict, what }) => (verdict === 'miss' ? [what] : []));

describe('verdicts on feedback', () => {
  test('each database is judged on reading, and a time at its limit is not under it', () => {
    expect(missed({ sqlite: speed, postgres: speed })).toEqual([]);
    const slow = { ...speed, search: { ...times, p50Ms: 20 } };
    expect(missed({ sqlite: slow, postgres: speed })).toEqual(['search over 100,000 posts p50, SQLite']);
    expect(missed({ sqlite: speed, postgres: slow })).toEqual(['search over 100,000 posts p50, PostgreSQL']);
  });

  test('deep pages are judged like first ones', () => {
    const deep = { ...speed.deep, p95Ms: 31 };
    expect(missed({ sqlite: { ...speed, deep } })).toEqual(['page of 100,000 posts p95, SQLite']);
  });

  test('fast votes with a wrong count on either database are a miss', () => {
    const wrong = { ...speed, votes: { perSecond: 9000, wrong: 1 } };
    expect(missed({ sqlite: wrong })).toEqual(['votes per second, SQLite']);
    expect(missed({ sqlite: speed, postgres: wrong })).toEqual(['votes per second, SQLite']);
  });

  test('without PostgreSQL its rows are not measured', () => {
    const verdicts = judgeFeedback({ sqlite: speed }).filter(({ what }) => what.endsWith('PostgreSQL'));
    expect(new Set(verdicts.map(({ verdict }) => verdict))).toEqual(new Set(['not measured']));
  });
});

describe('the feedback process', () => {
  let dataDir: string;
  let server: ServerProcess;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
    server = await startServer(bundleScript('servers/feedback-services.ts'), ['--data', dataDir]);
  });

  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('fills, searches, lists, goes deep and votes, with every answer checked', async () => {
    expect(Number((await server.ask('fill 1500'))['listed'])).toBeGreaterThan(1300);
    expect((await server.ask('search 60'))['timesMs']).toHaveLength(60);
    expect((await server.ask('list 40'))['timesMs']).toHaveLength(40);
    expect(Number((await server.ask('deep 40'))['deepest'])).toBeGreaterThanOrEqual(1000);
    expect((await server.ask('vote 900'))['wrong']).toBe(0);
    const { paths } = await server.ask('searchPaths 5');
    expect(await readOverRest(server.ready, (paths as string[]).map(String))).toHaveLength(5);
    const votes = (await server.ask('votePaths 30'))['paths'] as string[];
    expect(await putOverRest(server.ready, votes)).toBeGreaterThan(0);
    await expect(putOverRest(server.ready, ['/posts/nothing/vote'])).rejects.toThrow('HTTP 400');
  });
});
