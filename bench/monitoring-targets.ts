/** Owns the targets of monitoring: what P12 promises, and whether the figures keep it. */
import type { MonitoringFigures, MonitoringSpeed } from './monitoring.ts';
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';

const MANY = 5_000_000;

/** Judges monitoring on SQLite; figures of PostgreSQL stand beside them in the notes. */
export function judgeMonitoring(monitoring: MonitoringFigures | undefined): Verdict[] {
  const { sqlite, postgres } = monitoring ?? {};
  const note = (told: (speed: MonitoringSpeed) => string): Note | undefined =>
    sqlite && {
      text: `${told(sqlite)}${postgres ? `; PostgreSQL ${told(postgres)}` : ''}`,
      isBroken: false,
    };
  return [
    ruled(
      {
        id: 'P12',
        what: 'recording a call with input and output: server CPU',
        limit: 10,
        better: 'lower',
        unit: ' us',
      },
      sqlite?.recordingUs,
      note(({ recordingUs }) => `${recordingUs} us`),
    ),
    ruled(
      {
        id: 'P12',
        what: 'MONITORING_STATS over 5,000,000 records p50',
        limit: 50,
        better: 'under',
        unit: ' ms',
      },
      // Fewer records would keep it too easily.
      sqlite && sqlite.records >= MANY ? sqlite.stats.p50Ms : undefined,
      note(
        ({ stats, records, fillSeconds }) =>
          `${records} records: ${stats.p50Ms} ms, written in ${fillSeconds} s`,
      ),
    ),
    ruled(
      {
        id: 'P12',
        what: 'records stored of 6,000 per second while old ones are deleted',
        limit: 1,
        better: 'higher',
        unit: 'x',
      },
      // The worse of both, and only where something was deleted.
      sqlite && Math.min(...[sqlite, postgres].filter((speed) => speed !== undefined).map(storedShare)),
      note(
        ({ beside: { stored, offered, deleted, mostWaiting } }) =>
          `${stored} of ${offered}, ${mostWaiting} waited at most, ${deleted} deleted`,
      ),
    ),
  ];
}

function storedShare({ beside: { stored, offered, deleted } }: MonitoringSpeed): number {
  return deleted > 0 ? stored / offered : 0;
}
