/** The tasks extension for the official client, which has no part for it: start, follow, answer. */
import { setTimeout as pause } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';

const EXTENSION = 'io.modelcontextprotocol/tasks';

const Task = z.looseObject({
  taskId: z.string(),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional(),
  pollIntervalMs: z.number(),
  inputRequests: z.record(z.string(), z.looseObject({ method: z.string() })).optional(),
  result: z.looseObject({ structuredContent: z.unknown() }).optional(),
});

/** A task as the server shows it. */
export type Task = z.output<typeof Task>;

/** Gives the answer to one question of a task. */
export type Answer = (request: { readonly method: string }) => Record<string, unknown>;

/** Connects to a server as a client that knows tasks and has a model. */
export async function connect(url: string, key: string): Promise<Client> {
  const capabilities = { sampling: {}, elicitation: {}, extensions: { [EXTENSION]: {} } };
  const client = new Client(
    { name: 'long-task', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: 'auto' } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  const deliver = transport.onmessage;
  // The client refuses results of the type "task", so they travel inside an ordinary one.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transport is no event target
  transport.onmessage = (message) => deliver?.(unwrapped(message));
  return client;
}

function unwrapped(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message)) return message;
  const task = Task.safeParse(message.result);
  const isTask = task.success && task.data.resultType === 'task';
  if (!isTask) return message;
  return { ...message, result: { resultType: 'complete', content: [], structuredContent: task.data } };
}

/** Starts a tool as a task. */
export async function startTask(client: Client, name: string, args: Record<string, unknown>): Promise<Task> {
  const { structuredContent } = await client.callTool({ name, arguments: args });
  return Task.parse(structuredContent);
}

/** Follows a task to its end: shows every state, answers every question. */
export async function follow(
  client: Client,
  started: Task,
  show: (task: Task) => void,
  answer: Answer,
): Promise<Task> {
  const { taskId } = started;
  for (let task = started; ;) {
    show(task);
    if (task.status === 'input_required') {
      const entries = Object.entries(task.inputRequests ?? {});
      const inputResponses = Object.fromEntries(entries.map(([id, request]) => [id, answer(request)]));
      await client.request({ method: 'tasks/update', params: { taskId, inputResponses } }, z.looseObject({}));
    } else if (task.status !== 'working') {
      return task;
    } else {
      await pause(Math.min(task.pollIntervalMs, 200));
    }
    task = await client.request({ method: 'tasks/get', params: { taskId } }, Task);
  }
}
