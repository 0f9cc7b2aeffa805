/** Owns one measuring run: what is measured in which mode, from the first server to the result file. */
import { measureAgents } from './agents.ts';
import { measureCode } from './code.ts';
import { measureConsole } from './console.ts';
import { measureEvents } from './events.ts';
import { measureFeedback } from './feedback.ts';
import { measureGateway } from './gateway.ts';
import { openFleet } from './fleet.ts';
import type { Fleet, ServerName } from './fleet.ts';
import { measureKeys } from './keys.ts';
import { measureLists } from './lists.ts';
import { findMethod, loadAverages } from './machine.ts';
import type { Method } from './machine.ts';
import { measureFlat, measureIdle } from './memory.ts';
import { measureModelCost } from './model-cost.ts';
import { measureMonitoring } from './monitoring.ts';
import { measurePoints } from './points.ts';
import type { Point, Target } from './points.ts';
import { startPostgres } from './postgres.ts';
import type { Postgres } from './postgres.ts';
import { measureRecall } from './recall.ts';
import { printRun, writeRun } from './report.ts';
import { measureColdStarts } from './stdio.ts';
import { judgeFull, judgeQuick } from './targets.ts';
import type { Measured } from './targets.ts';
import { measureReplicas } from './task-replicas.ts';
import { measureTasks } from './tasks.ts';
import { measureWatch } from './watch.ts';
import type { RequestKind } from './wire.ts';

/** The targets this bench can measure. */
export const MEASURABLE = [
  'P1',
  'P2',
  'P3',
  'P4',
  'P5',
  'P6',
  'P7',
  'P8',
  'P9',
  'P10',
  'P11',
  'P12',
  'P13',
  'P14',
  'P15',
  'P16',
  'P17',
  'P18',
  'P19',
];

/** Which part of the bench to run. */
export interface Selection {
  isQuick: boolean;
  only: string[] | undefined;
  /** The folder of another checkout that P18 measures in turn with this one. */
  beside: string | undefined;
}

type Wanted = [id: string, server: ServerName, toolCount: number, kind: RequestKind];

const TOOL_COUNT = 100;
const QUICK_POINTS: Wanted[] = [
  ['P1', 'floor', 100, 'call'],
  ['P1', 'sdk', 100, 'call'],
  ['P1', 'parley', 100, 'call'],
  ['P2', 'parley', 10, 'call'],
  ['P2', 'parley', 500, 'call'],
  ['P3', 'floor', 100, 'list'],
  ['P3', 'parley', 100, 'list'],
];
const fullPoints: Wanted[] = [
  ...QUICK_POINTS,
  ['P1', 'parley-postgres', 100, 'call'],
  ['P1', 'floor', 10, 'call'],
  ['P1', 'floor', 500, 'call'],
  ['P1', 'sdk', 10, 'call'],
  ['P1', 'sdk', 500, 'call'],
  ['P3', 'sdk', 100, 'list'],
];
// Four windows: with three of a second, two servers of equal cost were seen 14 % apart once.
const quickSettings = { warmUpSeconds: 1, windowSeconds: 1, rounds: 4 };
const fullSettings = { warmUpSeconds: 2, windowSeconds: 3, rounds: 5 };
const QUICK_KEYS = 20_000;
const FULL_KEYS = 100_000;
const QUICK_WATCH_CHANGES = 60;
const FULL_WATCH_CHANGES = 200;
const quickTasks = { creations: 1000, starts: 50, reads: 1000, kills: 2 };
const fullTasks = { creations: 3000, starts: 100, reads: 3000, kills: 4 };
const quickReplicas = { seconds: 5, stored: 100_000 };
const fullReplicas = { seconds: 10, stored: 1_000_000 };
const quickEvents = { deliveries: 200, publications: 5000, killed: 0 };
const fullEvents = { deliveries: 500, publications: 20_000, killed: 10_000 };
const quickFeedback = { posts: 100_000, queries: 300, votes: 2000 };
const quickMonitoring = { records: 500_000, queries: 100, calls: 100_000, besideSeconds: 5 };
const fullMonitoring = { records: 5_000_000, queries: 200, calls: 200_000, besideSeconds: 60 };
const quickCode = { files: 2000, queries: 10 };
const fullCode = { files: 2000, queries: 50 };
const quickConsole = { rows: 100_000, loads: 3, visits: 5, frames: 300, liveSeconds: 3 };
const fullConsole = { rows: 100_000, loads: 9, visits: 15, frames: 900, liveSeconds: 10 };
const quickLists = { rows: 100_000, queries: 50 };
const fullLists = { rows: 100_000, queries: 200 };
const quickRecall = { memories: 100_000, queries: 50 };
const fullRecall = { memories: 100_000, queries: 200 };
const fullFeedback = { posts: 100_000, queries: 1000, votes: 5000 };

const quickGateway = { ...quickSettings, sessionCalls: 2000, steady: { perSecond: 200, calls: 400 } };
const fullGateway = { ...fullSettings, sessionCalls: 10_000, steady: { perSecond: 200, calls: 2000 } };

/** Measures, prints and writes; gives the exit code: 1 when a point had to be voided. */
export async function measure(selection: Selection): Promise<number> {
  const startedAt = new Date();
  const startedMs = performance.now();
  const loadAtStart = loadAverages();
  const method = findMethod();
  const measured = await measureAll(selection, method);
  const run = {
    mode: selection.isQuick ? ('quick' as const) : ('full' as const),
    startedAt,
    loadAtStart,
    seconds: (performance.now() - startedMs) / 1000,
    method,
    measured,
    verdicts: (selection.isQuick ? judgeQuick : judgeFull)(measured).filter(({ id }) => wants(selection, id)),
  };
  printRun(run);
  const path = writeRun(run, selection.only === undefined);
  progress(`written to ${path}`);
  return measured.points.some((point) => point.voidReason !== undefined) ? 1 : 0;
}

async function measureAll(selection: Selection, method: Method): Promise<Measured> {
  const onPostgresToo = ['P1', 'P6', 'P7', 'P9', 'P11', 'P12', 'P13', 'P14', 'P17'];
  const needsPostgres =
    wants(selection, 'P18') || (!selection.isQuick && onPostgresToo.some((id) => wants(selection, id)));
  const postgres = needsPostgres ? await startPostgres() : undefined;
  const fleet = openFleet(method, await postgres?.database('parley'));
  try {
    const measured: Measured = { points: [] };
    if (wants(selection, 'P8')) await addIdle(measured);
    await addPoints(measured, selection, fleet, method);
    await fleet.stop();
    if (wants(selection, 'P4')) await addGateway(measured, selection, method);
    if (wants(selection, 'P5')) {
      measured.coldStarts = await measureColdStarts(TOOL_COUNT, 9, progress);
    }
    if (wants(selection, 'P6')) await addWatch(measured, selection, method, postgres);
    if (wants(selection, 'P7')) await addTasks(measured, selection, method, postgres);
    if (wants(selection, 'P8') && !selection.isQuick) await addFlat(measured, fleet, method);
    if (wants(selection, 'P9')) await addFeedback(measured, selection, method, postgres);
    if (wants(selection, 'P11')) await addEvents(measured, selection, method, postgres);
    if (wants(selection, 'P12')) await addMonitoring(measured, selection, method, postgres);
    if (wants(selection, 'P13')) await addLists(measured, selection, method, postgres);
    if (wants(selection, 'P14')) await addRecall(measured, selection, method, postgres);
    if (wants(selection, 'P15'))
      measured.code = await measureCode(selection.isQuick ? quickCode : fullCode, progress);
    if (wants(selection, 'P16')) await addAgents(measured, selection, method);
    if (wants(selection, 'P17')) await addKeys(measured, selection, method, postgres);
    if (wants(selection, 'P18') && postgres) await addReplicas(measured, selection, postgres);
    if (wants(selection, 'P19')) await addConsole(measured, selection);
    if (wants(selection, 'P10')) measured.modelCost = await measureModelCost();
    return measured;
  } finally {
    await fleet.stop();
    await postgres?.stop();
  }
}

async function addIdle(measured: Measured): Promise<void> {
  const idleMb = await measureIdle();
  if (idleMb !== undefined) measured.idleMb = idleMb;
}

async function addPoints(
  measured: Measured,
  selection: Selection,
  fleet: Fleet,
  method: Method,
): Promise<void> {
  const targets: Target[] = [];
  for (const [id, server, tools, kind] of selection.isQuick ? QUICK_POINTS : fullPoints) {
    const target = wants(selection, id) ? await fleet.target(server, tools, kind) : undefined;
    if (target) targets.push(target);
  }
  if (targets.length === 0) return;
  const settings = selection.isQuick ? quickSettings : fullSettings;
  const parley = fleet
    .members()
    .find(({ name, toolCount: tools }) => name === 'parley' && tools === TOOL_COUNT);
  const recordsBefore = (await parley?.server.ask('records'))?.['records'];
  measured.points = await measurePoints(targets, settings, method, progress);
  const recordsAfter = (await parley?.server.ask('records'))?.['records'];
  const made = callsMade(measured.points);
  if (made > 0 && typeof recordsBefore === 'number' && typeof recordsAfter === 'number') {
    measured.records = { made, arrived: recordsAfter - recordsBefore };
  }
}

function callsMade(points: Point[]): number {
  return points.find(({ name }) => name === `parley ${TOOL_COUNT} call`)?.requests ?? 0;
}

async function addFlat(measured: Measured, fleet: Fleet, method: Method): Promise<void> {
  const parley = await fleet.member('parley', TOOL_COUNT);
  if (!parley) return;
  const calls = { earlyCalls: 100_000, lateCalls: 1_000_000 };
  measured.flat = await measureFlat(parley.server, calls, method, progress);
}

async function addWatch(
  measured: Measured,
  { isQuick }: Selection,
  method: Method,
  postgres: Postgres | undefined,
): Promise<void> {
  const databaseUrl = await postgres?.database('watch');
  const changes = isQuick ? QUICK_WATCH_CHANGES : FULL_WATCH_CHANGES;
  measured.watch = await measureWatch(changes, { method, databaseUrl }, progress);
}

async function addTasks(
  measured: Measured,
  { isQuick }: Selection,
  method: Method,
  postgres: Postgres | undefined,
): Promise<void> {
  const databaseUrl = await postgres?.database('tasks');
  measured.tasks = await measureTasks(isQuick ? quickTasks : fullTasks, { method, databaseUrl }, progress);
}

async function addReplicas(
  measured: Measured,
  { isQuick, beside }: Selection,
  postgres: Postgres,
): Promise<void> {
  const settings = isQuick ? quickReplicas : fullReplicas;
  measured.replicas = await measureReplicas(settings, { postgres, beside }, progress);
}

async function addEvents(
  measured: Measured,
  { isQuick }: Selection,
  method: Method,
  postgres: Postgres | undefined,
): Promise<void> {
  const databaseUrls = postgres && {
    speed: await postgres.database('events'),
    kill: await postgres.database('events_kill'),
  };
  const settings = isQuick ? quickEvents : fullEvents;
  measured.events = await measureEvents(settings, { method, databaseUrls }, progress);
}

async function addFeedback(
  measured: Measured,
  { isQuick }: Selection,
  method: Method,
  postgres: Postgres | undefined,
): Promise<void> {
  const databaseUrl = await postgres?.database('feedback');
  const settings = isQuick ? quickFeedback : fullFeedback;
  measured.feedback = await measureFeedback(settings, { method, databaseUrl }, progress);
}

async function addMonitoring(
  measured: Measured,
  { isQuick }: Selection,
  method: Method,
  postgres: Postgres | undefined,
): Promise<void> {
  const databaseUrl = await postgres?.database('monitoring');
  const settings = isQuick ? quickMonitoring : fullMonitoring;
  measured.monitoring = await measureMonitoring(settings, { method, databaseUrl }, progress);
}

async function addKeys(
  measured: Measured,
  { isQuick }: Selection,
  method: Method,
  postgres: Postgres | undefined,
): Promise<void> {
  const databaseUrl = await postgres?.database('keys');
  measured.keys = await measureKeys(isQuick ? QUICK_KEYS : FULL_KEYS, { method, databaseUrl }, progress);
}

async function addLists(
  measured: Measured,
  { isQuick }: Selection,
  method: Method,
  postgres: Postgres | undefined,
): Promise<void> {
  const databaseUrl = await postgres?.database('lists');
  measured.lists = await measureLists(isQuick ? quickLists : fullLists, { method, databaseUrl }, progress);
}

async function addRecall(
  measured: Measured,
  { isQuick }: Selection,
  method: Method,
  postgres: Postgres | undefined,
): Promise<void> {
  const databaseUrl = await postgres?.database('recall');
  const settings = isQuick ? quickRecall : fullRecall;
  measured.recall = await measureRecall(settings, { method, databaseUrl }, progress);
}

async function addAgents(measured: Measured, { isQuick }: Selection, method: Method): Promise<void> {
  const agents = await measureAgents(isQuick ? quickSettings : fullSettings, method, progress);
  measured.agents = agents;
  measured.points.push(...agents.points);
}

async function addConsole(measured: Measured, { isQuick }: Selection): Promise<void> {
  const figures = await measureConsole(isQuick ? quickConsole : fullConsole, progress);
  if (figures !== undefined) measured.console = figures;
}

async function addGateway(measured: Measured, { isQuick }: Selection, method: Method): Promise<void> {
  const gateway = await measureGateway(isQuick ? quickGateway : fullGateway, method, progress);
  measured.gateway = gateway;
  measured.points.push(...gateway.points);
}

/** What lasts most of a minute: the gateway, watching, tasks, feedback, events, monitoring, lists, recall, code, replicas, the console. */
const SLOW = new Set(['P4', 'P6', 'P7', 'P9', 'P11', 'P12', 'P13', 'P14', 'P15', 'P17', 'P18', 'P19']);

/** A quick run takes what is slow only when it is named. */
function wants({ isQuick, only }: Selection, id: string): boolean {
  return only === undefined ? !(isQuick && SLOW.has(id)) : only.includes(id);
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
