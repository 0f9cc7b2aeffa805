/** Sends requests to a test server, well-formed ones and broken ones, and reads what comes back. */
import { Agent, request } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

/** The revision of every modern message here. */
export const MODERN = '2026-07-28';

const PREFIX = 'io.modelcontextprotocol/';
const agent = new Agent({ keepAlive: true, maxSockets: 1024 });

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The message, from a JSON body or from the last event of a stream. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly json: any;
}

/** One JSON-RPC message. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** What a modern message carries besides its parameters. */
export interface Envelope {
  readonly id?: string | number;
  readonly capabilities?: Record<string, unknown>;
  readonly meta?: Record<string, unknown>;
}

/** A 2026-07-28 request. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  envelope: Envelope = {},
): Message {
  const _meta = {
    [`${PREFIX}protocolVersion`]: MODERN,
    [`${PREFIX}clientCapabilities`]: envelope.capabilities ?? {},
    ...envelope.meta,
  };
  return { jsonrpc: '2.0', id: envelope.id ?? 1, method, params: { ...params, _meta } };
}

/** A 2026-07-28 call of a tool. */
export function modernCall(name: string, args?: Record<string, unknown>, envelope: Envelope = {}): Message {
  return modern('tools/call', { name, ...(args !== undefined && { arguments: args }) }, envelope);
}

/** The headers that repeat a modern message. */
export function modernHeaders(message: Message): Record<string, string> {
  const name = message.params?.name ?? message.params?.uri ?? message.params?.taskId;
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN,
    'mcp-method': message.method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
}

/** Where and how to send. */
export interface Sending {
  readonly port: number;
  readonly key?: string | undefined;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer | undefined;
}

/** Opens a request without waiting for its answer. */
export function open({ port, key, path, method, headers, body }: Sending): ClientRequest {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const req = request({
    agent,
    host: '127.0.0.1',
    port,
    path: path ?? '/mcp',
    method: method ?? 'POST',
    headers: { ...authorization, ...headers },
  });
  req.end(body);
  return req;
}

/** Sends and reads the whole answer. */
export async function send(sending: Sending): Promise<Answer> {
  const res = await responseOf(open(sending));
  const chunks: Buffer[] = [];
  for await (const chunk of res as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: res.statusCode ?? 0, headers: res.headers, text, json: messageIn(text) };
}

/** The head of an answer whose body is read by the test. */
export function responseOf(req: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    req.once('response', resolve);
    req.once('error', reject);
  });
}

/** Sends a modern message with the headers that belong to it. */
export function sendModern(to: Omit<Sending, 'body'>, message: Message): Promise<Answer> {
  return send({
    ...to,
    headers: { ...modernHeaders(message), ...to.headers },
    body: JSON.stringify(message),
  });
}

/** Writes bytes to a socket and reads until the server closes it. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.once('error', reject);
  });
}

/** Writes bytes to a socket and then blank after blank, never an end, and reads until the server closes it. */
export function sendSlowly(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes);
    const timer = setInterval(() => socket.write(' '), 50);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => {
      clearInterval(timer);
      chunks.push(chunk);
    });
    // What was under way when the server closed comes back as an error.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(timer);
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
  });
}

function messageIn(text: string): unknown {
  const data = text.startsWith('{') ? text : eventsIn(text).at(-1);
  return data === undefined ? undefined : JSON.parse(data);
}

/** The data of every event in the text of a stream. */
export function eventsIn(text: string): string[] {
  return text
    .split('\n\n')
    .flatMap((event) => event.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => line.slice('data: '.length))
    .filter((data) => data !== '');
}
