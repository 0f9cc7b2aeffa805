/** Owns the task requests over HTTP: many creations at once, then reads one after another, every answer checked. */
import { Agent, request } from 'node:http';
import { modern, modernHeaders } from '@parley/test-support/wire';
import { latencyOf } from './latency.ts';
import type { Latency } from './latency.ts';

/** Where to send. */
export interface Endpoint {
  url: string;
  key: string;
}

interface Sent {
  method: string;
  params: Record<string, unknown>;
}
interface TaskAnswer {
  resultType?: string;
  taskId?: string;
  status?: string;
}

const EXTENSION = 'io.modelcontextprotocol/tasks';
const envelope = {
  capabilities: { extensions: { [EXTENSION]: {} } },
  meta: { 'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' } },
};

/** Creates tasks over so many connections at once; gives how many were acknowledged per second. */
export async function createOverHttp(
  endpoint: Endpoint,
  { count, connections }: { count: number; connections: number },
): Promise<{ perSecond: number; latency: Latency }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ids = new Set<string>();
  const timesMs: number[] = [];
  let next = 0;
  const keepCreating = async () => {
    while (next < count) {
      const number = next++;
      const startedMs = performance.now();
      const params = { name: 'job', arguments: { number } };
      const task = await send(endpoint, agent, { method: 'tools/call', params });
      timesMs.push(performance.now() - startedMs);
      if (task.resultType !== 'task' || task.taskId === undefined) throw wrong('tools/call', task);
      ids.add(task.taskId);
    }
  };
  const startedMs = performance.now();
  try {
    await Promise.all(Array.from({ length: connections }, keepCreating));
  } finally {
    agent.destroy();
  }
  if (ids.size !== count) throw new Error(`${count} calls gave only ${ids.size} different tasks.`);
  const seconds = (performance.now() - startedMs) / 1000;
  return { perSecond: Math.round(count / seconds), latency: latencyOf(timesMs) };
}

/** Reads tasks one after another over one connection. */
export async function getOverHttp(endpoint: Endpoint, ids: readonly string[]): Promise<Latency> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const timesMs: number[] = [];
  try {
    for (const taskId of ids) {
      const startedMs = performance.now();
      const task = await send(endpoint, agent, { method: 'tasks/get', params: { taskId } });
      timesMs.push(performance.now() - startedMs);
      if (task.taskId !== taskId || task.status !== 'completed') throw wrong('tasks/get', task);
    }
  } finally {
    agent.destroy();
  }
  return latencyOf(timesMs);
}

function wrong(method: string, answer: object): Error {
  return new Error(`${method} was not answered with the task: ${JSON.stringify(answer).slice(0, 300)}`);
}

function send({ url, key }: Endpoint, agent: Agent, { method, params }: Sent): Promise<TaskAnswer> {
  const message = modern(method, params, envelope);
  const body = JSON.stringify(message);
  const headers = {
    ...modernHeaders(message),
    'content-length': String(Buffer.byteLength(body)),
    authorization: `Bearer ${key}`,
  };
  return new Promise((resolve, reject) => {
    const req = request(url, { method: 'POST', agent, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => (text += chunk));
      res.on('error', reject);
      res.on('end', () => {
        try {
          resolve(resultOf(method, res.statusCode ?? 0, text));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    req.on('error', reject);
    req.end(body);
  });
}

function resultOf(method: string, status: number, text: string): TaskAnswer {
  // a stream carries the same object after its field name
  const json = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}');
  // parsed JSON has no type of its own; the callers compare every field they use
  const answer = JSON.parse(json) as { result?: TaskAnswer };
  if (status === 200 && answer.result) return answer.result;
  throw new Error(`${method} answered HTTP ${status}: ${text.slice(0, 300)}`);
}
