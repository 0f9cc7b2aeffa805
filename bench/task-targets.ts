/** Owns the targets of durable tasks: what P7 promises, and whether the figures keep it. */
import type { Latency } from './latency.ts';
import type { TaskFigures } from './tasks.ts';
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';

const ID = 'P7';

/** Judges durable tasks on SQLite; figures of PostgreSQL stand beside them in the notes. */
export function judgeTasks(tasks: TaskFigures | undefined): Verdict[] {
  const speed = tasks?.sqlite;
  const postgres = tasks?.postgres;
  return [
    ruled(
      { id: ID, what: 'tasks created per second on SQLite', limit: 1000, better: 'higher', unit: ' per s' },
      // created means committed; the slower of the two ways to create one after another is judged
      speed && Math.min(speed.queuedPerSecond, speed.runPerSecond),
      createdNote(tasks),
    ),
    ruled(
      { id: ID, what: 'enqueue to start p50, one process', limit: 20, better: 'under', unit: ' ms' },
      speed?.startOneProcess.p50Ms,
      latencyNote(speed?.startOneProcess, postgres?.startOneProcess),
    ),
    ruled(
      { id: ID, what: 'enqueue to start p50, two processes', limit: 200, better: 'under', unit: ' ms' },
      speed?.startTwoProcesses.p50Ms,
      latencyNote(speed?.startTwoProcesses, postgres?.startTwoProcesses),
    ),
    ruled(
      { id: ID, what: 'answer to resumed p50, one process', limit: 50, better: 'under', unit: ' ms' },
      speed?.resume.p50Ms,
      latencyNote(speed?.resume, postgres?.resume),
    ),
    ruled(
      { id: ID, what: 'tasks/get p99 with 100,000 stored tasks', limit: 5, better: 'under', unit: ' ms' },
      tasks?.get.p99Ms,
      tasks && plain(`p50 ${tasks.get.p50Ms} ms over HTTP, ${tasks.get.stored} tasks stored`),
    ),
    ...judgeParked(tasks?.parked),
    ruled(
      { id: ID, what: 'acknowledged tasks missing after kill -9', limit: 0, better: 'lower', unit: ' tasks' },
      tasks?.kill.missing,
      tasks && killNote(tasks.kill),
    ),
  ];
}

function judgeParked(parked: TaskFigures['parked'] | undefined): Verdict[] {
  return [
    ruled(
      { id: ID, what: '10,000 parked tasks: CPU', limit: 1, better: 'under', unit: ' %' },
      parked?.cpuPercent,
      parked && timersNote(parked),
    ),
    ruled(
      { id: ID, what: '10,000 parked tasks: added memory', limit: 50, better: 'under', unit: ' MB' },
      parked?.addedMb,
      parked && plain(`${parked.addedAsLeftMb} MB with the free pages that the work of parking left`),
    ),
  ];
}

function plain(text: string): Note {
  return { text, isBroken: false };
}

function createdNote(tasks: TaskFigures | undefined): Note | undefined {
  if (!tasks) return undefined;
  const ways = ({ queuedPerSecond, runPerSecond, httpPerSecond }: TaskFigures['sqlite']) =>
    `${queuedPerSecond} queued, ${runPerSecond} also run, ${httpPerSecond} over HTTP`;
  const postgres = tasks.postgres ? `; PostgreSQL ${ways(tasks.postgres)}` : '';
  return plain(`${ways(tasks.sqlite)}${postgres}`);
}

function latencyNote(sqlite: Latency | undefined, postgres: Latency | undefined): Note | undefined {
  if (!sqlite) return undefined;
  const beside = postgres ? `; PostgreSQL p50 ${postgres.p50Ms} ms, p99 ${postgres.p99Ms} ms` : '';
  return plain(`p99 ${sqlite.p99Ms} ms${beside}`);
}

/** A timer for each parked task breaks the target, however little it costs. */
function timersNote({ timersBefore, timersAfter, seconds }: TaskFigures['parked']): Note {
  const text = `over ${seconds} s; timers ${timersBefore} without them, ${timersAfter} with them`;
  return { text, isBroken: timersAfter > timersBefore + 1 };
}

function killNote({ kills, acknowledged }: TaskFigures['kill']): Note {
  return { text: `${acknowledged} acknowledged before ${kills} kills`, isBroken: acknowledged === 0 };
}
