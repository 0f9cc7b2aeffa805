/** Owns the promises of measuring monitoring: what is judged, and that every record is counted. */
import { expect, test } from 'vitest';
import { findMethod } from './machine.ts';
import type { MonitoringSpeed } from './monitoring.ts';
import { measureMonitoring } from './monitoring.ts';
import { judgeMonitoring } from './monitoring-targets.ts';

const speed: MonitoringSpeed = {
  records: 5_000_000,
  fillSeconds: 60,
  stats: { count: 100, p50Ms: 4, p99Ms: 9 },
  recordingUs: 6,
};
const verdictsOf = (sqlite: Partial<MonitoringSpeed>) =>
  judgeMonitoring({ sqlite: { ...speed, ...sqlite } }).map(({ verdict }) => verdict);

test('a figure at its limit passes for the cost and misses for the time, and fewer records are not measured', () => {
  expect(verdictsOf({})).toEqual(['pass', 'pass']);
  expect(verdictsOf({ recordingUs: 10 })).toEqual(['pass', 'pass']);
  expect(verdictsOf({ recordingUs: 10.1 })).toEqual(['miss', 'pass']);
  expect(verdictsOf({ stats: { ...speed.stats, p50Ms: 50 } })).toEqual(['pass', 'miss']);
  expect(verdictsOf({ records: 4_999_999 })).toEqual(['pass', 'not measured']);
  expect(judgeMonitoring(undefined).map(({ verdict }) => verdict)).toEqual(['not measured', 'not measured']);
});

test('the process records, and counts every record', async () => {
  const settings = { records: 5_000, queries: 2, calls: 400 };
  const quiet = () => undefined;
  const { sqlite } = await measureMonitoring(
    settings,
    { method: findMethod(), databaseUrl: undefined },
    quiet,
  );
  expect(sqlite.stats.count).toBe(2);
  expect(sqlite.recordingUs).toBeGreaterThan(0);
});
