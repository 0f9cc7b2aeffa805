/** What a session's MCP server is to its clients: connected to any transport, told of changes, closed. */
import { IDENTITY_CHANGED } from '@parley/identity';
import type { Caller, Engine, ServerInfo } from '@parley/kit';
import { detach, OpenConnection } from '@parley/kit';
import type { Transport } from '@parley/kit/protocol';
import type { AgentHost } from '../toolset.ts';

export interface InstanceParts {
  readonly engine: Engine;
  readonly info: ServerInfo;
  /** Who acts before it is known who does. */
  readonly unknown: Caller;
  /** Who acts now. */
  whoActs(): Promise<Caller>;
  readonly host: Pick<AgentHost, 'store' | 'changes'>;
  readonly onFault: (error: unknown, where: string) => void;
  onClose(): Promise<void>;
}

/** A connection to one client. */
interface Served {
  close(): Promise<void>;
}

export class AgentInstance {
  readonly #parts: InstanceParts;
  readonly #served = new Set<Served>();

  constructor(parts: InstanceParts) {
    this.#parts = parts;
  }

  /** Serves the client at the other end, in the era that it opens with; resolves when it is heard. */
  async connect(transport: Transport): Promise<void> {
    // The SDK is loaded below, and some clients speak at once.
    const early: Parameters<NonNullable<Transport['onmessage']>>[] = [];
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has this one way to be heard
    transport.onmessage = (...heard: (typeof early)[number]) => {
      early.push(heard);
    };
    const served = await serve(this.#parts, transport, () => this.#served.delete(served));
    this.#served.add(served);
    for (const heard of early) transport.onmessage?.(...heard);
  }

  /** Ends every connection, and writes down what was denied. */
  async close(): Promise<void> {
    await Promise.all([...this.#served].map((served) => served.close()));
    await this.#parts.onClose();
  }
}

async function serve(parts: InstanceParts, transport: Transport, onEnd: () => void): Promise<Served> {
  const { engine, info, unknown, whoActs, host, onFault } = parts;
  const { createProtocolServer, serveTransport } = await import('@parley/kit/protocol');
  const connection = new OpenConnection();
  const watched = new Set<string>();
  let server: ReturnType<typeof createProtocolServer> | undefined;
  let era: 'modern' | 'legacy' | undefined;
  let caller = unknown;
  const callerOf = async () => (caller = await whoActs());
  const onclose = transport.onclose;
  const handle = serveTransport(
    transport,
    (opened) => {
      era = opened;
      server = createProtocolServer({ engine, info, era, caller: unknown, callerOf, connection, watched });
      return server;
    },
    (error) => onFault(error, 'session'),
  );
  const tell = (notice: (to: NonNullable<typeof server>) => Promise<void>) => {
    if (server?.transport !== undefined) detach(notice(server), (error) => onFault(error, 'notices'));
  };
  const toolsChanged = ({ payload }: { readonly payload: string | null }) => {
    const isOwn = payload === null || caller === unknown || payload === caller.organizationId;
    if (isOwn) tell((to) => to.sendToolListChanged());
  };
  const ends = [
    host.store.signal.subscribe(IDENTITY_CHANGED, toolsChanged),
    host.changes.subscribe(
      (change) => {
        if (change.kind !== 'resource') return;
        const isOwn = change.agentId === undefined || change.agentId === caller.agent?.id;
        if (isOwn && (era === 'modern' || watched.has(change.uri)))
          tell((to) => to.sendResourceUpdated({ uri: change.uri }));
      },
      (uri) => (watched.has(uri) ? [caller] : []),
    ),
  ];
  const end = async () => {
    for (const stop of ends.splice(0)) stop();
    onEnd();
    await connection.end();
  };
  const closed = transport.onclose;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has this one way to be heard
  transport.onclose = () => {
    closed?.();
    onclose?.();
    detach(end(), (error) => onFault(error, 'session'));
  };
  return {
    async close() {
      await handle.close();
      await end();
    },
  };
}
