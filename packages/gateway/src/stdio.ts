/** MCP over stdin and stdout: one line, one message. The SDK is loaded with the first message that needs it. */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import type { Caller, Change, ChangeBus, Engine, ServerInfo } from '@parley/kit';
import { HotPath, hotRequestOf } from './hot-path.ts';
import { HttpRefusal } from './answers.ts';
import { parseJson } from './inbound.ts';
import type { Limits } from './limits.ts';

/** What a stdio server is built from. */
export interface StdioOptions {
  readonly engine: Engine;
  readonly info: ServerInfo;
  readonly instructions?: string | undefined;
  readonly changes: ChangeBus;
  readonly limits: Limits;
  readonly input: Readable;
  readonly output: Writable;
  /** Who is calling, asked for every message: rights may change while the process runs; undefined ends the service. */
  caller(): Promise<Caller | undefined>;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Serves until the input ends and everything that was asked for is answered. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { input, output, limits } = options;
  const hot = new HotPath(options.info);
  const write = (json: string | Buffer) => output.write(`${json.toString()}\n`);
  const running = new Set<Promise<void>>();
  const cancels = new Map<string | number, AbortController>();
  let sdk: Promise<SdkLink> | undefined;

  async function answer(line: string): Promise<void> {
    const body = parseJson(line, limits);
    const caller = await options.caller();
    if (caller === undefined) throw new HttpRefusal(401, -32000, 'The key of this process is no longer valid.');
    const cancelled = cancelledId(body);
    if (cancelled !== undefined) cancels.get(cancelled)?.abort();
    const request = sdk === undefined ? hotRequestOf(body) : undefined;
    if (request === undefined) {
      sdk ??= loadSdk(options, write);
      (await sdk).deliver(body);
      return;
    }
    if (request.method === 'tools/list') {
      write(hot.list(options.engine, caller, request).json);
      return;
    }
    const controller = new AbortController();
    cancels.set(request.id, controller);
    const { json } = await hot.call(options.engine, caller, request, () => controller.signal);
    cancels.delete(request.id);
    if (!controller.signal.aborted) write(json);
  }

  for await (const line of linesOf(input, limits.bodyBytes)) {
    const work = answer(line).catch((error: unknown) => {
      const refusal = error instanceof HttpRefusal ? error : undefined;
      if (refusal === undefined) options.onFault(error, 'stdio');
      const fault = { code: refusal?.code ?? -32603, message: refusal?.message ?? 'Internal error' };
      write(JSON.stringify({ jsonrpc: '2.0', error: fault, id: null }));
    });
    running.add(work);
    void work.finally(() => running.delete(work));
    // Messages are delivered to the SDK in the order they came.
    if (sdk !== undefined) await work;
  }
  await Promise.all(running);
  await (await sdk)?.close();
}

interface SdkLink {
  deliver(body: unknown): void;
  close(): Promise<void>;
}

async function loadSdk(options: StdioOptions, write: (json: string) => void): Promise<SdkLink> {
  const [{ serveStdio: serve }, { createProtocolServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('@parley/kit/protocol'),
  ]);
  const pending = new Set<string | number>();
  const transport: Transport = {
    start: async () => undefined,
    async send(message) {
      if ('id' in message && message.id !== undefined && !('method' in message)) pending.delete(message.id);
      write(JSON.stringify(message));
    },
    close: async () => transport.onclose?.(),
  };
  let current: Caller | undefined = await options.caller();
  const watched = new Set<string>();
  let server: Server | undefined;
  const handle = serve(
    ({ era }) => {
      const { engine, info, instructions } = options;
      const callerOf = () => {
        if (current === undefined) throw new Error('The key of this process is no longer valid.');
        return current;
      };
      server = createProtocolServer({ engine, info, instructions, era, callerOf, watched });
      return server;
    },
    { transport, onerror: (error) => options.onFault(error, 'stdio') },
  );
  const unsubscribe = options.changes.subscribe((change) => {
    notify(server, change, watched).catch((error: unknown) => options.onFault(error, 'stdio notice'));
  });
  return {
    deliver(body) {
      void options.caller().then((caller) => {
        current = caller;
        return undefined;
      });
      if (isRequest(body)) pending.add(body.id);
      // The SDK checks every message itself before it looks at it.
      transport.onmessage?.(body as JSONRPCMessage);
    },
    async close() {
      unsubscribe();
      await drained(pending);
      await handle.close();
    },
  };
}

const DRAIN_MS = 10_000;
const DRAIN_STEP_MS = 10;

/** Waits until everything that was asked for is answered; the input has ended, so nothing new comes. */
async function drained(pending: ReadonlySet<unknown>): Promise<void> {
  const deadline = performance.now() + DRAIN_MS;
  while (pending.size > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_STEP_MS));
  }
}

async function notify(server: Server | undefined, change: Change, watched: ReadonlySet<string>): Promise<void> {
  if (server?.transport === undefined) return;
  const capabilities = server.getCapabilities();
  if (change.kind === 'tools') await server.sendToolListChanged();
  else if (change.kind === 'prompts' && capabilities.prompts) await server.sendPromptListChanged();
  else if (change.kind === 'resources' && capabilities.resources) await server.sendResourceListChanged();
  else if (change.kind === 'resource' && capabilities.resources) {
    const isModern = server.getNegotiatedProtocolVersion()?.startsWith('2026') ?? false;
    // A modern listener filters by its own subscription; a 2025 one by what it subscribed to.
    if (isModern || watched.has(change.uri)) await server.sendResourceUpdated({ uri: change.uri });
  }
}

function isRequest(body: unknown): body is { id: string | number } {
  return typeof body === 'object' && body !== null && 'id' in body && 'method' in body;
}

function cancelledId(body: unknown): string | number | undefined {
  if (typeof body !== 'object' || body === null || !('method' in body)) return undefined;
  if (body.method !== 'notifications/cancelled' || !('params' in body)) return undefined;
  const { params } = body as { params?: { requestId?: string | number } };
  return params?.requestId;
}

/** Lines of a stream; one that is too long is refused instead of being kept in memory. */
async function* linesOf(input: Readable, maxBytes: number): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end));
      from = end + 1;
      const line = sizeBytes > maxBytes ? '' : Buffer.concat(parts).toString('utf8').trim();
      if (sizeBytes > maxBytes) yield '"too long"';
      else if (line !== '') yield line;
      [parts, sizeBytes] = [[], 0];
    }
    sizeBytes += chunk.length - from;
    if (sizeBytes <= maxBytes) parts.push(chunk.subarray(from));
    else parts = [];
  }
}
