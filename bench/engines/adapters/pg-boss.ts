/** Owns pg-boss under the contract: it claims, retries, times out and fences; steps and questions stay by hand. */
import { randomUUID } from 'node:crypto';
import { detach } from '@parley/kit';
import type { JobInput, OpenOptions, Replica, State } from '../contract.ts';
import { Left } from '../contract.ts';
import { hasQuestion, noteQuestion, openJournal, prepareJournal } from '../journal.ts';
import { load } from '../load.ts';
import type { Client } from '../pg.ts';
import { createInCallers, inTransaction, openPool } from '../pg.ts';

interface Job {
  id: string;
  data: { taskId: string; isResumed: boolean; input: JobInput };
  retryCount: number;
}
interface Settled {
  affected: number;
  settled: string[];
}
interface Db {
  db: { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> };
}
interface Boss {
  on(event: 'error' | 'warning', listener: (what: unknown) => void): void;
  start(): Promise<unknown>;
  stop(options: object): Promise<void>;
  createQueue(name: string, options: object): Promise<void>;
  send(name: string, data: object, options: object): Promise<string | null>;
  fetch(name: string, options: object): Promise<Job[]>;
  complete(name: string, job: Job, data: object, options?: Db): Promise<Settled>;
  fail(name: string, job: Job, data: object): Promise<Settled>;
  touch(name: string, job: Job | Job[], options?: Db): Promise<Settled>;
  cancel(name: string, id: string): Promise<Settled>;
  getJobById(name: string, id: string): Promise<{ state: string; output: { value?: unknown } | null } | null>;
}

/** Also how soon a cancel is noticed: there is no other word of it. */
const TOUCH_MS = 500;
const POLL_MS = 500;
/** The least that it allows. */
const HEARTBEAT_SECONDS = 10;
const RETRIES = 4;

/** Opens a replica. A fetch asks for as many as there is room for, which is its quickest way. */
export async function openPgBoss(options: OpenOptions): Promise<Replica> {
  const { url, limits, works, run, onFault } = options;
  const { PgBoss } = load<{ PgBoss: new (options: object) => Boss }>('pg-boss');
  const pool = openPool(url);
  await prepareJournal(pool);
  const boss = new PgBoss({
    connectionString: url,
    max: 10,
    schedule: false,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
  });
  boss.on('error', onFault);
  await boss.start();
  // a worker looks only into the queue of its own version
  const queue = `job.v${options.version}`;
  await boss.createQueue(queue, {
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: 3600,
    retryLimit: RETRIES,
    retryDelay: 1,
    retryBackoff: true,
  });
  const held = new Map<string, { job: Job; controller: AbortController }>();
  const perProcess = limits?.perProcess ?? 64;
  let pass: Promise<void> | undefined;
  let isAgain = false;
  let isOpen = works;

  function nudge(): void {
    if (!isOpen) return;
    isAgain = pass !== undefined;
    pass ??= claim()
      .catch(onFault)
      .finally(() => {
        pass = undefined;
        if (isAgain) nudge();
      });
  }

  async function claim(): Promise<void> {
    await new Promise(setImmediate);
    const room = perProcess - held.size;
    if (room <= 0) return;
    const jobs = await boss.fetch(queue, {
      batchSize: room,
      ...(limits !== undefined && { groupConcurrency: limits.perOwner }),
    });
    for (const job of jobs) {
      const controller = new AbortController();
      held.set(job.id, { job, controller });
      const running = runJob(job, controller.signal).finally(() => {
        held.delete(job.id);
        nudge();
      });
      detach(running, onFault);
    }
  }

  const holds = async (client: Client, job: Job) =>
    (await boss.touch(queue, job, { db: dbOf(client) })).affected === 1;

  async function runJob(job: Job, signal: AbortSignal): Promise<void> {
    const { taskId, isResumed, input } = job.data;
    const isNew = job.retryCount === 0 && !isResumed;
    const fence = (client: Client) => holds(client, job);
    try {
      const io = await openJournal({ pool, taskId, signal, isNew, fence });
      const value = await run(input, io);
      await boss.complete(queue, job, { value });
    } catch (error) {
      if (!(error instanceof Left)) {
        await boss.fail(queue, job, { message: String(error) });
        return;
      }
      if (error.why === 'lost') return;
      await inTransaction(pool, async (client) => {
        if (!(await fence(client))) return;
        await noteQuestion(client, taskId, error);
        await boss.complete(queue, job, {}, { db: dbOf(client) });
      });
    }
  }

  async function touch(): Promise<void> {
    const jobs = [...held.values()];
    if (jobs.length === 0) return;
    const { settled } = await boss.touch(
      queue,
      jobs.map(({ job }) => job),
    );
    for (const { job, controller } of jobs) {
      if (!settled.includes(job.id) && held.has(job.id)) controller.abort(new Left('lost'));
    }
  }

  async function send(input: JobInput, db?: Db): Promise<string> {
    const taskId = randomUUID();
    const group = { id: `${input.organization} ${input.owner}` };
    await boss.send(queue, { taskId, isResumed: false, input }, { id: taskId, group, ...db });
    return taskId;
  }

  const timers = works
    ? [setInterval(nudge, POLL_MS), setInterval(() => detach(touch(), onFault), TOUCH_MS)]
    : [];
  nudge();
  return {
    async create(input) {
      const id = await send(input);
      nudge();
      return id;
    },
    createWith: (input, end) => createInCallers(pool, end, (client) => send(input, { db: dbOf(client) })),
    async cancel(id) {
      await boss.cancel(queue, id);
    },
    async answer(taskId, value) {
      await inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(
          'update engine_questions set answer = $2 where task_id = $1 and answer is null',
          [taskId, JSON.stringify(value)],
        );
        if (rowCount === 0) return;
        const job = await boss.getJobById(queue, taskId);
        // the first job ended when it asked; what is left of the task is another one
        const { input } = (job as unknown as Job).data;
        const id = randomUUID();
        const group = { id: `${input.organization} ${input.owner}` };
        await boss.send(queue, { taskId, isResumed: true, input }, { id, group, db: dbOf(client) });
        await client.query(
          `insert into engine_tasks (id, status, job_id) values ($1, 'working', $2) on conflict (id) do update set job_id = $2`,
          [taskId, id],
        );
      });
      nudge();
    },
    async state(taskId): Promise<State> {
      if (await hasQuestion(pool, taskId)) return { status: 'input_required' };
      const { rows } = await pool.query<{ job_id: string }>('select job_id from engine_tasks where id = $1', [
        taskId,
      ]);
      const job = await boss.getJobById(queue, rows[0]?.job_id ?? taskId);
      if (job === null) return { status: 'absent' };
      const status =
        job.state === 'completed' || job.state === 'cancelled' || job.state === 'failed'
          ? job.state
          : 'working';
      return { status, result: job.output?.value };
    },
    async unfinished() {
      const { rows } = await pool.query<{ jobs: string }>(
        `select count(*) as jobs from pgboss.job where state < 'completed' and name = $1`,
        [queue],
      );
      return Number(rows[0]?.jobs);
    },
    async stop() {
      isOpen = false;
      for (const timer of timers) clearInterval(timer);
      await boss.stop({ graceful: false });
      await pool.end();
    },
  };
}

function dbOf(client: Client): Db['db'] {
  return { executeSql: (text, values) => client.query(text, values) };
}
