/** Faults of the database under load, in short: the process lives, refusals say to come again, and nothing is lost. */
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../product/build.ts';
import { scratchFolder } from '../product/parley.ts';
import type { FaultReport } from './database-faults.ts';
import { mayMount } from './small-disk.ts';
import { NO_DISK, POSTGRES_FAULTS, postgresFaults, sqliteDiskFull } from './database-faults.ts';

beforeAll(ensureBuilt);

const SHORT = { holdMs: 600, aroundMs: 100, leaseMs: 3_000 };

/** What is wrong with each; nothing, where the promises hold. */
function wrongIn(reports: readonly FaultReport[]) {
  return reports
    .map(({ fault, isAlive, wrongAnswers, missing, repeated, failed, stuck }) => ({
      fault,
      wrong: [
        ...(isAlive ? [] : ['it ended']),
        ...wrongAnswers,
        ...missing,
        ...repeated,
        ...failed,
        ...stuck,
      ],
    }))
    .filter(({ wrong }) => wrong.length > 0);
}

test('a server lives through every fault of PostgreSQL, one after the other', async () => {
  using folder = scratchFolder();
  const faults = Object.keys(POSTGRES_FAULTS);
  const notes: string[] = [];
  const reports = await postgresFaults({
    ...SHORT,
    dataDir: folder.path,
    faults,
    isCheckedOnce: true,
    say: (line) => notes.push(line),
  });
  expect(wrongIn(reports)).toEqual([]);
  const tried = reports.map(({ fault }) => fault);
  expect(tried).toEqual(notes.includes(NO_DISK) ? faults.filter((fault) => fault !== 'full') : faults);
});

// A small disk is mounted for it, which only root may do.
test.skipIf(!mayMount())(
  'a full disk under SQLite is refused until there is room, and loses nothing',
  async () => {
    using folder = scratchFolder();
    const report = await sqliteDiskFull({ ...SHORT, dataDir: folder.path, faults: ['full'] });
    if (report === undefined) throw new Error(NO_DISK);
    expect(wrongIn([report])).toEqual([]);
    // It was full indeed.
    expect(Object.keys(report.tally).some((what) => what.endsWith(' unavailable'))).toBe(true);
  },
);
