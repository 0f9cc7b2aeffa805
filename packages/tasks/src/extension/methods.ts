/** The methods of the tasks extension: get, update and cancel. */
import type { Caller, Exchange, Extension } from '@parley/kit';
import { ProtocolFault, RPC } from '@parley/kit';
import * as z from 'zod';
import type { TaskEngine } from '../engine/engine.ts';
import { ownerOf } from '../task.ts';
import { declaresTasks, missingExtension } from './declared.ts';
import { PollCache } from './poll-cache.ts';
import { TASKS_EXTENSION, wireTaskInFull } from './wire.ts';

const TaskParams = z.looseObject({ taskId: z.string() });
const UpdateParams = z.looseObject({ taskId: z.string(), inputResponses: z.record(z.string(), z.unknown()) });

type Params = z.output<typeof TaskParams>;
type Update = z.output<typeof UpdateParams>;

/** Unknown, expired and foreign ids get this same answer. */
function taskNotFound(): ProtocolFault {
  return new ProtocolFault(RPC.invalidParams, 'Task not found');
}

/** The extension over an engine. */
export function createTasksExtension(engine: TaskEngine, now: () => number): Extension {
  const cache = new PollCache(engine, now);
  const guarded =
    <P>(handle: (params: P, caller: Caller) => Promise<Record<string, unknown>>) =>
    async (params: P, caller: Caller, exchange: Exchange): Promise<Record<string, unknown>> => {
      if (!declaresTasks(exchange)) throw missingExtension();
      return handle(params, caller);
    };
  return {
    name: TASKS_EXTENSION,
    methods: {
      'tasks/get': {
        params: TaskParams,
        handle: guarded(async ({ taskId }: Params, caller) => {
          const task = await cache.get(ownerOf(caller), taskId);
          if (task === undefined) throw taskNotFound();
          return wireTaskInFull(task, now());
        }),
      },
      'tasks/update': {
        params: UpdateParams,
        handle: guarded(async ({ taskId, inputResponses }: Update, caller) => {
          if (!(await engine.answer(ownerOf(caller), taskId, inputResponses))) throw taskNotFound();
          return {};
        }),
      },
      'tasks/cancel': {
        params: TaskParams,
        handle: guarded(async ({ taskId }: Params, caller) => {
          const reason = `Cancelled by ${caller.name}.`;
          if ((await engine.cancel(ownerOf(caller), taskId, reason)) === undefined) throw taskNotFound();
          return {};
        }),
      },
    },
  };
}
