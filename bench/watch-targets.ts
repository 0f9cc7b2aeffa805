/** Owns the targets of watching: what P6 promises, and whether the figures keep it. */
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';
import { MANY_WAITERS } from './watch.ts';
import type { WakeUps, WatchFigures, WatchSpeed } from './watch.ts';

const rule = { id: 'P6', better: 'under', unit: ' ms' } as const;

/** Judges watching on SQLite; figures of PostgreSQL stand beside them in the notes. */
export function judgeWatch(watch: WatchFigures | undefined): Verdict[] {
  return [
    ruled(
      { ...rule, what: 'watch wake-up p50, one process', limit: 10 },
      slowerOf(watch?.sqlite.oneProcess),
      noteOn(watch, ({ oneProcess }) => oneProcess),
    ),
    ruled(
      { ...rule, what: 'watch wake-up p50, two processes', limit: 200 },
      slowerOf(watch?.sqlite.twoProcesses),
      noteOn(watch, ({ twoProcesses }) => twoProcesses),
    ),
  ];
}

/** The whole way from the change is judged, for one waiter or for many, whichever is slower. */
function slowerOf(wakeUps: WakeUps | undefined): number | undefined {
  return wakeUps && Math.max(wakeUps.one.fromChange.p50Ms, wakeUps.many.fromChange.p50Ms);
}

function noteOn(watch: WatchFigures | undefined, pick: (speed: WatchSpeed) => WakeUps): Note | undefined {
  if (!watch) return undefined;
  const beside = watch.postgres ? `; PostgreSQL ${told(pick(watch.postgres))}` : '';
  return { text: `${told(pick(watch.sqlite))}${beside}`, isBroken: false };
}

function told({ one, many }: WakeUps): string {
  return `one waiter ${one.fromChange.p50Ms} ms, last of ${MANY_WAITERS} ${many.fromChange.p50Ms} ms, from the commit ${one.fromCommit.p50Ms} and ${many.fromCommit.p50Ms} ms`;
}
