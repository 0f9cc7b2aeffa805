/** Owns the long mixed load of P8: both eras, 1 % errors, 1 % disconnects, in blocks of a hundred calls. */
import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import { modernBody, modernHeaders } from './wire.ts';

/** What to send; every fifth block speaks 2025. */
export interface Soak {
  url: string;
  key: string;
  calls: number;
  connections: number;
}

/** What was sent, and how many answers were not what was expected. */
export interface SoakResult {
  calls: number;
  calls2025: number;
  errorsMade: number;
  disconnectsMade: number;
  failures: number;
  firstFailure?: string;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

const BLOCK_SIZE = 100;
const ERROR_AT = 25;
const DISCONNECT_AT = 50;
const LEGACY_VERSION = '2025-11-25';

/** Sends the whole load and counts. */
export async function soak(options: Soak): Promise<SoakResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const blocks = Math.ceil(options.calls / BLOCK_SIZE);
  const result = { calls: 0, calls2025: 0, errorsMade: 0, disconnectsMade: 0, failures: 0 };
  let next = 0;
  const work = async () => {
    while (next < blocks) {
      const block = next++;
      await sendBlock({ agent, options, result }, block, block % 5 === 4);
    }
  };
  await Promise.all(Array.from({ length: options.connections }, work));
  agent.destroy();
  return result;
}

interface Run {
  agent: Agent;
  options: Soak;
  result: SoakResult;
}

async function sendBlock(run: Run, block: number, isLegacy: boolean): Promise<void> {
  const { result, options } = run;
  const headers = isLegacy ? await openSession(run) : modernHeaders('call', options.key);
  for (let index = 0; index < BLOCK_SIZE; index++) {
    const id = block * BLOCK_SIZE + index + 1;
    result.calls++;
    if (isLegacy) result.calls2025++;
    if (index === DISCONNECT_AT) {
      result.disconnectsMade++;
      await disconnect(run, headers, callBody(id, isLegacy, true));
      continue;
    }
    const isRight = index !== ERROR_AT;
    if (!isRight) result.errorsMade++;
    const answer = await post(run, headers, callBody(id, isLegacy, isRight)).catch(String);
    if (!isExpected(answer, isRight)) noteFailure(result, answer);
  }
  if (isLegacy) await closeSession(run, headers);
}

async function openSession(run: Run): Promise<Record<string, string>> {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': LEGACY_VERSION,
    Authorization: `Bearer ${run.options.key}`,
  };
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion: LEGACY_VERSION, capabilities: {}, clientInfo };
  const opening = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
  const answer = await post(run, headers, JSON.stringify(opening));
  if (answer.status !== 200) noteFailure(run.result, answer);
  const session = answer.headers['mcp-session-id'];
  // a stateless 2025 server gives no session
  if (typeof session === 'string') headers['Mcp-Session-Id'] = session;
  await post(run, headers, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return headers;
}

async function closeSession(run: Run, headers: Record<string, string>): Promise<void> {
  if ('Mcp-Session-Id' in headers) await send(run, 'DELETE', headers, '');
}

function callBody(id: number, isLegacy: boolean, isRight: boolean): string {
  const args = isRight ? { text: 'hi' } : { text: 5 };
  const params = { name: 'echo', arguments: args };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  if (isLegacy) return body;
  const modern = modernBody('call', id);
  return isRight ? modern : modern.replace('"text":"hi"', '"text":5');
}

function isExpected(answer: Answer | string, isRight: boolean): boolean {
  if (typeof answer === 'string' || answer.status >= 500) return false;
  if (isRight) return answer.status === 200 && answer.body.includes('"structuredContent":{"text":"hi"}');
  return answer.body.includes('"isError":true') || answer.body.includes('"code":-32602');
}

function noteFailure(result: SoakResult, answer: Answer | string): void {
  result.failures++;
  result.firstFailure ??=
    typeof answer === 'string' ? answer : `HTTP ${answer.status}: ${answer.body.slice(0, 300)}`;
}

function post(run: Run, headers: Record<string, string>, body: string): Promise<Answer> {
  return send(run, 'POST', headers, body);
}

function send(run: Run, method: string, headers: Record<string, string>, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const options = { method, agent: run.agent, headers: { ...headers, ...length } };
    const req = request(run.options.url, options, (res) => {
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

function disconnect(run: Run, headers: Record<string, string>, body: string): Promise<void> {
  return new Promise((resolve) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const options = { method: 'POST', agent: run.agent, headers: { ...headers, ...length } };
    const req = request(run.options.url, options, (res) => res.resume());
    // cutting the line is the purpose, so its error is expected
    req.on('error', () => undefined);
    req.on('close', resolve);
    req.end(body, () => req.destroy());
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // the only caller is the bench itself, which sends this very type
  const result = await soak(JSON.parse(process.argv[2] ?? '{}') as Soak);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
