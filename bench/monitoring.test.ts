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
  beside: { offered: 60_000, stored: 60_000, deleted: 4_000_000, mostWaiting: 700 },
};
const verdictsOf = (sqlite: Partial<MonitoringSpeed>) =>
  judgeMonitoring({ sqlite: { ...speed, ...sqlite } }).map(({ verdict }) => verdict);

test('a figure at its limit passes for the cost and misses for the time, and fewer records are not measured', () => {
  expect(verdictsOf({})).toEqual(['pass', 'pass', 'pass']);
  expect(verdictsOf({ recordingUs: 10 })).toEqual(['pass', 'pass', 'pass']);
  expect(verdictsOf({ recordingUs: 10.1 })).toEqual(['miss', 'pass', 'pass']);
  expect(verdictsOf({ stats: { ...speed.stats, p50Ms: 50 } })).toEqual(['pass', 'miss', 'pass']);
  expect(verdictsOf({ records: 4_999_999 })).toEqual(['pass', 'not measured', 'pass']);
  const none = ['not measured', 'not measured', 'not measured'];
  expect(judgeMonitoring(undefined).map(({ verdict }) => verdict)).toEqual(none);
});

test('a record that is lost beside the deleting is a miss, on either database, and so is deleting nothing', () => {
  const lost = { ...speed, beside: { ...speed.beside, stored: 59_999 } };
  const idle = { ...speed, beside: { ...speed.beside, deleted: 0 } };
  for (const worse of [lost, idle]) {
    expect(judgeMonitoring({ sqlite: worse })[2]?.verdict).toBe('miss');
    expect(judgeMonitoring({ sqlite: speed, postgres: worse })[2]?.verdict).toBe('miss');
  }
});

test('the process records, and counts every record', async () => {
  const settings = { records: 5_000, queries: 2, calls: 400, besideSeconds: 0.5 };
  const quiet = () => undefined;
  const { sqlite } = await measureMonitoring(
    settings,
    { method: findMethod(), databaseUrl: undefined },
    quiet,
  );
  expect(sqlite.stats.count).toBe(2);
  expect(sqlite.recordingUs).toBeGreaterThan(0);
  expect(sqlite.beside.stored).toBe(sqlite.beside.offered);
  expect(sqlite.beside.deleted).toBeGreaterThan(4_000);
});
