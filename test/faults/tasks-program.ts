/** A program that is killed, frozen and stopped: an engine with one kind of task, told what to do by its parent. */
import { appendFileSync, readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { openStore } from '@parley/store';
import type { StoreOptions } from '@parley/store';
import { createTaskEngine, taskMigrations, untilFinal } from '@parley/tasks';
import type { Ending, TaskLimits, TaskRun } from '@parley/tasks';
import { ALL_GRANTS, detach } from '@parley/kit';

/** What the program is started with. */
export interface ProgramOptions {
  readonly name: string;
  readonly store: StoreOptions;
  /** Where effects outside of the database are noted, one line each. */
  readonly effects: string;
  /** Whether tasks stop at the place that their input names. */
  readonly mayHang: boolean;
  readonly limits: Partial<TaskLimits>;
  /** How far its clock is ahead of ours. */
  readonly aheadMs: number;
}

/** Where a task stops, and which of its parts it has. */
export interface JobInput {
  readonly hangAt?: 'entered' | 'inside' | 'between' | 'inside two';
  readonly sleepMs?: number;
  readonly asks?: boolean;
  readonly failsOnce?: boolean;
  /** Ends whatever process runs it. */
  readonly isPoison?: boolean;
}

/** What the parent may ask for. */
export type Command =
  | { readonly do: 'enqueue'; readonly input: JobInput; readonly key?: string; readonly thenDie?: boolean }
  | { readonly do: 'answer' | 'cancel' | 'die when final'; readonly id: string }
  | { readonly do: 'go' };

/** What the program tells. */
export type Report =
  | { readonly ready: true }
  | { readonly at: string; readonly id: string }
  | { readonly stopped: string; readonly id: string }
  | { readonly made: string };

/** No worker comes to the end of such a wait, except one whose clock is ahead. */
const RETRY_MS = 10 * 60_000;

const options: ProgramOptions = JSON.parse(process.argv[2] ?? '{}');
const owner = { organizationId: 'org_test', ownerId: 'caller_test' };
const going = Promise.withResolvers<void>();
const store = await openStore(options.store);
await store.migrate([taskMigrations]);
const engine = createTaskEngine({
  store,
  limits: options.limits,
  now: () => Date.now() + options.aheadMs,
});
engine.register({ kind: 'job', version: 1, run });
engine.start();

function tell(report: Report): void {
  process.send?.(report);
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function run(raw: unknown, { io, taskId: id, signal }: TaskRun): Promise<Ending> {
  const input = raw as JobInput; // written by the tests
  const effect = (what: string) => appendFileSync(options.effects, `${id} ${what} ${options.name}\n`);
  const at = async (place: string) => {
    if (!options.mayHang || input.hangAt !== place) return;
    tell({ at: place, id });
    await Promise.race([going.promise, stopped(signal, id)]);
  };
  await at('entered');
  if (input.isPoison) {
    effect('crash');
    die();
  }
  await io.step('one', async () => {
    effect('one');
    await at('inside');
  });
  await at('between');
  if (input.sleepMs !== undefined) await io.sleep('nap', input.sleepMs);
  const answer = input.asks ? await io.request('who', QUESTION) : null;
  const two = await io.step(
    'two',
    async () => {
      effect('two');
      await at('inside two');
      const tries = readFileSync(options.effects, 'utf8').split(`${id} two `).length - 1;
      if (input.failsOnce && tries === 1) throw new Error('The first try fails.');
      return options.name;
    },
    { retry: { baseMs: RETRY_MS, capMs: RETRY_MS } },
  );
  return { outcome: 'completed', result: { answer, two } };
}

const QUESTION = {
  method: 'elicitation/create' as const,
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
};

function stopped(signal: AbortSignal, id: string): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      // The reasons of the engine are errors.
      const reason = signal.reason as Error & { why: string };
      tell({ stopped: reason.why, id });
      reject(reason);
    });
  });
}

async function obey(command: Command): Promise<void> {
  if (command.do === 'go') return going.resolve();
  if (command.do === 'enqueue') {
    const caller = {
      id: owner.ownerId,
      name: 'Test',
      organizationId: owner.organizationId,
      userId: null,
      roles: [],
      grants: ALL_GRANTS,
      source: 'key' as const,
      unattended: false,
    };
    const { input, key, thenDie } = command;
    const made = await engine.enqueue({
      kind: 'job',
      input,
      caller,
      capabilities: { elicitation: {} },
      ...(key !== undefined && { idempotencyKey: key }),
    });
    if (thenDie) die();
    return tell({ made: made.id });
  }
  if (command.do === 'answer') await engine.answer(owner, command.id, { who: { action: 'accept' } });
  else if (command.do === 'cancel') await engine.cancel(owner, command.id, 'Not needed any more.');
  else await untilFinal(engine, owner, command.id, AbortSignal.timeout(60_000));
  // Acknowledged, and dead before anything else happens.
  die();
}

function fail(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}

async function stop(): Promise<void> {
  await engine.stop();
  await store.close();
  process.exit(0);
}

process.on('message', (command: Command) => detach(obey(command), fail));
process.once('SIGTERM', () => detach(stop(), fail));
process.once('disconnect', () => process.exit(1));
// It is killed, and would leave nothing for the next one that starts.
flushCompileCache();
tell({ ready: true });
