/** Questions of agents to their owner: asked once, waited for, listed. */
import { randomBytes } from 'node:crypto';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { toJson } from '@parley/store';
import { questionAsked } from '../../events.ts';
import type { AgentTables } from '../../schema.ts';
import type { GivenAnswer } from './answers.ts';
import { endWithout, giveAnswer, optionsOf } from './answers.ts';
import { bring } from './deliver.ts';
import type { ShownDelivery } from './notifications.ts';
import { shownDelivery } from './notifications.ts';
import type { OfAgent, OwnerParts } from './parts.ts';
import type { OwnerTables, QuestionRow, QuestionStatus } from './schema.ts';
import { untilEnded } from './waiting.ts';

export interface NewQuestion {
  readonly question: string;
  readonly options?: readonly string[] | undefined;
  readonly context?: string | undefined;
  readonly timeoutMinutes: number;
  /** The task that asks; it asks once, however often it is entered. */
  readonly taskId: string | null;
}

/** A question that was asked, in a form that a task can keep. */
export interface OpenQuestion {
  readonly id: string;
  readonly askedAt: number;
  readonly deadlineAt: number;
}

export interface ShownQuestion {
  readonly id: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly question: string;
  readonly options: string[] | null;
  readonly context: string | null;
  readonly status: QuestionStatus;
  readonly answer: string | null;
  readonly option_index: number | null;
  readonly answered_by: string | null;
  readonly deadline: string;
  readonly created_at: string;
  readonly channels: ShownDelivery[];
}

export interface Questions {
  ask(of: OfAgent, question: NewQuestion): Promise<OpenQuestion>;
  /** The id of the question that a task has asked; undefined: it has not yet. */
  ofTask(taskId: string): Promise<string | undefined>;
  /** Waits for the end of a question, up to a time; undefined: it is open still. */
  ended(id: string, until: number, signal: AbortSignal): Promise<QuestionRow | undefined>;
  /** The question at its deadline: ended, one way or the other. */
  over(id: string): Promise<QuestionRow>;
  /** Nobody waits for the answer any more. */
  withdraw(id: string): Promise<void>;
  answer(by: Caller, idOrCode: string, given: GivenAnswer): Promise<ShownQuestion>;
  /** The newest first. */
  list(
    organizationId: string,
    query: { readonly limit: number; readonly status?: QuestionStatus | undefined },
  ): Promise<ShownQuestion[]>;
  now(): number;
}

const MOST_OPEN = 5;
const MINUTE_MS = 60_000;

export function createQuestions(parts: OwnerParts): Questions {
  const { store, now } = parts;
  const shownAll = async (rows: readonly NamedRow[]) => {
    const ids = rows.map(({ id }) => id);
    const dispatches =
      ids.length === 0
        ? []
        : await store
            .db<OwnerTables>()
            .selectFrom('owner_question_dispatches')
            .selectAll()
            .where('question_id', 'in', ids)
            .orderBy('type')
            .execute();
    return rows.map((row) => ({
      ...shown(row, now()),
      channels: dispatches.filter(({ question_id }) => question_id === row.id).map(shownDelivery),
    }));
  };
  const named = (organizationId: string) =>
    store
      .db<OwnerTables & AgentTables>()
      .selectFrom('owner_questions')
      .innerJoin('agents', 'agents.id', 'owner_questions.agent_id')
      .selectAll('owner_questions')
      .select('agents.name as agent_name')
      .where('owner_questions.organization_id', '=', organizationId);
  return {
    now,
    ask: (of, question) => store.transaction((tx) => ask(parts, tx, of, question)),
    async ofTask(taskId) {
      const asked = await store
        .db<OwnerTables>()
        .selectFrom('owner_questions')
        .select('id')
        .where('task_id', '=', taskId)
        .executeTakeFirst();
      return asked?.id;
    },
    ended: (id, until, signal) => untilEnded(parts, id, until, signal),
    over: (id) => endWithout(parts, id, 'timed_out'),
    async withdraw(id) {
      await endWithout(parts, id, 'withdrawn');
    },
    async answer(by, idOrCode, given) {
      const { id, organization_id } = await giveAnswer(parts, by, idOrCode, given);
      const row = await named(organization_id).where('owner_questions.id', '=', id).executeTakeFirstOrThrow();
      const [answered] = await shownAll([row]);
      return answered as ShownQuestion; // one for each that was given
    },
    async list(organizationId, { limit, status }) {
      let query = named(organizationId);
      // A question whose time is over stays `open` in its row when nobody waits for it any more.
      if (status === 'timed_out')
        query = query.where((is) =>
          is.or([
            is('status', '=', 'timed_out'),
            is.and([is('status', '=', 'open'), is('deadline_at', '<=', now())]),
          ]),
        );
      else if (status !== undefined) query = query.where('status', '=', status);
      if (status === 'open') query = query.where('deadline_at', '>', now());
      const newest = query.orderBy('owner_questions.created_at', 'desc').orderBy('owner_questions.id');
      return shownAll(await newest.limit(limit).execute());
    },
  };
}

async function ask(
  parts: OwnerParts,
  tx: StoreTransaction,
  of: OfAgent,
  { question, options, context, timeoutMinutes, taskId }: NewQuestion,
): Promise<OpenQuestion> {
  const db = tx.db<OwnerTables>();
  const { organizationId, agentId } = of;
  await tx.exclusive(`owner-questions:${agentId}`);
  const before =
    taskId === null
      ? undefined
      : await db.selectFrom('owner_questions').selectAll().where('task_id', '=', taskId).executeTakeFirst();
  if (before !== undefined) return opened(before);
  const at = parts.now();
  await refuseTooMany(tx, agentId, at);
  const row: QuestionRow = {
    // Random from its first character on: people answer by the first eight.
    id: randomBytes(16).toString('hex'),
    organization_id: organizationId,
    agent_id: agentId,
    task_id: taskId,
    question,
    options: options === undefined ? null : toJson(options),
    context: context ?? null,
    deadline_at: at + Math.round(timeoutMinutes * MINUTE_MS),
    status: 'open',
    answer: null,
    option_index: null,
    answered_by: null,
    answered_at: null,
    created_at: at,
    updated_at: at,
  };
  await db.insertInto('owner_questions').values(row).execute();
  await bring(parts, tx, of, { questionId: row.id });
  const deadline = new Date(row.deadline_at).toISOString();
  const data = {
    id: row.id,
    agentId,
    question,
    options: options === undefined ? null : [...options],
    deadline,
  };
  await parts.events.publish(tx, questionAsked.of({ organizationId, subject: row.id, time: at, data }));
  return opened(row);
}

async function refuseTooMany(tx: StoreTransaction, agentId: string, now: number): Promise<void> {
  const { open } = await tx
    .db<OwnerTables>()
    .selectFrom('owner_questions')
    .select((of) => of.fn.countAll().as('open'))
    .where('agent_id', '=', agentId)
    .where('status', '=', 'open')
    .where('deadline_at', '>', now)
    .executeTakeFirstOrThrow();
  if (Number(open) < MOST_OPEN) return;
  throw new ToolError(
    'limit_reached',
    `An agent has at most ${MOST_OPEN} open questions. Wait for an answer before you ask more.`,
  );
}

function opened({ id, created_at, deadline_at }: QuestionRow): OpenQuestion {
  return { id, askedAt: created_at, deadlineAt: deadline_at };
}

type NamedRow = QuestionRow & { agent_name: string };

function shown(row: NamedRow, now: number): Omit<ShownQuestion, 'channels'> {
  const isOver = row.status === 'open' && row.deadline_at <= now;
  const { id, agent_id, agent_name, question, context, answer, option_index, answered_by } = row;
  return {
    id,
    agent: { id: agent_id, name: agent_name },
    question,
    options: row.options === null ? null : [...optionsOf(row)],
    context,
    status: isOver ? 'timed_out' : row.status,
    answer,
    option_index,
    answered_by,
    deadline: new Date(row.deadline_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
  };
}
