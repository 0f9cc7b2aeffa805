/** The methods of the tasks extension: get, update and cancel. */
import type { Caller, Exchange, Extension } from '@parley/kit';
import { ProtocolFault, RPC } from '@parley/kit';
import * as z from 'zod';
import type { TaskEngine } from '../engine/engine.ts';
import { ownerOf } from '../task.ts';
import { declaresTasks, missingExtension } from './declared.ts';
import { createTaskListen } from './listen.ts';
import { PollCache } from './poll-cache.ts';
import { TASKS_EXTENSION, wireTaskInFull } from './wire.ts';

const TaskParams = z.looseObject({ taskId: z.string() });

type Params = z.output<typeof TaskParams>;

/** Unknown, expired and foreign ids get this same answer. */
function taskNotFound(): ProtocolFault {
  return new ProtocolFault(RPC.invalidParams, 'Task not found');
}

function missingAnswers(): ProtocolFault {
  return new ProtocolFault(RPC.invalidParams, 'inputResponses: is required');
}

/** The extension over an engine. */
export function createTasksExtension(tasks: TaskEngine, now: () => number): Extension {
  const cache = new PollCache(tasks, now);
  const guarded =
    (handle: (taskId: string, caller: Caller, exchange: Exchange) => Promise<Record<string, unknown>>) =>
    async ({ taskId }: Params, caller: Caller, exchange: Exchange): Promise<Record<string, unknown>> => {
      if (!declaresTasks(exchange)) throw missingExtension();
      return handle(taskId, caller, exchange);
    };
  return {
    name: TASKS_EXTENSION,
    listen: createTaskListen(tasks, now),
    methods: {
      'tasks/get': {
        params: TaskParams,
        handle: guarded(async (taskId, caller) => {
          const task = await cache.get(ownerOf(caller), taskId);
          if (task === undefined) throw taskNotFound();
          return wireTaskInFull(task, now());
        }),
      },
      'tasks/update': {
        params: TaskParams,
        handle: guarded(async (taskId, caller, { inputResponses }) => {
          // The SDK takes the answers out of the parameters of every request that has some.
          if (inputResponses === undefined) throw missingAnswers();
          if (!(await tasks.answer(ownerOf(caller), taskId, inputResponses))) throw taskNotFound();
          cache.forget(ownerOf(caller), taskId);
          return {};
        }),
      },
      'tasks/cancel': {
        params: TaskParams,
        handle: guarded(async (taskId, caller) => {
          const reason = `Cancelled by ${caller.name}.`;
          if ((await tasks.cancel(ownerOf(caller), taskId, reason)) === undefined) throw taskNotFound();
          cache.forget(ownerOf(caller), taskId);
          return {};
        }),
      },
    },
  };
}
