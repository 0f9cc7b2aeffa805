/** The browser link on a real port, and pages that speak it. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AllowedNames, RouteSet } from '@parley/http';
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import { scratchStore } from '@parley/store/testing';
import { WebSocket } from 'ws';
import type { ClientMessage, ServerMessage, ServerPayloads } from '../src/link/messages.ts';
import { createAnnotationRoutes } from '../src/routes.ts';
import type { Desk, DeskOptions } from './notes.ts';
import { openDesk, ORIGIN, PAGE } from './notes.ts';

/** A server with the link and nothing else. */
export interface LinkServer extends Desk, AsyncDisposable {
  readonly store: Store;
  readonly port: number;
  readonly routes: RouteSet;
  /** Opens a socket; headers may be wrong on purpose. */
  socket(headers?: Record<string, string>): Promise<Page>;
  /** Opens a socket and says hello. */
  hello(sessionToken?: string): Promise<Page & { ready: ServerPayloads['session:ready'] }>;
  /** Sends one HTTP request with exactly these headers. */
  send(path: string, options?: Sending): Promise<Sent>;
}

/** One HTTP request. */
export interface Sending {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** Its answer. */
export interface Sent {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

/** One page with a socket. */
export interface Page {
  readonly ws: WebSocket;
  readonly received: ServerMessage[];
  readonly closed: Promise<number>;
  /** Sends a message and returns what comes back for it. */
  ask(type: ClientMessage['type'], payload: unknown): Promise<ServerMessage>;
  /** The first message from `from` on that fits. */
  next<Type extends ServerMessage['type']>(
    type: Type,
    fits?: (payload: ServerPayloads[Type]) => boolean,
  ): Promise<ServerPayloads[Type]>;
}

/** Starts the server on a free port. */
export async function startLink(
  options: DeskOptions & { names?: AllowedNames; script?: string } = {},
): Promise<LinkServer> {
  const store = await scratchStore();
  const desk = await openDesk(store, options);
  const routes = createAnnotationRoutes(desk.services, {
    names: options.names ?? { hosts: [], origins: [] },
    overlayScript: async () => options.script,
  });
  const server = createServer((req, res) =>
    detach(routes.handle(req, res), (error) => res.destroy(error as Error)),
  );
  server.on('upgrade', (req, socket, head) => routes.upgrade?.(req, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = (headers: Record<string, string> = { origin: ORIGIN }) => openPage(port, headers);
  return {
    ...desk,
    store,
    port,
    routes,
    socket,
    async hello(sessionToken) {
      const page = await socket();
      const answer = await page.ask('hello', {
        token: desk.token,
        ...PAGE,
        protocol: 1,
        ...(sessionToken !== undefined && { sessionToken }),
      });
      if (answer.type !== 'session:ready') throw new Error(JSON.stringify(answer));
      return { ...page, ready: answer.payload };
    },
    send: (path, sending) => sendRequest(port, path, sending),
    async [Symbol.asyncDispose]() {
      await routes.close();
      await desk.services.close();
      server.close();
      server.closeAllConnections();
      await store[Symbol.asyncDispose]();
    },
  };
}

async function openPage(port: number, headers: Record<string, string>): Promise<Page> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/__parley/socket`, { headers });
  const received: ServerMessage[] = [];
  const waiting = new Set<() => void>();
  ws.on('message', (data: Buffer) => {
    received.push(JSON.parse(data.toString('utf8')) as ServerMessage);
    for (const look of waiting) look();
  });
  const closed = new Promise<number>((resolve) => {
    ws.on('close', (code) => resolve(code));
  });
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
  });
  ws.on('error', () => undefined);
  const until = <T>(look: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const tryOnce = () => {
        const found = look();
        if (found === undefined) return;
        waiting.delete(tryOnce);
        resolve(found);
      };
      waiting.add(tryOnce);
      detach(
        closed.then((code) => reject(new Error(`The link was closed with ${code}.`))),
        reject,
      );
      tryOnce();
    });
  let count = 0;
  return {
    ws,
    received,
    closed,
    ask(type, payload) {
      count += 1;
      const id = `m${count}`;
      ws.send(JSON.stringify({ type, id, payload }));
      return until(() => received.find((message) => message.id === id));
    },
    next: (type, fits = () => true) =>
      until(() => {
        const found = received.find(
          (message) => message.type === type && fits(message.payload as ServerPayloads[typeof type]),
        );
        return found?.payload as ServerPayloads[typeof type] | undefined;
      }),
  };
}

function sendRequest(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: Sending = {},
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, path, method, headers }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    req.on('error', reject).end(body);
  });
}
