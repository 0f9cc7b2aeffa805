/** Owns what stays by hand where an engine is a queue only: steps, questions and their fence, in tables of ours. */
import type { JobIo, State } from './contract.ts';
import { Left } from './contract.ts';
import type { Client, Pool } from './pg.ts';
import { inTransaction } from './pg.ts';

/** Makes the tables; several replicas may do it at once. */
export async function prepareJournal(pool: Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock(1)');
    await client.query(`create table if not exists engine_tasks
      (id text primary key, status text not null, result jsonb, job_id text, input jsonb)`);
    await client.query(`create table if not exists engine_steps
      (task_id text not null, key text not null, outcome jsonb, primary key (task_id, key))`);
    await client.query(`create table if not exists engine_questions
      (task_id text not null, key text not null, answer jsonb, primary key (task_id, key))`);
  });
}

export interface JournalOptions {
  readonly pool: Pool;
  readonly taskId: string;
  readonly signal: AbortSignal;
  /** True for a first run, which has nothing to read. */
  readonly isNew: boolean;
  /** Holds the claim within a transaction; false when it is not ours any more. */
  readonly fence: (client: Client) => Promise<boolean>;
}

/** The io of one run, written down before the code goes on. */
export async function openJournal(options: JournalOptions): Promise<JobIo> {
  const { pool, taskId, signal, isNew } = options;
  const done = new Map<string, unknown>();
  const answers = new Map<string, unknown>();
  if (!isNew) {
    const steps = await pool.query<{ key: string; outcome: unknown }>(
      'select key, outcome from engine_steps where task_id = $1',
      [taskId],
    );
    for (const { key, outcome } of steps.rows) done.set(key, outcome);
    const asked = await pool.query<{ key: string; answer: unknown }>(
      'select key, answer from engine_questions where task_id = $1 and answer is not null',
      [taskId],
    );
    for (const { key, answer } of asked.rows) answers.set(key, answer);
  }
  return {
    async step<T>(key: string, work: (signal: AbortSignal) => Promise<T> | T): Promise<T> {
      // written by ourselves, as JSON
      if (done.has(key)) return done.get(key) as T;
      const outcome = await work(signal);
      await inTransaction(pool, async (client) => {
        if (!(await options.fence(client))) throw new Left('lost');
        await client.query('insert into engine_steps values ($1, $2, $3)', [
          taskId,
          key,
          JSON.stringify(outcome ?? null),
        ]);
      });
      done.set(key, outcome);
      return outcome;
    },
    async ask(key) {
      if (answers.has(key)) return answers.get(key);
      throw Object.assign(new Left('parked'), { key });
    },
  };
}

/** Whether the task has an open question. */
export async function hasQuestion(pool: Pool, taskId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'select 1 from engine_questions where task_id = $1 and answer is null',
    [taskId],
  );
  return rowCount > 0;
}

/** Notes a question with the claim that asks it. */
export async function noteQuestion(client: Client, taskId: string, error: Left): Promise<void> {
  const { key } = error as Left & { key: string };
  await client.query('insert into engine_questions values ($1, $2)', [taskId, key]);
}

/** Where a task of `engine_tasks` stands. */
export async function stateOf(pool: Pool, taskId: string): Promise<State & { jobId: string | null }> {
  const { rows } = await pool.query<{ status: State['status']; result: unknown; job_id: string | null }>(
    'select status, result, job_id from engine_tasks where id = $1',
    [taskId],
  );
  const [row] = rows;
  return row === undefined
    ? { status: 'absent', jobId: null }
    : { status: row.status, result: row.result, jobId: row.job_id };
}
