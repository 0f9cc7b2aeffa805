/** Owns calls of the 2025 era as a load: sessions that are opened once, then call after call over each. */
import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { cpuTimeUs } from './cpu.ts';
import type { CpuSource } from './cpu.ts';

/** Where to send, and how much. */
export interface SessionLoad {
  url: string;
  key: string;
  /** The process whose CPU is counted. */
  pid: number;
  calls: number;
  sessions: number;
}

/** What a call of a session costs. */
export interface SessionCost {
  cpuUs: number;
  calls: number;
  /** Answers without the text that was sent. */
  failures: number;
}

const VERSION = '2025-11-25';

/** Makes the calls twice, once to warm up, and tells what the second half cost. */
export async function sessionCost(load: SessionLoad, source: CpuSource): Promise<SessionCost> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.sessions });
  try {
    const sessions = await Promise.all(Array.from({ length: load.sessions }, () => open(load, agent)));
    await callAll(load, agent, sessions);
    const beforeUs = cpuTimeUs(load.pid, source);
    const failures = await callAll(load, agent, sessions);
    const cpuUs = Number(((cpuTimeUs(load.pid, source) - beforeUs) / load.calls).toFixed(1));
    return { cpuUs, calls: load.calls, failures };
  } finally {
    agent.destroy();
  }
}

type Headers = Record<string, string>;

async function open(load: SessionLoad, agent: Agent): Promise<Headers> {
  const headers: Headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    authorization: `Bearer ${load.key}`,
  };
  const params = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const opened = await post(load, agent, headers, { id: 0, method: 'initialize', params });
  if (opened.status !== 200 || !opened.body.includes('"protocolVersion"'))
    throw new Error(`initialize answered HTTP ${opened.status}: ${opened.body.slice(0, 300)}`);
  const session = opened.headers['mcp-session-id'];
  const known = typeof session === 'string' ? { ...headers, 'mcp-session-id': session } : headers;
  await post(load, agent, known, { method: 'notifications/initialized' });
  return known;
}

async function callAll(load: SessionLoad, agent: Agent, sessions: readonly Headers[]): Promise<number> {
  let next = 0;
  let failures = 0;
  const work = async (headers: Headers) => {
    while (next < load.calls) {
      next += 1;
      const id = next;
      const text = `hi ${id}`;
      const params = { name: 'echo', arguments: { text } };
      const { status, body } = await post(load, agent, headers, { id, method: 'tools/call', params });
      if (status !== 200 || !body.includes(text)) failures += 1;
    }
  };
  await Promise.all(sessions.map(work));
  return failures;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

function post({ url }: SessionLoad, agent: Agent, headers: Headers, message: object): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const req = request(url, { method: 'POST', agent, headers: { ...headers, ...length } }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => (text += chunk));
      res.on('error', reject);
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text }));
    });
    req.on('error', reject);
    req.end(body);
  });
}
