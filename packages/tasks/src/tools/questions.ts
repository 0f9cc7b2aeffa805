/** Delivers the open questions of a task over the request of the client that looks at it. */
import type { Context, InputRequest } from '@parley/kit';
import { isSupported, Leave } from '@parley/kit';
import { refusalOf } from '../extension/inline.ts';
import type { TaskServices } from '../services/tasks.ts';
import type { Task } from '../task.ts';
import { ownerOf } from '../task.ts';

/** Asks what this client can be asked and hands the answers to the task. */
export async function deliverQuestions(task: Task, ctx: Context<TaskServices>): Promise<void> {
  const open = Object.entries(task.inputRequests)
    .map(([key, request]) => [key, request as InputRequest] as const) // stored by us, in wire form
    .filter(([, request]) => isSupported(capabilitiesOf(ctx), request.method));
  const answers = await Promise.all(
    open.map(async ([key, request]) => [key, await ask(key, request, ctx)] as const),
  );
  if (answers.length > 0)
    await ctx.services.tasks.answer(ownerOf(ctx.caller), task.id, Object.fromEntries(answers));
}

function capabilitiesOf(ctx: Context) {
  return {
    ...(ctx.supports('elicitation') && { elicitation: {} }),
    ...(ctx.supports('sampling') && { sampling: {} }),
    ...(ctx.supports('roots') && { roots: {} }),
  };
}

async function ask(key: string, request: InputRequest, ctx: Context): Promise<unknown> {
  try {
    if (request.method === 'sampling/createMessage') return await ctx.sample(key, request.params);
    if (request.method === 'roots/list') return { roots: await ctx.roots(key) };
    const { message, requestedSchema } = request.params;
    return { action: 'accept', content: await ctx.ask(key, { message, schema: requestedSchema }) };
  } catch (error) {
    // The tool decides what a refusal means; a client that has gone has not refused.
    if (error instanceof Leave || ctx.signal.aborted) throw error;
    return refusalOf(request);
  }
}
