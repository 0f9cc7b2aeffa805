/** Schedules of agents: made and changed by the agent whose they are, looked at and stopped by people too. */
import type { Caller } from '@parley/kit';
import { ToolError, typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { toJson } from '@parley/store';
import type { Acting } from '../../session.ts';
import { checkActions } from './actions.ts';
import { addExecution } from './executions.ts';
import { scheduledCaller } from './scheduled-caller.ts';
import type { WakingParts } from './parts.ts';
import type { Whose } from './rows.ts';
import { configOf, findSchedule, holdSchedule, iso, schedulesOf, typesOf, writeSchedule } from './rows.ts';
import type {
  Policy,
  ScheduleAction,
  ScheduleConfig,
  ScheduleRow,
  ScheduleStatus,
  ScheduleTables,
  Timing,
} from './schema.ts';
import { checkTiming, firingsAfter } from './timing.ts';

/** What a schedule is made from. */
export interface NewSchedule {
  readonly name: string;
  readonly description?: string | undefined;
  readonly timing: Timing;
  readonly actions: readonly ScheduleAction[];
  readonly policy?: Policy | undefined;
}

export type ScheduleChange = { readonly [Field in keyof NewSchedule]?: NewSchedule[Field] | undefined } & {
  /** Of a cron that stays. */
  readonly timezone?: string | undefined;
};

/** A schedule as a list shows it. */
export interface ListedSchedule {
  readonly id: string;
  readonly name: string;
  readonly status: ScheduleStatus;
  readonly runs: number;
  readonly failures: number;
  readonly next_run_at: string | null;
}

/** A schedule with all that it does. */
export interface WholeSchedule extends ListedSchedule, ScheduleConfig {
  readonly policy: Policy;
  /** The next five firings. */
  readonly next_runs: string[];
}

/** A schedule that was saved. */
export interface SavedSchedule {
  readonly id: string;
  readonly name: string;
  readonly status: ScheduleStatus;
  /** The next three. */
  readonly next_run_at: string[];
  /** Why it would fail as things are; absent: it would not. */
  readonly warnings?: string[];
}

/** An execution as a history shows it. */
export interface PastExecution {
  readonly id: string;
  readonly action_type: string;
  readonly status: string;
  readonly due_at: string;
  readonly started_at: string | null;
  readonly result: string | null;
}

/** Whose schedule, and which; a person who does something to it stands in the audit log. */
export interface Schedules {
  list(of: Whose): Promise<ListedSchedule[]>;
  /** The same with all that they do. */
  whole(of: Whose): Promise<WholeSchedule[]>;
  create(acting: Acting, wanted: NewSchedule, by?: Caller): Promise<SavedSchedule>;
  update(acting: Acting, id: string, change: ScheduleChange, by?: Caller): Promise<SavedSchedule>;
  /** Its executions stay to be looked at; those that have not begun are cancelled. */
  delete(of: Whose, id: string, by?: Caller): Promise<void>;
  pause(of: Whose, id: string, by?: Caller): Promise<ScheduleStatus>;
  /** Goes on from now, and forgets its failures. */
  resume(of: Whose, id: string, by?: Caller): Promise<ScheduleStatus>;
  runNow(of: Whose, id: string, by?: Caller): Promise<{ readonly id: string; readonly status: string }>;
  history(of: Whose, id: string): Promise<PastExecution[]>;
}

const MOST_PER_AGENT = 100;
const SHOWN_FIRINGS = 3;
const SHOWN_WHOLE = 5;
const SHOWN_EXECUTIONS = 20;
const SHOWN_RESULT = 100;
const OPEN = ['waiting', 'pending', 'running'] as const;

export function createScheduleStore(parts: WakingParts): Schedules {
  const { store, identity, now, listeners } = parts;

  async function check(config: ScheduleConfig): Promise<void> {
    checkActions(config.actions);
    const { timing } = config;
    if (timing.kind !== 'event') return checkTiming(timing, now());
    await listeners.check(wantedOf(timing));
  }

  /** Lets the events in that wake it, and none besides. */
  async function follow(tx: StoreTransaction, row: ScheduleRow, isWoken: boolean): Promise<void> {
    const listener = { organizationId: row.organization_id, id: row.id };
    const { timing } = configOf(row);
    if (isWoken && timing.kind === 'event') await listeners.listen(tx, listener, wantedOf(timing));
    else await listeners.forget(tx, listener);
  }

  async function saved(row: ScheduleRow): Promise<SavedSchedule> {
    const { id, name, status } = row;
    const { actions } = configOf(row);
    const further = await nextFirings(row, SHOWN_FIRINGS);
    const caller = await scheduledCaller(parts.callers, row);
    const warnings = caller === undefined ? [] : parts.foresee(caller, actions);
    const nextRuns = further.map((at) => iso(at));
    return { id, name, status, next_run_at: nextRuns, ...(warnings.length > 0 && { warnings }) };
  }

  /** What an agent does to its own is in the records of calls. */
  async function told(
    tx: StoreTransaction,
    caller: Caller | undefined,
    { action, row }: { action: string; row: ScheduleRow },
  ): Promise<void> {
    const changed = { name: row.name, agent: row.agent_id };
    if (caller !== undefined) await identity.audit.write(tx, { caller, action, target: row.id, changed });
  }

  return {
    list: async (of) => (await schedulesOf(store, of)).map(listed),
    whole: async (of) =>
      Promise.all(
        (await schedulesOf(store, of)).map(async (row) => ({
          ...listed(row),
          ...configOf(row),
          policy: row.policy,
          next_runs: (await nextFirings(row, SHOWN_WHOLE)).map((at) => iso(at)),
        })),
      ),

    async create(acting, { name, description = '', timing, actions, policy = 'owner_approve' }, by) {
      const config: ScheduleConfig = { description, timing, actions };
      await check(config);
      const at = now();
      const row: ScheduleRow = {
        id: typeId('sched', at),
        organization_id: acting.organizationId,
        agent_id: acting.agentId,
        name,
        config: toJson(config),
        policy,
        ...saidBy(acting),
        depth: acting.depth,
        status: 'active',
        runs: 0,
        failures: 0,
        next_run_at: (await firingsAfter(timing, at, 1))[0] ?? null,
        deleted_at: null,
        created_at: at,
        updated_at: at,
      };
      await store.transaction(async (tx) => {
        await tx.exclusive(`agent.schedules ${acting.agentId}`);
        if ((await schedulesOf(tx, acting)).length >= MOST_PER_AGENT)
          throw new ToolError(
            'limit_reached',
            `An agent may have at most ${MOST_PER_AGENT} schedules. Delete one first.`,
          );
        await tx.db<ScheduleTables>().insertInto('agent_schedules').values(row).execute();
        await follow(tx, row, true);
        await told(tx, by, { action: 'schedule.created', row });
      });
      return saved(row);
    },

    async update(acting, id, change, by) {
      // Checked outside the transaction, on what is there now, and again on what is there then.
      const before = await findSchedule(store, acting, id);
      const config = changedConfig(configOf(before), change);
      await check(config);
      const row = await store.transaction(async (tx) => {
        const held = await holdSchedule(tx, acting, id);
        if (held.config !== before.config)
          throw new ToolError('conflict', 'The schedule has just been changed. Read it and try again.');
        const hasNewTiming = toJson(config.timing) !== toJson(configOf(held).timing);
        const next: ScheduleRow = {
          ...held,
          name: change.name ?? held.name,
          config: toJson(config),
          policy: change.policy ?? held.policy,
          // What a person said is no longer all of it; what nobody watched stays in it.
          by_web: Math.min(held.by_web, saidBy(acting).by_web),
          unattended: Math.max(held.unattended, saidBy(acting).unattended),
          ...(hasNewTiming && held.status === 'active' && { next_run_at: await firstAfterNow(config) }),
          updated_at: now(),
        };
        await writeSchedule(tx, id, next);
        if (hasNewTiming) await follow(tx, next, held.status === 'active');
        await told(tx, by, { action: 'schedule.updated', row: next });
        return next;
      });
      return saved(row);
    },

    delete: (of, id, by) =>
      store.transaction(async (tx) => {
        const row = await holdSchedule(tx, of, id);
        await told(tx, by, { action: 'schedule.deleted', row });
        await writeSchedule(tx, id, { deleted_at: now(), next_run_at: null, status: 'paused' });
        await follow(tx, row, false);
        await tx
          .db<ScheduleTables>()
          .updateTable('schedule_executions')
          .set({ status: 'cancelled', result: 'Its schedule was deleted.', finished_at: now() })
          .where('schedule_id', '=', id)
          .where('status', 'in', ['waiting', 'pending'])
          .execute();
      }),

    pause: (of, id, by) =>
      store.transaction(async (tx) => {
        const row = await holdSchedule(tx, of, id);
        await writeSchedule(tx, id, { status: 'paused', next_run_at: null, updated_at: now() });
        await follow(tx, row, false);
        await told(tx, by, { action: 'schedule.paused', row });
        return 'paused' as const;
      }),

    resume: (of, id, by) =>
      store.transaction(async (tx) => {
        const row = await holdSchedule(tx, of, id);
        const next = row.status === 'active' ? row.next_run_at : await firstAfterNow(configOf(row));
        const change = { status: 'active', failures: 0, next_run_at: next, updated_at: now() } as const;
        await writeSchedule(tx, id, change);
        if (row.status !== 'active') await follow(tx, row, true);
        await told(tx, by, { action: 'schedule.resumed', row });
        return 'active' as const;
      }),

    runNow: (of, id, by) =>
      store.transaction(async (tx) => {
        const row = await holdSchedule(tx, of, id);
        const open = await tx
          .db<ScheduleTables>()
          .selectFrom('schedule_executions')
          .select('id')
          .where('schedule_id', '=', id)
          .where('status', 'in', OPEN)
          .limit(1)
          .executeTakeFirst();
        if (open !== undefined)
          throw new ToolError(
            'conflict',
            `${open.id} of this schedule runs or waits. Look at its history, and try again when it is over.`,
          );
        const cause = typeId('now', now());
        const made = await addExecution(parts, tx, row, { dueAt: now(), cause });
        if (made === undefined) throw new Error('A cause with a new id had its execution already.');
        await told(tx, by, { action: 'schedule.run', row });
        return { id: made.id, status: made.status };
      }),

    async history(of, id) {
      await findSchedule(store, of, id);
      const rows = await store
        .db<ScheduleTables>()
        .selectFrom('schedule_executions')
        .selectAll()
        .where('schedule_id', '=', id)
        .orderBy('due_at', 'desc')
        .orderBy('id', 'desc')
        .limit(SHOWN_EXECUTIONS)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        action_type: typesOf(row),
        status: row.status,
        due_at: iso(row.due_at),
        started_at: iso(row.started_at),
        result: row.result && shortResult(row.result),
      }));
    },
  };

  async function firstAfterNow({ timing }: ScheduleConfig): Promise<number | null> {
    return (await firingsAfter(timing, now(), 1))[0] ?? null;
  }
}

/** When it fires next; nothing while it rests or waits for an event. */
async function nextFirings(row: ScheduleRow, count: number): Promise<number[]> {
  const { next_run_at: next } = row;
  return next === null ? [] : [next, ...(await firingsAfter(configOf(row).timing, next, count - 1))];
}

/** The beginning of a result; the last character tells that there is more. */
function shortResult(text: string): string {
  return text.length <= SHOWN_RESULT ? text : `${text.slice(0, SHOWN_RESULT - 1).toWellFormed()}\u2026`;
}

const wantedOf = ({ type, filter }: Extract<Timing, { kind: 'event' }>) => ({ eventType: type, filter });

function saidBy({ source, unattended }: Acting): Pick<ScheduleRow, 'by_web' | 'unattended'> {
  return { by_web: source === 'web' && !unattended ? 1 : 0, unattended: unattended ? 1 : 0 };
}

function changedConfig(config: ScheduleConfig, change: ScheduleChange): ScheduleConfig {
  const { description = config.description, actions = config.actions, timezone } = change;
  const timing = change.timing ?? config.timing;
  if (timezone === undefined) return { description, actions, timing };
  if (timing.kind !== 'cron')
    throw new ToolError('invalid', 'timezone: only a cron_expression has one. Give both.');
  return { description, actions, timing: { ...timing, timezone } };
}

function listed({ id, name, status, runs, failures, next_run_at }: ScheduleRow): ListedSchedule {
  return { id, name, status, runs, failures, next_run_at: iso(next_run_at) };
}
