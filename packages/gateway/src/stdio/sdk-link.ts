/** The SDK behind stdio: hears what the loop hands over, writes what it has to say. */
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import type { Caller, Connection, Engine } from '@parley/kit';
import { ListenExtras } from '../http/listen-extension.ts';
import { createNoticeBoard } from '../http/notices.ts';
import { isWanted, sendNotice } from '../http/send-notice.ts';
import { asProtocolFault } from '../calls/unavailable-store.ts';
import { cancelledId, isRequest } from '../messages.ts';
import type { StdioOptions } from './serve.ts';
import { whenRead } from './when-read.ts';

/** The SDK as the loop sees it. */
export interface SdkLink {
  /** Hands over a message; `unheard` swallows the answer, which was given already. */
  deliver(body: unknown, caller: Caller, options?: { unheard: boolean }): Promise<void>;
  /** Waits until what was asked for is answered, then closes. */
  close(): Promise<void>;
}

const DRAIN_MS = 10_000;

/** Loads the SDK and connects it. */
export async function loadSdk(
  engine: Engine,
  caller: Caller,
  options: StdioOptions,
  write: (json: string) => void,
  connection: Connection,
): Promise<SdkLink> {
  const [{ serveStdio: serve }, { createProtocolServer, restored }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('@parley/kit/protocol'),
  ]);
  const pending = new Pending();
  const swallowed = new Set<string | number>();
  const listens = new OpenListens();
  const transport: Transport = {
    start: async () => undefined,
    async send(message) {
      const id = 'id' in message && !('method' in message) ? message.id : undefined;
      if (id !== undefined && swallowed.delete(id)) return;
      const opened = listens.acknowledge(message);
      write(JSON.stringify(opened?.message ?? (isLegacy ? restored(message) : message)));
      opened?.extras.start();
      if (id !== undefined) pending.delete(id);
    },
    close: async () => transport.onclose?.(),
  };
  let current: Caller | undefined;
  let server: Server | undefined;
  let isLegacy = false;
  const watched = new Set<string>();
  const { info, instructions, onFault } = options;
  const handle = serve(
    ({ era }) => {
      isLegacy = era === 'legacy';
      const callerOf = () => current ?? refuse();
      server = createProtocolServer({
        engine,
        info,
        instructions,
        era,
        caller,
        callerOf,
        watched,
        connection,
        failed: asProtocolFault,
      });
      return server;
    },
    { transport, onerror: (error) => onFault(error, 'stdio') },
  );
  const board = createNoticeBoard({ changes: options.changes, current: () => options.caller(), onFault });
  board.add({
    caller,
    engine,
    wants: (change) => server?.transport !== undefined && isWanted(server, change, watched),
    watches: (uri) => watched.has(uri),
    async tell(change) {
      // What becomes due while the client does not read is told once, when it does.
      await whenRead(options.output);
      if (server?.transport !== undefined) await sendNotice(server, change);
    },
    // Every request is told that the key is gone; the process belongs to the client.
    end: () => undefined,
  });
  return {
    async deliver(given, caller, { unheard } = { unheard: false }) {
      current = caller;
      const cancelled = cancelledId(given);
      if (cancelled !== undefined) {
        pending.delete(cancelled);
        listens.close(cancelled);
      }
      const body = await listens.open(given, engine, caller, (message) => write(JSON.stringify(message)));
      if (isRequest(body) && unheard) swallowed.add(body.id);
      // A listen stream is answered only when it is closed, so nothing waits for it.
      else if (isRequest(body) && body.method !== 'subscriptions/listen') pending.add(body.id);
      // The SDK checks every message itself before it looks at it.
      transport.onmessage?.(body as JSONRPCMessage);
    },
    async close() {
      board.close();
      listens.closeAll();
      await pending.drained(DRAIN_MS);
      await handle.close();
    },
  };
}

function refuse(): never {
  throw new Error('A message reached the protocol before its caller was known.');
}

/** The listen streams of this connection that extensions take part in. */
class OpenListens {
  readonly #open = new Map<string | number, ListenExtras>();

  /** The message as the SDK shall hear it. */
  async open(
    body: unknown,
    engine: Engine,
    caller: Caller,
    write: (message: object) => void,
  ): Promise<unknown> {
    if (!isRequest(body) || body.method !== 'subscriptions/listen') return body;
    const extras = await ListenExtras.open(engine, caller, body, write);
    if (extras === undefined) return body;
    this.#open.set(body.id, extras);
    return extras.body;
  }

  /** The acknowledgement of a stream with what extensions honour. */
  acknowledge(message: unknown): { message: object; extras: ListenExtras } | undefined {
    for (const extras of this.#open.values()) {
      const acknowledged = extras.acknowledged(message);
      if (acknowledged !== undefined) return { message: acknowledged, extras };
    }
    return undefined;
  }

  close(id: string | number): void {
    this.#open.get(id)?.close();
    this.#open.delete(id);
  }

  closeAll(): void {
    for (const id of this.#open.keys()) this.close(id);
  }
}

/** The requests that are still to be answered. */
class Pending {
  readonly #ids = new Set<string | number>();
  #onEmpty: (() => void) | undefined;

  add(id: string | number): void {
    this.#ids.add(id);
  }

  delete(id: string | number): void {
    this.#ids.delete(id);
    if (this.#ids.size === 0) this.#onEmpty?.();
  }

  /** Resolves when all are answered or the time is up. */
  drained(limitMs: number): Promise<void> {
    if (this.#ids.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
