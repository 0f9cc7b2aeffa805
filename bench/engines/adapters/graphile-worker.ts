/** Owns graphile-worker under the contract: it claims, wakes and retries; steps, questions, results and fence stay by hand. */
import { randomUUID } from 'node:crypto';
import type { JobInput, OpenOptions, Replica } from '../contract.ts';
import { Left } from '../contract.ts';
import { hasQuestion, noteQuestion, openJournal, prepareJournal, stateOf } from '../journal.ts';
import { load } from '../load.ts';
import type { Client, Pool } from '../pg.ts';
import { createInCallers, inTransaction, openPool } from '../pg.ts';

interface Payload {
  taskId: string;
  isResumed: boolean;
  input: JobInput;
}
interface Helpers {
  job: { id: string; attempts: number; locked_by: string };
  abortSignal: AbortSignal;
}
interface Runner {
  stop(): Promise<void>;
}
interface Utils {
  migrate(): Promise<void>;
  completeJobs(ids: string[]): Promise<unknown[]>;
  forceUnlockWorkers(ids: string[]): Promise<void>;
  release(): Promise<void>;
}
interface GraphileWorker {
  run(options: object): Promise<Runner>;
  makeWorkerUtils(options: object): Promise<Utils>;
  Logger: new (factory: () => () => void) => object;
}

const MOST_ATTEMPTS = 5;

/** Opens a replica. Without limits it takes jobs in batches, which is its quickest way and rules out flags. */
export async function openGraphileWorker(options: OpenOptions): Promise<Replica> {
  const { url, name, limits, works, run } = options;
  const { run: start, makeWorkerUtils, Logger } = load<GraphileWorker>('graphile-worker');
  const logger = new Logger(() => () => undefined);
  const pool = openPool(url);
  await prepareJournal(pool);
  const utils = await makeWorkerUtils({ connectionString: url, logger });
  await utils.migrate();
  await inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock(2)');
    await client.query('create table if not exists engine_workers (name text, worker_id text)');
  });
  // a worker takes only identifiers that it knows
  const identifier = `job.v${options.version}`;
  const running = new Map<string, number>();
  const flagsOf = (input: JobInput) => [`owner:${input.owner}`, `organization:${input.organization}`];
  const count = (input: JobInput, by: number) => {
    for (const flag of flagsOf(input)) running.set(flag, (running.get(flag) ?? 0) + by);
  };

  async function task(payload: Payload, { job, abortSignal }: Helpers): Promise<void> {
    const { taskId, isResumed, input } = payload;
    count(input, 1);
    const fence = (client: Client) => holds(client, job);
    try {
      await noteWorker(pool, name, job.locked_by);
      const isNew = job.attempts === 1 && !isResumed;
      const io = await openJournal({ pool, taskId, signal: abortSignal, isNew, fence });
      const value = await run(input, io);
      await inTransaction(pool, async (client) => {
        if (!(await fence(client))) throw new Left('lost');
        await client.query(`update engine_tasks set status = 'completed', result = $2 where id = $1`, [
          taskId,
          JSON.stringify(value ?? null),
        ]);
      });
    } catch (error) {
      // a run that lost its job has to fail: one that returns deletes the job, whoever holds it
      if (!(error instanceof Left) || error.why === 'lost') throw error;
      await inTransaction(pool, async (client) => {
        if (!(await fence(client))) throw new Left('lost');
        await noteQuestion(client, taskId, error);
      });
    } finally {
      count(input, -1);
    }
  }

  async function add(db: Pick<Client, 'query'>, input: JobInput): Promise<string> {
    const taskId = randomUUID();
    await db.query(
      `with job as (select id from graphile_worker.add_job($1, $2, max_attempts := $3, flags := $4))
       insert into engine_tasks select $5, 'working', null, job.id::text, $6 from job`,
      [
        identifier,
        JSON.stringify({ taskId, isResumed: false, input }),
        MOST_ATTEMPTS,
        flagsOf(input),
        taskId,
        JSON.stringify(input),
      ],
    );
    return taskId;
  }

  const runner = works
    ? await start({
        connectionString: url,
        maxPoolSize: 10,
        concurrency: limits?.perProcess ?? 64,
        noHandleSignals: true,
        logger,
        pollInterval: 500,
        taskList: { [identifier]: task },
        ...(limits === undefined
          ? {
              preset: {
                worker: { localQueue: { size: 128 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
              },
            }
          : {
              // what this process runs is all that can be counted here without a round trip
              forbiddenFlags: () =>
                [...running]
                  .filter(([flag, jobs]) =>
                    flag.startsWith('owner:') ? jobs >= limits.perOwner : jobs >= limits.perOrganization,
                  )
                  .map(([flag]) => flag),
            }),
      })
    : undefined;
  return {
    create: (input) => add(pool, input),
    createWith: (input, end) => createInCallers(pool, end, (client) => add(client, input)),
    async cancel(id) {
      const { jobId } = await stateOf(pool, id);
      // leaves a job alone that somebody runs; there is no other way to take one back
      const gone = await utils.completeJobs([String(jobId)]);
      if (gone.length > 0)
        await pool.query(`update engine_tasks set status = 'cancelled' where id = $1`, [id]);
    },
    async answer(taskId, value) {
      await inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(
          'update engine_questions set answer = $2 where task_id = $1 and answer is null',
          [taskId, JSON.stringify(value)],
        );
        if (rowCount === 0) return;
        const { rows } = await client.query<{ input: JobInput }>(
          'select input from engine_tasks where id = $1',
          [taskId],
        );
        const input = rows[0]!.input;
        await client.query(`select graphile_worker.add_job($1, $2, max_attempts := $3, flags := $4)`, [
          identifier,
          JSON.stringify({ taskId, isResumed: true, input }),
          MOST_ATTEMPTS,
          flagsOf(input),
        ]);
      });
    },
    async state(taskId) {
      const state = await stateOf(pool, taskId);
      if (state.status !== 'working') return state;
      if (await hasQuestion(pool, taskId)) return { status: 'input_required' };
      const { rowCount } = await pool.query(
        'select 1 from graphile_worker.jobs where id = $1 and attempts >= max_attempts and locked_by is null',
        [state.jobId],
      );
      return rowCount > 0 ? { status: 'failed' } : state;
    },
    async unfinished() {
      const { rows } = await pool.query<{ jobs: string }>(
        'select count(*) as jobs from graphile_worker.jobs',
      );
      return Number(rows[0]?.jobs);
    },
    async takeOver(dead) {
      const { rows } = await pool.query<{ worker_id: string }>(
        'select distinct worker_id from engine_workers where name = $1',
        [dead],
      );
      await utils.forceUnlockWorkers(rows.map(({ worker_id }) => worker_id));
    },
    async stop() {
      await runner?.stop();
      await utils.release();
      await pool.end();
    },
  };
}

/** Its own view tells who holds a job; the view cannot be locked, so a claim may pass on right after this look. */
async function holds(client: Client, { id, attempts, locked_by }: Helpers['job']): Promise<boolean> {
  const { rowCount } = await client.query(
    'select 1 from graphile_worker.jobs where id = $1 and attempts = $2 and locked_by = $3',
    [id, attempts, locked_by],
  );
  return rowCount > 0;
}

const noted = new Set<string>();

async function noteWorker(pool: Pool, name: string, workerId: string): Promise<void> {
  if (noted.has(workerId)) return;
  noted.add(workerId);
  await pool.query('insert into engine_workers values ($1, $2)', [name, workerId]);
}
