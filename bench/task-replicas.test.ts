/** Owns the promises of measuring replicas: what is judged, against what, and that every task is counted. */
import { expect, test } from 'vitest';
import { bundleScript } from './bundle.ts';
import { judgeReplicas } from './task-replica-targets.ts';
import { measureLoad } from './task-replicas.ts';
import type { ReplicaFigures, ReplicaLoad } from './task-replicas.ts';

const load = (runPerSecond: number): ReplicaLoad => ({
  createdPerSecond: runPerSecond,
  refused: 0,
  finishedPerSecond: runPerSecond,
  runPerSecond,
  start: { count: 100, p50Ms: 2, p99Ms: 9 },
  cores: 1,
  databaseCores: 0.5,
});
const figures: ReplicaFigures = {
  one: load(3000),
  three: load(4500),
  held: { cores: 0.2, one: load(1000), three: load(2500) },
  clients: { ...load(2000), clients: 512 },
  filled: { ...load(2900), stored: 1_000_000 },
  sqlite: load(2500),
  beside: { one: load(450), clients: load(15), sqlite: load(2200) },
};

const missed = (changed: Partial<ReplicaFigures>) =>
  judgeReplicas({ ...figures, ...changed })
    .filter(({ verdict }) => verdict === 'miss')
    .map(({ what }) => what);

test('figures inside their limits pass, and each one outside is a miss', () => {
  expect(missed({})).toEqual([]);
  expect(missed({ one: load(1999), three: load(4500), filled: { ...load(1999), stored: 1 } })).toEqual([
    'tasks created and run on PostgreSQL, one replica',
    'the same against the checkout beside it',
  ]);
  expect(missed({ three: load(4100) })).toEqual(['three replicas against one']);
  expect(missed({ held: { cores: 0.2, one: load(1000), three: load(1300) } })).toEqual([
    'three replicas against one, each held to a part of a core',
  ]);
  expect(missed({ clients: { ...load(999), clients: 512 } })).toEqual(['finished with 512 clients']);
  expect(missed({ sqlite: load(2100) })).toEqual(['SQLite against the checkout beside it']);
});

test('what was not measured beside is not judged as if it were', () => {
  const { beside: _left, ...alone } = figures;
  const verdicts = judgeReplicas(alone).map(({ verdict }) => verdict);
  expect(verdicts.filter((verdict) => verdict === 'not measured')).toHaveLength(2);
  expect(judgeReplicas(undefined).every(({ verdict }) => verdict === 'not measured')).toBe(true);
});

test('a replica runs what it creates, and says so', async () => {
  const script = bundleScript('servers/task-replica.ts');
  const options = { flags: [], replicas: 1, creators: 4, seconds: 0.2, stored: 100 };
  const measured = await measureLoad(script, options);
  expect(measured.refused).toBe(0);
  expect(measured.runPerSecond).toBeGreaterThan(0);
  expect(measured.start.count).toBeGreaterThan(0);
});
