/** Serves toolsets over stdio as a program of its own, for the person who starts the process. */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { soleCaller } from '../access/caller.ts';
import type { Grants } from '../access/grants.ts';
import { ALL_GRANTS } from '../access/grants.ts';
import { OpenConnection } from '../channel/connection.ts';
import { createEngine } from '../call/engine.ts';
import { toolsetSource } from '../catalog/source.ts';
import type { ServerInfo } from './server.ts';
import type { Toolset } from '../define/toolset.ts';
import { install } from '../define/toolset.ts';

/** What a program may change about how it serves. */
export interface ServeStdioOptions {
  /** Absent: what the toolset makes by itself. */
  readonly services?: unknown;
  /** What the person who started the process may call; absent: everything. */
  readonly grants?: Grants;
  /** False: resources can be read, and nobody is told when they change. */
  readonly canSubscribe?: boolean;
  /** Sees every message before it leaves. */
  outgoing?(message: JSONRPCMessage): JSONRPCMessage;
  /** Gets faults whose details no client may see. */
  readonly onFault?: (error: unknown, where: string) => void;
  readonly input?: Readable;
  readonly output?: Writable;
}

/** Serves until stdin ends; the person who started the process may call what `grants` name. */
export async function serveStdio(
  toolset: Toolset<unknown, object>,
  info: ServerInfo = { name: toolset.name, version: '0.0.0' },
  options: ServeStdioOptions = {},
): Promise<void> {
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const { createProtocolServer } = await import('./server.ts');
  const { serveTransport } = await import('./serve-transport.ts');
  const { services = toolset.services?.({}), grants = ALL_GRANTS, canSubscribe = true, onFault } = options;
  const engine = createEngine({
    sources: [toolsetSource(install(toolset, services))],
    ...(onFault && { onFault }),
  });
  const caller = soleCaller('local', 'Local', { grants, source: 'stdio' });
  const transport = new StdioServerTransport(options.input, options.output);
  const { outgoing } = options;
  if (outgoing !== undefined) {
    const send = transport.send.bind(transport);
    transport.send = (message) => send(outgoing(message));
  }
  const connection = new OpenConnection();
  const ended = Promise.withResolvers<void>();
  serveTransport(
    transport,
    (era) => {
      const watched = canSubscribe ? { watched: new Set<string>() } : {};
      const who = { caller, callerOf: () => caller };
      return createProtocolServer({ engine, info, era, canSubscribe, connection, ...who, ...watched });
    },
    onFault && ((error) => onFault(error, 'stdio')),
  );
  const onclose = transport.onclose;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has this one way to be heard
  transport.onclose = () => {
    onclose?.();
    ended.resolve();
  };
  await ended.promise;
  await connection.end();
}
