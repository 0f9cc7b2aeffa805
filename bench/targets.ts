/** Owns the targets: what each promises, and whether the measured figures keep it. */
import { judgeAgents } from './agent-targets.ts';
import type { AgentFigures } from './agents.ts';
import { judgeEvents } from './event-targets.ts';
import type { EventFigures } from './events.ts';
import { judgeFeedback } from './feedback-targets.ts';
import type { FeedbackFigures } from './feedback.ts';
import type { CodeFigures } from './code.ts';
import { judgeCode } from './code-targets.ts';
import type { ConsoleFigures } from './console.ts';
import { judgeConsole } from './console-targets.ts';
import type { GatewayFigures } from './gateway.ts';
import { judgeGateway } from './gateway-targets.ts';
import { judgeKeys } from './key-targets.ts';
import type { KeyFigures } from './keys.ts';
import type { ListFigures } from './lists.ts';
import { judgeLists } from './list-targets.ts';
import type { FlatMemory } from './memory.ts';
import { judgeModelCost } from './model-cost.ts';
import type { ModelCost } from './model-cost.ts';
import type { MonitoringFigures } from './monitoring.ts';
import { judgeMonitoring } from './monitoring-targets.ts';
import type { Point } from './points.ts';
import type { RecallFigures } from './recall.ts';
import { judgeRecall } from './recall-targets.ts';
import type { ColdStart, ColdStarts } from './stdio.ts';
import { judgeReplicas } from './task-replica-targets.ts';
import type { ReplicaFigures } from './task-replicas.ts';
import { judgeTasks } from './task-targets.ts';
import type { TaskFigures } from './tasks.ts';
import { ruled } from './verdict.ts';
import type { Note, Rule, Verdict } from './verdict.ts';
import { judgeWatch } from './watch-targets.ts';
import type { WatchFigures } from './watch.ts';

/** Everything a run measured; a missing part was not measured. */
export interface Measured {
  points: Point[];
  coldStarts?: ColdStarts;
  idleMb?: number;
  flat?: FlatMemory;
  records?: { made: number; arrived: number };
  watch?: WatchFigures;
  tasks?: TaskFigures;
  replicas?: ReplicaFigures;
  feedback?: FeedbackFigures;
  modelCost?: ModelCost;
  events?: EventFigures;
  monitoring?: MonitoringFigures;
  lists?: ListFigures;
  recall?: RecallFigures;
  code?: CodeFigures;
  agents?: AgentFigures;
  keys?: KeyFigures;
  gateway?: GatewayFigures;
  console?: ConsoleFigures;
}

const lower = { better: 'lower', unit: 'x' } as const;
const higher = { better: 'higher', unit: 'x' } as const;

/** Judges the targets that a quick run measures, in the order of their ids. */
export function judgeQuick(measured: Measured): Verdict[] {
  const cpu = cpuByName(measured.points);
  const call = cpu('parley 100 call');
  return [
    ruled(
      { ...lower, id: 'P1', what: 'tools/call, 100 tools, against the floor', limit: 1.5, goal: 1.3 },
      over(call, cpu('floor 100 call')),
      recordsNote(measured),
    ),
    ruled(
      { ...higher, id: 'P1', what: 'SDK McpServer against tools/call, 100 tools', limit: 15 },
      over(cpu('sdk 100 call'), call),
    ),
    ruled(
      { ...lower, id: 'P2', what: 'tools/call with 500 tools against 10', limit: 1.1 },
      over(cpu('parley 500 call'), cpu('parley 10 call')),
    ),
    ruled(
      { ...lower, id: 'P3', what: 'tools/list, 100 tools, against the floor', limit: 1.5 },
      over(cpu('parley 100 list'), cpu('floor 100 list')),
      listNote(measured.points),
    ),
    ...judgeGateway(measured.gateway),
    coldStartVerdict(measured.coldStarts),
    ...judgeWatch(measured.watch),
    ...judgeTasks(measured.tasks),
    ruled({ id: 'P8', what: 'idle memory', limit: 120, better: 'lower', unit: ' MB' }, measured.idleMb),
    ...judgeFeedback(measured.feedback),
    ...judgeModelCost(measured.modelCost),
    ...judgeEvents(measured.events),
    ...judgeMonitoring(measured.monitoring),
    ...judgeLists(measured.lists),
    ...judgeRecall(measured.recall),
    ...judgeCode(measured.code),
    ...judgeAgents(measured.agents),
    ...judgeKeys(measured.keys),
    ...judgeReplicas(measured.replicas),
    ...judgeConsole(measured.console),
  ];
}

/** Judges every target, in the order of their ids; what cannot be measured is named as such. */
export function judgeFull(measured: Measured): Verdict[] {
  const cpu = cpuByName(measured.points);
  const postgres = ruled(
    { ...lower, id: 'P1', what: 'tools/call on PostgreSQL, against the floor', limit: 1.5 },
    over(cpu('parley-postgres 100 call'), cpu('floor 100 call')),
  );
  return [...judgeQuick(measured), postgres, flatVerdict(measured.flat)].toSorted((left, right) =>
    left.id.localeCompare(right.id, 'en', { numeric: true }),
  );
}

function cpuByName(points: Point[]): (name: string) => number | undefined {
  return (name) => usable(points.find((point) => point.name === name));
}

function usable(point: Point | undefined): number | undefined {
  return point && point.voidReason === undefined ? point.cpuUs : undefined;
}

function over(top: number | undefined, bottom: number | undefined): number | undefined {
  return top === undefined || bottom === undefined ? undefined : top / bottom;
}

function recordsNote({ records }: Measured): Note | undefined {
  if (!records) return undefined;
  const { made, arrived } = records;
  return { text: `${arrived} call records for ${made} answered calls`, isBroken: arrived < made };
}

function listNote(points: Point[]): Note | undefined {
  const point = points.find(({ name }) => name === 'parley 100 list');
  const floor = points.find(({ name }) => name === 'floor 100 list');
  if (!point || !floor) return undefined;
  const text = `first list on a fresh server ${point.firstAnswerMs} ms; ${point.bodyBytes} bytes, floor ${floor.bodyBytes}`;
  return { text, isBroken: false };
}

function coldStartVerdict(coldStarts: ColdStarts | undefined): Verdict {
  const starts = coldStarts?.starts ?? [];
  const modern = (name: string) => starts.find((start) => start.name === name && start.opening === 'modern');
  const sdk = starts
    .filter((start) => start.name === 'sdk')
    .toSorted((a, b) => a.medianMs - b.medianMs)
    .at(0);
  const [parley, own, bare] = [modern('parley'), modern('parley own'), modern('bare')];
  const against = (start: ColdStart | undefined) =>
    `${start?.medianMs ?? '-'} ms, by CPU ${over(sdk?.cpuMs, start?.cpuMs)?.toFixed(2) ?? '-'}x`;
  const ownRatio = over(sdk?.medianMs, own?.medianMs)?.toFixed(2) ?? '-';
  const text = [
    `parley ${against(parley)}`,
    `own toolsets (${own?.tools ?? '-'} tools) ${ownRatio}x, ${against(own)}`,
    `SDK ${sdk?.medianMs ?? '-'} ms`,
    `bare script ${bare?.medianMs ?? '-'} ms`,
    `first start ever ${coldStarts?.firstEverMs ?? '-'} ms`,
  ].join('; ');
  const rule = { id: 'P5', what: 'cold start: SDK server against Parley, 100 tools', limit: 1.3, goal: 2.5 };
  const ratio = over(sdk?.medianMs, parley?.medianMs);
  return ruled({ ...rule, better: 'higher', unit: 'x' }, ratio, { text, isBroken: false });
}

function flatVerdict(flat: FlatMemory | undefined): Verdict {
  const rule: Rule = {
    id: 'P8',
    what: 'memory at 1,000,000 calls against 100,000',
    limit: 1.1,
    better: 'lower',
    unit: 'x',
  };
  if (!flat) return ruled(rule, undefined);
  const { early, late, load } = flat;
  const failures = load.reduce((total, part) => total + part.failures, 0);
  const text = `${early.rssMb} to ${late.rssMb} MB; descriptors ${early.descriptors} to ${late.descriptors}; timers ${early.timers} to ${late.timers}; ${failures} wrong answers`;
  const isBroken = failures > 0 || early.descriptors !== late.descriptors || early.timers !== late.timers;
  return ruled(rule, late.rssMb / early.rssMb, { text, isBroken });
}
