/** Owns what a run leaves behind: the printed tables and the result file. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FEEDBACK_HEADER, feedbackRows } from './feedback-table.ts';
import { currentCommit, loadAverages, machineFacts, versions } from './machine.ts';
import type { Method } from './machine.ts';
import type { Measured } from './targets.ts';
import type { TaskSpeed } from './tasks.ts';
import type { Verdict } from './verdict.ts';
import type { WakeUps, WatchSpeed } from './watch.ts';

/** A finished run. */
export interface Run {
  mode: 'full' | 'quick';
  startedAt: Date;
  loadAtStart: number[];
  seconds: number;
  method: Method;
  measured: Measured;
  verdicts: Verdict[];
}

/** Prints the points, the cold starts and the verdicts, each as an aligned table. */
export function printRun(run: Run): void {
  const { points, coldStarts, watch, tasks, feedback } = run.measured;
  if (points.length > 0) {
    const rows = points.map((point) =>
      point.voidReason === undefined
        ? [
            point.name,
            point.cpuUs.toFixed(1),
            String(point.rate),
            String(point.p50Us),
            point.saturated ? 'yes' : 'no',
            String(point.connections),
            String(point.errors),
          ]
        : [point.name, 'void', '-', '-', '-', String(point.connections), String(point.errors)],
    );
    print(['point', 'CPU us', 'per s', 'p50 us', 'saturated', 'conns', 'errors'], rows);
    for (const { name, voidReason } of points) if (voidReason) say(`void: ${name}: ${voidReason}`);
    say('');
  }
  if (coldStarts) {
    const rows = coldStarts.starts.map((start) => [
      `${start.name} ${start.opening}`,
      String(start.medianMs),
      String(start.minMs),
      String(start.cpuMs),
      String(start.rssMb ?? '-'),
    ]);
    print(['cold start', 'median ms', 'min ms', 'CPU ms', 'RSS MB'], rows);
    say('');
  }
  if (watch) {
    const rows = watchRows('SQLite', watch.sqlite);
    if (watch.postgres) rows.push(...watchRows('PostgreSQL', watch.postgres));
    print(WATCH_HEADER, rows);
    say('');
  }
  if (tasks) {
    const rows = [taskRow('SQLite', tasks.sqlite)];
    if (tasks.postgres) rows.push(taskRow('PostgreSQL', tasks.postgres));
    print(TASK_HEADER, rows);
    say('');
  }
  if (feedback) {
    print(FEEDBACK_HEADER, feedbackRows(feedback));
    say('');
  }
  const rows = run.verdicts.map((verdict) => [
    verdict.id,
    verdict.what,
    verdict.measured,
    verdict.target,
    verdict.goal ?? '',
    verdict.verdict,
    verdict.note ?? '',
  ]);
  print(['id', 'what', 'measured', 'target', 'goal', 'verdict', 'note'], rows);
  say('');
  say(methodLine(run));
}

/** Writes the result file and gives its path: quick and partial runs never replace the full one. */
export function writeRun(run: Run, isComplete: boolean): string {
  const name = run.mode === 'full' && isComplete ? 'results.json' : 'results.local.json';
  const path = fileURLToPath(new URL(name, import.meta.url));
  const { points, coldStarts, idleMb, flat, records, watch, tasks, feedback } = run.measured;
  const { events, monitoring, lists, recall, code, agents, console: browser } = run.measured;
  const content = {
    date: run.startedAt.toISOString(),
    mode: run.mode,
    seconds: Math.round(run.seconds),
    commit: currentCommit(),
    versions: versions(),
    machine: machineFacts(),
    method: { ...run.method, cores: run.method.cores ?? 'not pinned' },
    loadAverage: { start: run.loadAtStart, end: loadAverages() },
    points,
    coldStarts: coldStarts ?? 'not measured',
    memory: { idleMb: idleMb ?? 'not measured', flat: flat ?? 'not measured' },
    records: records ?? 'not measured',
    watch: watch ?? 'not measured',
    tasks: tasks ?? 'not measured',
    feedback: feedback ?? 'not measured',
    events: events ?? 'not measured',
    monitoring: monitoring ?? 'not measured',
    lists: lists ?? 'not measured',
    recall: recall ?? 'not measured',
    code: code ?? 'not measured',
    console: browser ?? 'not measured',
    resolution: agents?.resolution ?? 'not measured',
    verdicts: run.verdicts,
  };
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
  return path;
}

const WATCH_HEADER = [
  'watch wake-up',
  'one waiter p50 ms',
  'p99 ms',
  'from commit p50 ms',
  'last of 100 p50 ms',
  'p99 ms',
  'from commit p50 ms',
];

function watchRows(name: string, { oneProcess, twoProcesses }: WatchSpeed): string[][] {
  const row = (label: string, { one, many }: WakeUps) => [
    `${name}, ${label}`,
    ...[one, many].flatMap(({ fromChange, fromCommit }) =>
      [fromChange.p50Ms, fromChange.p99Ms, fromCommit.p50Ms].map(String),
    ),
  ];
  return [row('one process', oneProcess), row('two processes', twoProcesses)];
}

const TASK_HEADER = [
  'durable tasks',
  'queued per s',
  'run per s',
  'HTTP per s',
  'start p50 ms',
  'p99 ms',
  'other process p50 ms',
  'p99 ms',
  'resumed p50 ms',
  'p99 ms',
];

function taskRow(name: string, speed: TaskSpeed): string[] {
  const rates = [speed.queuedPerSecond, speed.runPerSecond, speed.httpPerSecond];
  const times = [speed.startOneProcess, speed.startTwoProcesses, speed.resume];
  return [name, ...[...rates, ...times.flatMap(({ p50Ms, p99Ms }) => [p50Ms, p99Ms])].map(String)];
}

function methodLine({ method, loadAtStart, seconds }: Run): string {
  const pinning = method.cores
    ? `server on core ${method.cores.server}, generator on core ${method.cores.generator}`
    : 'not pinned (taskset or a second core is missing)';
  const generator = method.generator === 'wrk' ? 'wrk' : 'own generator (wrk is missing)';
  return `${generator}; ${pinning}; CPU from ${method.cpuSource}; load ${loadAtStart[0]} at start, ${loadAverages()[0]} at end; ${Math.round(seconds)} s`;
}

/** Lines of an aligned table; numbers stand to the right. */
export function tableLines(header: string[], rows: string[][]): string[] {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const isNumeric = header.map((_, column) =>
    rows.every((row) => /^([\d.]+|-|void)$/.test(row[column] ?? '')),
  );
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return isNumeric[column] ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

function print(header: string[], rows: string[][]): void {
  for (const line of tableLines(header, rows)) say(line);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
