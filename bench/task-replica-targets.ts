/** Owns the targets of replicas on PostgreSQL: what P18 promises, and whether the figures keep it. */
import type { ReplicaFigures, ReplicaLoad } from './task-replicas.ts';
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';

const ID = 'P18';
const perSecond = { better: 'higher', unit: ' per s' } as const;
const ratio = { better: 'higher', unit: 'x' } as const;

/** Judges replicas; the ratios are of one sitting. */
export function judgeReplicas(figures: ReplicaFigures | undefined): Verdict[] {
  const { one, three, held, clients, filled, sqlite, beside } = figures ?? {};
  return [
    ruled(
      { ...perSecond, id: ID, what: 'tasks created and run on PostgreSQL, one replica', limit: 2000 },
      one?.runPerSecond,
      noteOf(one),
    ),
    ruled(
      { ...ratio, id: ID, what: 'the same against the checkout beside it', limit: 6 },
      over(one, beside?.one),
      noteOf(beside?.one),
    ),
    ruled(
      { ...ratio, id: ID, what: 'three replicas against one', limit: 1.4 },
      over(three, one),
      noteOf(three),
    ),
    ruled(
      { ...ratio, id: ID, what: 'three replicas against one, each held to a part of a core', limit: 1.4 },
      over(held?.three, held?.one),
      noteOf(held?.three, held && `one: ${held.one.runPerSecond} run, ${held.cores} cores each`),
    ),
    ruled(
      { ...perSecond, id: ID, what: 'finished with 512 clients', limit: 1000 },
      clients?.finishedPerSecond,
      noteOf(clients, beside && `beside: ${beside.clients.finishedPerSecond}`),
    ),
    ruled(
      { ...ratio, id: ID, what: 'with finished tasks stored, against an empty table', limit: 0.9 },
      over(filled, one),
      noteOf(filled, filled && `${filled.stored} stored`),
    ),
    ruled(
      {
        id: ID,
        what: 'enqueue to start p50, PostgreSQL, 16 creators',
        limit: 5,
        better: 'under',
        unit: ' ms',
      },
      one?.start.p50Ms,
      one && { text: `p99 ${one.start.p99Ms} ms`, isBroken: false },
    ),
    ruled(
      { ...ratio, id: ID, what: 'SQLite against the checkout beside it', limit: 1 },
      over(sqlite, beside?.sqlite),
      noteOf(sqlite),
    ),
  ];
}

function over(figure: ReplicaLoad | undefined, base: ReplicaLoad | undefined): number | undefined {
  return figure && base && figure.runPerSecond / base.runPerSecond;
}

function noteOf(load: ReplicaLoad | undefined, more?: string): Note | undefined {
  if (load === undefined) return undefined;
  const text = `${load.runPerSecond} run, ${load.createdPerSecond} created, ${load.finishedPerSecond} finished meanwhile, ${load.cores} cores, ${load.databaseCores} of the database`;
  const told = load.refused === 0 ? text : `${text}, ${load.refused} refused`;
  return { text: more === undefined ? told : `${told}; ${more}`, isBroken: false };
}
