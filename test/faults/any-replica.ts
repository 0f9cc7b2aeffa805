/** Owns what a client does with tasks through a balancer that sends each request to another server: follow, hear, cancel, answer. */
import { randomUUID } from 'node:crypto';
import { modern, modernHeaders } from '@parley/test-support/wire';
import { openStream } from '../../packages/gateway/test/event-stream.ts';
import type { FaultBed } from './fault-bed.ts';
import type { Asked } from './fault-client.ts';
import { mcp } from './fault-client.ts';
import { until } from './fleet.ts';

/** A task on the wire. */
export interface WireTask {
  readonly taskId: string;
  readonly status: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly structuredContent?: Readonly<Record<string, unknown>> };
}

/** What a chore is asked for. */
export interface ChoreInput {
  readonly steps?: number;
  readonly workMs?: number;
  readonly napMs?: number;
  readonly asks?: boolean;
}

const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const LIMIT_MS = 60_000;
/** Longer than any test waits. */
const LONG_MS = 600_000;

/** Makes a task; the ledger does not know of it. */
export async function startChore(bed: FaultBed, input: ChoreInput = {}, to = bed.door) {
  const mark = randomUUID();
  const params = { name: 'do_chore', arguments: { mark, ...input } };
  const { status, json } = await mcp(to, 'tools/call', params);
  const id: unknown = json?.result?.taskId;
  if (typeof id !== 'string') throw new Error(`No task was made: ${status} ${JSON.stringify(json)}`);
  return { id, mark };
}

/** The task as it stands now. */
export async function getTask(to: Asked, taskId: string): Promise<WireTask> {
  const { status, json, text } = await mcp(to, 'tasks/get', { taskId });
  if (json?.result === undefined) throw new Error(`${taskId} is not found: ${status} ${text}`);
  return json.result as WireTask; // as the extension says
}

/** Follows a task until it is in one of these states. */
export async function follow(to: Asked, taskId: string, ...wanted: readonly string[]): Promise<WireTask> {
  let task: WireTask | undefined;
  await until(
    `${taskId} is ${wanted.join(' or ')}`,
    async () => {
      task = await getTask(to, taskId);
      return wanted.includes(task.status);
    },
    LIMIT_MS,
  );
  if (task === undefined) throw new Error(`${taskId} was not asked for.`);
  return task;
}

/** Each of the things that a client does, through the balancer alone; throws at what does not come out right. */
export const THROUGH_ANY: Readonly<Record<string, (bed: FaultBed) => Promise<unknown>>> = {
  async 'a poll finds the task at once, wherever it goes'(bed) {
    const { id } = await startChore(bed, { steps: 2, workMs: 20 });
    const seen = await Promise.all(Array.from({ length: 6 }, () => getTask(bed.door, id)));
    await follow(bed.door, id, 'completed');
    return seen.length;
  },

  async 'a stream tells of the end, whoever runs the task'(bed) {
    const { id } = await startChore(bed, { steps: 2, workMs: 200 });
    const message = modern(
      'subscriptions/listen',
      { notifications: { taskIds: [id] } },
      { capabilities: CAPABILITIES },
    );
    const { port } = bed.fleet.balancer;
    const body = JSON.stringify(message);
    const stream = await openStream({ port, key: bed.door.key, headers: modernHeaders(message), body });
    for (;;) {
      const notice = await stream.next();
      if (notice === undefined) throw new Error('The stream ended before the task did.');
      if (notice.params?.status === 'completed') break;
    }
    await stream.close();
  },

  async 'a cancel ends what another server runs'(bed) {
    const { id, mark } = await startChore(bed, { workMs: LONG_MS });
    const hasBegun = () => bed.ledger.effects().some((effect) => effect.mark === mark);
    await until('the step has begun', hasBegun, LIMIT_MS);
    await mcp(bed.door, 'tasks/cancel', { taskId: id });
    await follow(bed.door, id, 'cancelled');
  },

  async 'a question is seen and answered anywhere'(bed) {
    const { id } = await startChore(bed, { steps: 2, asks: true });
    const { inputRequests = {} } = await follow(bed.door, id, 'input_required');
    const [key = ''] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
    await mcp(bed.door, 'tasks/update', { taskId: id, inputResponses });
    const { result } = await follow(bed.door, id, 'completed');
    if (result?.structuredContent?.['name'] !== 'Ada')
      throw new Error(`The answer was lost: ${JSON.stringify(result)}`);
  },
};
