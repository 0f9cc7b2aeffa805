/** Sessions of agents: the calls of a key that follow each other closely, and runs, which have a timer. */
import { detach, ToolError, typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { Acting, SessionSource } from '../../session.ts';
import type { SessionRow, SessionTables } from './schema.ts';

const MINUTE_MS = 60_000;
/** What the timer of a run begins with, unless its starter says otherwise. */
export const SESSION_MS = 30 * MINUTE_MS;
const MOST_TIMES = 4;
const IDLE_MS = 30 * MINUTE_MS;
const LOWEST_MINUTES = 1;
const HIGHEST_MINUTES = 120;
const MAX_KNOWN = 10_000;

/** A run that begins. */
export interface NewRun {
  readonly organizationId: string;
  readonly agentId: string;
  readonly source: SessionSource;
  readonly projectId?: string | undefined;
  readonly depth: number;
  readonly unattended: boolean;
  readonly timeoutMs: number;
  /** The last moment that it can be extended to; absent: four times the base. */
  readonly latestAt?: number | undefined;
}

/** A run under way. */
export interface RunSession {
  readonly id: string;
  readonly latestAt: number;
  /** Fires when the time is over. */
  readonly signal: AbortSignal;
  end(): Promise<void>;
}

export interface Extended {
  readonly granted_minutes: number;
  readonly ends_at: string;
}

/** When an agent was last seen to act, and whether a run of it is under way. */
export interface Activity {
  readonly lastAt: number;
  readonly isRunning: boolean;
}

export interface Sessions {
  /** The session that a call belongs to; one begins with the first call and ends when none comes for 30 minutes. */
  of(acting: Omit<Acting, 'sessionId'>): Promise<string>;
  begin(run: NewRun): Promise<RunSession>;
  /** Moves the end of a run to `minutes` from now, within its bounds; never to an earlier moment. */
  extend(
    acting: Pick<Acting, 'organizationId' | 'agentId' | 'sessionId'>,
    minutes: number,
  ): Promise<Extended>;
  /** Of all agents of an organization that ever acted, by their ids. */
  activity(organizationId: string): Promise<ReadonlyMap<string, Activity>>;
}

export interface SessionParts {
  readonly store: Store;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}

interface Known {
  readonly id: string;
  /** When it was last written down. */
  readonly at: number;
}

export function createSessions(parts: SessionParts): Sessions {
  const { store, now } = parts;
  const known = new Map<string, Known | Promise<Known>>();
  const remember = (key: string, seen: Promise<Known>) => {
    const first = known.keys().next();
    if (known.size >= MAX_KNOWN && !first.done) known.delete(first.value);
    known.set(key, seen);
    const settle = (value?: Known) => {
      if (known.get(key) !== seen) return;
      if (value === undefined) known.delete(key);
      else known.set(key, value);
    };
    // The call gets the fault; here it only makes room for the next one.
    detach(seen.then(settle), () => settle());
    return seen;
  };
  return {
    async of(acting) {
      const key = `${acting.caller.id} ${acting.agentId} ${acting.source} ${acting.depth}`;
      const seen = known.get(key);
      if (seen instanceof Promise) return (await seen).id;
      if (seen !== undefined && now() - seen.at < MINUTE_MS) return seen.id;
      const { id } = await remember(key, see(store, acting, now()));
      return id;
    },
    begin: (run) => beginRun(parts, run),
    activity: (organizationId) => activityIn(store, organizationId, now()),
    extend: ({ organizationId, agentId, sessionId }, minutes) =>
      store.transaction(async (tx) => {
        if (sessionId === undefined) throw noTimer();
        const at = now();
        const query = sessionQuery(tx, organizationId, agentId).selectAll().where('id', '=', sessionId);
        const row = await tx.locked(query).executeTakeFirst();
        if (row?.deadline_at === null) throw noTimer();
        if (row === undefined || row.ended_at !== null || row.deadline_at <= at) throw sessionOver();
        const asked = clampMinutes(minutes) * MINUTE_MS;
        const latest = row.latest_at ?? row.deadline_at;
        const deadline = Math.max(row.deadline_at, Math.min(at + asked, latest));
        await tx
          .db<SessionTables>()
          .updateTable('agent_sessions')
          .set({ deadline_at: deadline, updated_at: at })
          .where('id', '=', row.id)
          .execute();
        const granted = Math.min(asked, deadline - at);
        return {
          granted_minutes: Math.round(granted / MINUTE_MS),
          ends_at: new Date(deadline).toISOString(),
        };
      }),
  };
}

/** The minutes that are asked for, within what one call may ask for. */
export function clampMinutes(minutes: number): number {
  return Math.min(HIGHEST_MINUTES, Math.max(LOWEST_MINUTES, minutes));
}

export function sessionOver(): ToolError {
  return new ToolError('not_found', 'This session is over.');
}

export function noTimer(): ToolError {
  return new ToolError('unavailable', 'This session has no timer, so there is nothing to extend.');
}

function sessionQuery(tx: StoreTransaction | Store, organizationId: string, agentId: string) {
  return tx
    .db<SessionTables>()
    .selectFrom('agent_sessions')
    .where('organization_id', '=', organizationId)
    .where('agent_id', '=', agentId);
}

async function activityIn(
  store: Store,
  organizationId: string,
  at: number,
): Promise<ReadonlyMap<string, Activity>> {
  const sessions = () =>
    store.db<SessionTables>().selectFrom('agent_sessions').where('organization_id', '=', organizationId);
  const last = await sessions()
    .select(({ fn }) => ['agent_id', fn.max('updated_at').as('last_at')])
    .groupBy('agent_id')
    .execute();
  const running = await sessions()
    .select('agent_id')
    .distinct()
    .where('ended_at', 'is', null)
    .where('deadline_at', '>', at)
    .execute();
  const runs = new Set(running.map(({ agent_id }) => agent_id));
  return new Map(
    last.map(({ agent_id, last_at }) => [agent_id, { lastAt: last_at, isRunning: runs.has(agent_id) }]),
  );
}

/** Writes down that a session acts; begins one where the last was left too long ago. */
async function see(store: Store, acting: Omit<Acting, 'sessionId'>, at: number): Promise<Known> {
  const { organizationId, agentId, caller, source, depth } = acting;
  return store.transaction(async (tx) => {
    // Two processes that see the first call at once begin one session.
    await tx.exclusive(`agent-session ${caller.id} ${agentId} ${source} ${depth}`);
    const db = tx.db<SessionTables>();
    const open = await sessionQuery(tx, organizationId, agentId)
      .select(['id', 'updated_at'])
      .where('caller_id', '=', caller.id)
      .where('source', '=', source)
      .where('depth', '=', depth)
      .where('ended_at', 'is', null)
      .orderBy('started_at', 'desc')
      .executeTakeFirst();
    const isOver = open !== undefined && open.updated_at <= at - IDLE_MS;
    if (open !== undefined) {
      const change = isOver ? { ended_at: open.updated_at } : { updated_at: at };
      await db.updateTable('agent_sessions').set(change).where('id', '=', open.id).execute();
      if (!isOver) return { id: open.id, at };
    }
    const row = sessionRow({ ...acting, callerId: caller.id }, at);
    await db.insertInto('agent_sessions').values(row).execute();
    return { id: row.id, at };
  });
}

type Beginning = Omit<NewRun, 'timeoutMs'> & {
  readonly callerId: string | null;
  readonly deadlineAt?: number;
};

function sessionRow(of: Beginning, at: number): SessionRow {
  return {
    id: typeId('ses', at),
    organization_id: of.organizationId,
    agent_id: of.agentId,
    caller_id: of.callerId,
    source: of.source,
    project_id: of.projectId ?? null,
    depth: of.depth,
    unattended: of.unattended ? 1 : 0,
    started_at: at,
    deadline_at: of.deadlineAt ?? null,
    latest_at: of.latestAt ?? null,
    ended_at: null,
    created_at: at,
    updated_at: at,
  };
}

async function beginRun({ store, now, onFault }: SessionParts, run: NewRun): Promise<RunSession> {
  const at = now();
  const { timeoutMs, latestAt = at + Math.max(timeoutMs, MOST_TIMES * SESSION_MS) } = run;
  const row = sessionRow({ ...run, callerId: null, deadlineAt: at + timeoutMs, latestAt }, at);
  const rows = () => store.db<SessionTables>();
  await rows().insertInto('agent_sessions').values(row).execute();
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const arm = (deadline: number) => {
    timer = setTimeout(() => detach(look(), (error) => fail(error)), Math.max(0, deadline - now()));
  };
  // Whoever cannot look whether there is more time has none.
  const fail = (error: unknown) => {
    onFault(error, 'session timer');
    over.abort();
  };
  const look = async () => {
    const query = rows().selectFrom('agent_sessions').select('deadline_at').where('id', '=', row.id);
    const deadline = (await query.executeTakeFirst())?.deadline_at ?? 0;
    if (deadline > now()) arm(deadline);
    else over.abort();
  };
  arm(at + timeoutMs);
  return {
    id: row.id,
    latestAt,
    signal: over.signal,
    async end() {
      clearTimeout(timer);
      const ended = { ended_at: now(), updated_at: now() };
      await rows().updateTable('agent_sessions').set(ended).where('id', '=', row.id).execute();
    },
  };
}
