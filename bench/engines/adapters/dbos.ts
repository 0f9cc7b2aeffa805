/** Owns DBOS Transact under the contract: workflows, steps and messages are its own; what nobody takes over is handed on by hand. */
import { detach } from '@parley/kit';
import type { JobInput, OpenOptions, Replica, Status } from '../contract.ts';
import { load, loadInner } from '../load.ts';
import type { Client } from '../pg.ts';
import { createInCallers, openPool } from '../pg.ts';

interface Handle {
  workflowID: string;
  getResult(): Promise<unknown>;
}
type Workflow = (input: JobInput) => Promise<unknown>;
interface Dbos {
  setConfig(config: object): void;
  launch(): Promise<void>;
  shutdown(options?: object): Promise<void>;
  registerWorkflow(work: Workflow, options: object): Workflow;
  registerQueue(name: string, options: object): Promise<unknown>;
  startWorkflow(work: Workflow, options: object): (input: JobInput) => Promise<Handle>;
  runStep<T>(work: () => Promise<T>, options: object): Promise<T>;
  readonly stepStatus: { cancelSignal: AbortSignal } | undefined;
  recv(topic: string, options: object): Promise<unknown>;
  send(id: string, value: unknown, topic: string): Promise<void>;
  cancelWorkflow(id: string): Promise<void>;
  getWorkflowStatus(id: string): Promise<{ status: string; output?: unknown } | null>;
}
interface ClientClass {
  create(options: object): Promise<{
    enqueueInTransaction(client: Client, options: object, input: JobInput): Promise<Handle>;
    destroy(): Promise<void>;
  }>;
}
interface Executor {
  DBOSExecutor: { globalInstance: { recoverPendingWorkflows(names: string[]): Promise<unknown> } };
}

const NAME = 'job';
const DAY_SECONDS = 86_400;
/** Its default is a second; a poll is all that wakes a queue. */
const POLL_MS = 50;
const QUESTION = 'question';
/** Beside the first run. */
const RECOVERIES = 4;

const STATUSES: Readonly<Record<string, Status>> = {
  SUCCESS: 'completed',
  ERROR: 'failed',
  CANCELLED: 'cancelled',
  MAX_RECOVERY_ATTEMPTS_EXCEEDED: 'failed',
};

/** Opens a replica: a queue for each organization and a partition for each owner, or no queue without limits. */
export async function openDbos(options: OpenOptions): Promise<Replica> {
  const { url, name, limits, works, organizations, run } = options;
  const { DBOS, DBOSClient } = load<{ DBOS: Dbos; DBOSClient: ClientClass }>('@dbos-inc/dbos-sdk');
  const quiet = { info() {}, debug() {}, warn() {}, error() {} };
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: url,
    systemDatabasePoolSize: 10,
    executorID: name,
    applicationVersion: `v${options.version}`,
    logger: quiet,
    // its default of 3 would let the queues wait for each other
    maxConcurrentQueueDispatches: Math.max(3, organizations.length),
    ...(!works && { listenQueues: [] }),
  });
  const workflow = DBOS.registerWorkflow(
    (input) =>
      run(input, {
        step: (key, work) =>
          DBOS.runStep(async () => work(DBOS.stepStatus?.cancelSignal ?? new AbortController().signal), {
            name: key,
            retriesAllowed: input.does === 'fail',
            intervalSeconds: 1,
            maxAttempts: 5,
            backoffRate: 2,
          }),
        ask: (key) => DBOS.recv(`${QUESTION} ${key}`, { timeoutSeconds: DAY_SECONDS }),
      }),
    { name: NAME, maxRecoveryAttempts: RECOVERIES },
  );
  await DBOS.launch();
  if (limits !== undefined) {
    for (const organization of organizations) {
      await DBOS.registerQueue(organization, {
        globalConcurrency: limits.perOrganization,
        partitionConcurrency: limits.perOwner,
        minPollingIntervalMs: POLL_MS,
      });
    }
  }
  const pool = openPool(url, 4);
  const client = await DBOSClient.create({ systemDatabaseUrl: url, logger: quiet });
  const queued = ({ organization, owner }: JobInput) => ({
    queueName: organization,
    queuePartitionKey: owner,
  });
  return {
    async create(input) {
      const place =
        limits === undefined
          ? {}
          : { queueName: input.organization, enqueueOptions: { queuePartitionKey: input.owner } };
      const handle = await DBOS.startWorkflow(workflow, place)(input);
      // a task that fails or is cancelled rejects here; its state tells of that
      if (limits === undefined) detach(handle.getResult(), () => undefined);
      return handle.workflowID;
    },
    createWith: (input, end) =>
      createInCallers(pool, end, async (caller) => {
        const version = { appVersion: `v${options.version}`, applicationName: 'bench' };
        const request = { workflowName: NAME, ...queued(input), ...version };
        return (await client.enqueueInTransaction(caller, request, input)).workflowID;
      }),
    cancel: (id) => DBOS.cancelWorkflow(id),
    answer: (id, value) => DBOS.send(id, value, `${QUESTION} q`),
    async state(id) {
      const found = await DBOS.getWorkflowStatus(id);
      if (found === null) return { status: 'absent' };
      return { status: STATUSES[found.status] ?? 'working', result: found.output };
    },
    async unfinished() {
      const { rows } = await pool.query<{ jobs: string }>(
        `select count(*) as jobs from dbos.workflow_status where status in ('PENDING', 'ENQUEUED')`,
      );
      return Number(rows[0]?.jobs);
    },
    async takeOver(dead) {
      // not exported: without its Conductor only a process with the same executor id takes work back
      const { DBOSExecutor } = loadInner<Executor>('@dbos-inc/dbos-sdk', 'dist/src/dbos-executor.js');
      await DBOSExecutor.globalInstance.recoverPendingWorkflows([dead]);
    },
    async stop() {
      await client.destroy();
      await pool.end();
      await DBOS.shutdown();
    },
  };
}
