/** A server for the tests of tasks: the whole product in this process, with tools that end in every way a task can. */
import { readFile } from 'node:fs/promises';
import { ALL_GRANTS, defineToolFor, defineToolset, ProtocolFault } from '@parley/kit';
import type { StoreOptions } from '@parley/store';
import * as z from 'zod';
import type { AppHost, AppOptions } from '../../apps/server/src/index.ts';
import { createApp } from '../../apps/server/src/index.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import type { Answer, Envelope } from '@parley/test-support/wire';
import { modern, modernCall, sendModern } from '@parley/test-support/wire';

/** The extension as a request declares it. */
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
/** A client that knows tasks and can be asked. */
export const ASKED = { ...TASKS, elicitation: {} };

/** What the tools have done in this process. */
interface LabServices {
  readonly ran: string[];
  readonly signals: AbortSignal[];
}

/** Shared by every lab of the process; a test looks only at what it named itself. */
export const done: LabServices = { ran: [], signals: [] };

const define = defineToolFor<LabServices>();
const NAME = z.object({ name: z.string() });
const ANSWER = z.object({ answer: z.string() });
const base = { description: 'For tests.', effect: 'update' as const };

export const labToolset = defineToolset({
  name: 'lab',
  title: 'Lab',
  services: () => done,
  tools: [
    define({
      ...base,
      name: 'plain',
      title: 'Plain',
      input: z.object({}),
      output: ANSWER,
      run: () => ({ answer: 'plain' }),
    }),
    define({
      ...base,
      name: 'rest',
      title: 'Rest',
      task: 'allowed',
      input: z.object({ ms: z.int().default(0).describe('How long') }),
      output: ANSWER,
      async run({ ms }, ctx) {
        ctx.services.signals.push(ctx.signal);
        for (let slept = 0; slept < ms; slept += 50) {
          await ctx.progress(slept, ms, `Slept ${slept}`);
          await ctx.sleep(`rest ${slept}`, 50);
        }
        return { answer: 'rested' };
      },
    }),
    define({
      ...base,
      name: 'must',
      title: 'Must',
      task: 'required',
      input: z.object({
        mark: z.string().describe('Told when it runs'),
        ms: z.int().default(0).describe('How long'),
      }),
      output: ANSWER,
      async run({ mark, ms }, ctx) {
        ctx.services.ran.push(mark);
        await ctx.sleep('rest', ms);
        return { answer: mark };
      },
    }),
    define({
      ...base,
      name: 'fails',
      title: 'Fails',
      task: 'required',
      input: z.object({}),
      output: ANSWER,
      async run(_input, ctx) {
        throw ctx.error('conflict', 'It is taken.', { by: 'them' });
      },
    }),
    define({
      ...base,
      name: 'breaks',
      title: 'Breaks',
      task: 'required',
      input: z.object({}),
      output: ANSWER,
      async run() {
        throw new ProtocolFault(-32603, 'Out of order', { part: 7 });
      },
    }),
    define({
      ...base,
      name: 'greets',
      title: 'Greets',
      task: 'allowed',
      input: z.object({}),
      output: ANSWER,
      async run(_input, ctx) {
        const { name } = await ctx.ask('name', { message: 'Your name?', schema: NAME });
        return { answer: `Hello, ${name}` };
      },
    }),
    define({
      ...base,
      name: 'pairs',
      title: 'Pairs',
      task: 'allowed',
      input: z.object({}),
      output: ANSWER,
      async run(_input, ctx) {
        const ask = (key: string) => ctx.ask(key, { message: `${key}?`, schema: NAME });
        const [left, right] = await Promise.all([ask('left'), ask('right')]);
        return { answer: `${left.name} and ${right.name}` };
      },
    }),
    define({
      ...base,
      name: 'interviews',
      title: 'Interviews',
      task: 'allowed',
      input: z.object({ questions: z.int().describe('How many') }),
      output: ANSWER,
      async run({ questions }, ctx) {
        const names: string[] = [];
        for (let index = 0; index < questions; index += 1)
          names.push((await ctx.ask(`name ${index}`, { message: 'Your name?', schema: NAME })).name);
        return { answer: names.join(' ') };
      },
    }),
    define({
      ...base,
      name: 'prepares',
      title: 'Prepares',
      task: 'required',
      input: z.object({}),
      output: ANSWER,
      prepare: (_input, ctx) => ctx.ask('name', { message: 'Before?', schema: NAME }),
      async run(_input, ctx) {
        const inside = await ctx.ask('name', { message: 'Inside?', schema: NAME });
        return { answer: `${NAME.parse(ctx.prepared).name}, ${inside.name}` };
      },
    }),
  ],
});

/** A running lab and a client of it. */
export interface Lab extends AsyncDisposable {
  readonly port: number;
  readonly mcp: string;
  readonly key: string;
  /** The engine that the server runs on. */
  readonly tasks: AppHost['tasks'];
  /** Another key: another caller. */
  otherKey(): Promise<string>;
  /** Sends a modern request. */
  send(method: string, params?: Record<string, unknown>, envelope?: Envelope, key?: string): Promise<Answer>;
  /** Calls a tool and returns the result. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  call(name: string, args?: Record<string, unknown>, envelope?: Envelope): Promise<any>;
  /** Polls a task until it is in the status. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  until(taskId: string, status: string): Promise<any>;
  close(): Promise<void>;
}

const FLAGS = ['--port', '0', '--rate', '100000', '--rate-burst', '100000', '--log-level', 'silent'];

/** Starts a lab on a database; a second one on the same database is a second replica. */
export async function startLab(where: StoreOptions, tasks: AppOptions['tasks'] = {}): Promise<Lab> {
  const database = where.databaseUrl === undefined ? [] : ['--database-url', where.databaseUrl];
  const { config } = loadConfig([...FLAGS, '--data', where.dataDir, ...database], { env: {} });
  const app = await createApp({ config, toolsets: [labToolset], tasks });
  const { mcp } = await app.listen();
  const key = (await readFile(app.ownerKeyFile, 'utf8')).trim();
  const port = Number(new URL(mcp).port);
  const send: Lab['send'] = (method, params, envelope, as = key) =>
    sendModern({ port, key: as }, modern(method, params, envelope));
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= app.close());
  return {
    port,
    mcp,
    key,
    tasks: app.host.tasks,
    send,
    async otherKey() {
      const owner = await app.host.identity.authenticate(key, 'key');
      if (owner === undefined) throw new Error('The owner key is not valid.');
      const made = await app.host.identity.createKey(owner, {
        name: 'Other',
        grants: ALL_GRANTS,
        expiresAt: null,
      });
      return made.text;
    },
    async call(name, args = {}, envelope = { capabilities: ASKED }) {
      return (await sendModern({ port, key }, modernCall(name, args, envelope))).json.result;
    },
    async until(taskId, status) {
      for (;;) {
        const { json } = await send('tasks/get', { taskId }, { capabilities: TASKS });
        if (json.result?.status === status) return json.result;
        if (json.error !== undefined || ['completed', 'failed', 'cancelled'].includes(json.result.status))
          throw new Error(`The task is not ${status}: ${JSON.stringify(json)}`);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
