/**
 * MCP over stdin and stdout: one line, one message. What can be listed is answered at once; the engine and the SDK
 * are loaded with the first message that needs them.
 */
import type { Readable, Writable } from 'node:stream';
import type { Caller, ChangeBus, Engine, Listing, ServerInfo } from '@parley/kit';
import { detach, OpenConnection, ProtocolFault, RPC } from '@parley/kit';
import type { Answer } from '../http/answer-batch.ts';
import { HttpRefusal, parseJson, REFUSED } from '@parley/http';
import { faultJson } from '../http/answers.ts';
import { HotPath } from '../http/hot-path.ts';
import type { HotRequest } from '../http/hot-request.ts';
import { hotRequestOf } from '../http/hot-request.ts';
import type { Limits } from '../limits.ts';
import { linesOf, TOO_LONG } from './lines.ts';
import { cancelledId, isRequest, methodOf } from '../messages.ts';
import { Opening } from './opening.ts';
import type { SdkLink } from './sdk-link.ts';
import { whenRead } from './when-read.ts';

/** What a stdio server is built from. */
export interface StdioOptions {
  /** Answers lists until the engine is there. */
  readonly listing: Listing;
  /** The engine behind the listing; asked for when something has to run, and ahead of that after the first list. */
  engine(): Promise<Engine>;
  readonly info: ServerInfo;
  readonly instructions?: string | undefined;
  readonly changes: ChangeBus;
  readonly limits: Limits;
  readonly input: Readable;
  readonly output: Writable;
  /** Who is calling, asked for every message: rights may change while the process runs. */
  caller(): Promise<Caller | undefined>;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Serves until the input ends and everything that was asked for is answered. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { listing, input, output, limits } = options;
  const write = (json: string) => output.write(`${json}\n`);
  const writeAnswer = ({ body, tail = '' }: Answer) => write(body.toString() + tail);
  const hot = new HotPath(options.info);
  const connection = new OpenConnection();
  const opening = new Opening(listing, options.info, options.instructions);
  const running = new Set<Promise<unknown>>();
  const cancels = new Map<string | number, AbortController>();
  let sdk: Promise<SdkLink> | undefined;
  let engine: Engine | undefined;
  let hasEnded = false;

  const loadEngine = async () => (engine ??= await options.engine());
  // Listed once, a client will soon call: have ready by then what the call needs.
  const loadAhead = (load: () => Promise<unknown>) =>
    setImmediate(() => {
      // The call that needs it asks again, and is told what is wrong.
      if (!hasEnded) detach(load(), () => undefined);
    });
  const link = (caller: Caller) =>
    (sdk ??= import('./sdk-link.ts').then(async ({ loadSdk }) => {
      const whole = await loadEngine();
      await whole.ready(caller);
      const loaded = await loadSdk(whole, caller, options, write, connection);
      for (const body of opening.heard) await loaded.deliver(body, caller, { unheard: true });
      return loaded;
    }));

  /** Whoever reads the next page has to have written the cursor. */
  async function listsFor(
    { cursor }: Extract<HotRequest, { method: 'tools/list' }>,
    caller: Caller,
  ): Promise<Listing> {
    if (cursor === undefined && listing.list(caller).nextCursor === undefined) return listing;
    const whole = await loadEngine();
    await whole.ready(caller);
    return whole;
  }

  async function runHot(request: HotRequest, caller: Caller): Promise<void> {
    if (request.method === 'tools/list') {
      writeAnswer(hot.list(engine ?? (await listsFor(request, caller)), caller, request));
      if (engine === undefined) loadAhead(loadEngine);
      return;
    }
    const controller = new AbortController();
    cancels.set(request.id, controller);
    const called = await hot.call(await loadEngine(), caller, request, () => controller.signal, {
      connection,
    });
    cancels.delete(request.id);
    if (!controller.signal.aborted) writeAnswer(called);
  }

  /** A fault that concerns the request itself is its answer. */
  async function deliver(to: SdkLink, body: unknown, caller: Caller): Promise<void> {
    try {
      await to.deliver(body, caller);
    } catch (error) {
      if (!(error instanceof ProtocolFault) || !isRequest(body)) throw error;
      write(faultJson(error, body.id));
    }
  }

  async function answer(
    line: string | typeof TOO_LONG,
    callerFound: Promise<Caller | undefined>,
  ): Promise<void> {
    if (line === TOO_LONG)
      throw new HttpRefusal(413, `A message has more than ${limits.bodyBytes} bytes.`, {
        rpc: RPC.invalidRequest,
      });
    const body = parseJson(line, limits);
    const caller = await callerFound;
    if (caller === undefined) {
      if (isRequest(body)) write(invalidKeyJson(body.id));
      return;
    }
    await (engine ?? listing).ready(caller);
    const cancelled = cancelledId(body);
    if (cancelled !== undefined) cancels.get(cancelled)?.abort();
    if (sdk === undefined) {
      // An era is chosen by how the client opens; after a 2025 handshake nothing is modern.
      const request = opening.heard.length === 0 ? hotRequestOf(body) : undefined;
      if (request !== undefined) return runHot(request, caller);
      const opened = opening.answer(body, caller);
      if (opened !== undefined) {
        if (opened !== 'silent') write(opened.json);
        if (methodOf(body) === 'tools/list') loadAhead(() => link(caller));
        return;
      }
    }
    await deliver(await link(caller), body, caller);
  }

  // A client that is gone asks for nothing more.
  output.on('error', () => input.destroy());
  for await (const line of linesOf(input, limits.bodyBytes)) {
    const caller = options.caller();
    const work: Promise<unknown> = answer(line, caller)
      .catch((error: unknown) => {
        write(refusalJson(error, options));
      })
      .finally(() => running.delete(work));
    running.add(work);
    // While a key is looked up, the next request is not read: they would all be answered at once.
    await Promise.allSettled([caller]);
    // Messages reach the SDK in the order they came, and hot calls run side by side.
    if (sdk !== undefined || opening.heard.length > 0) await work;
    // Answers that are not read hold up the next request instead of piling up.
    await whenRead(output);
  }
  await Promise.all(running);
  // Whoever waits for the end closes what an engine would be built on.
  hasEnded = true;
  await (await sdk)?.close();
  await connection.end();
}

function invalidKeyJson(id: string | number): string {
  const error = { code: REFUSED, message: 'The key of this process is no longer valid.' };
  return JSON.stringify({ jsonrpc: '2.0', error, id });
}

function refusalJson(error: unknown, { onFault }: StdioOptions): string {
  const refusal = error instanceof HttpRefusal ? error : undefined;
  if (refusal === undefined) onFault(error, 'stdio');
  const fault = { code: refusal?.rpc ?? RPC.internalError, message: refusal?.message ?? 'Internal error' };
  return JSON.stringify({ jsonrpc: '2.0', error: fault, id: null });
}
