/** Owns the browser link inside a dev server: the store of the project's data folder behind `/__parley/`. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RouteSet } from '@parley/http';
import type { ViteDevServer } from 'vite';
import { detach } from '../detach.ts';
import type { DevStore } from './dev-store.ts';
import type { ParleyOptions, Project } from './options.ts';
import { hostsOf } from './options.ts';

/** The link of one dev server. */
export interface DevLink {
  /** The page token; undefined when the store did not open. */
  readonly token: Promise<string | undefined>;
  close(): Promise<void>;
}

const PREFIX = '/__parley/';
const REQUIRED_NODE = [22, 13] as const;

/** Opens the store in the background and serves the link as soon as it is there; a failure is one line. */
export function openDevLink(
  options: ParleyOptions,
  project: Project,
  server: ViteDevServer,
  onOpen: () => void,
): DevLink {
  const { logger } = server.config;
  const tell = (what: string, error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    logger.error(`${what}: ${reason.replaceAll(/\s+/g, ' ')}`, { timestamp: true });
  };
  const opening = openLink(options, project, server, (error) => tell('Parley', error)).then(
    (link) => {
      onOpen();
      return link;
    },
    (error: unknown) => {
      tell('Parley is off in this dev server, everything else goes on', error);
      return undefined;
    },
  );

  server.middlewares.use((req, res, next) => {
    if (req.url?.startsWith(PREFIX) !== true) return next();
    const serving = opening.then((link) => (link === undefined ? refuse(res) : serve(link.routes, req, res)));
    detach(serving, next);
  });
  const upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (req.url?.startsWith(PREFIX) !== true) return;
    // A page may leave before the link is open, and an error without a listener ends the process.
    socket.on('error', () => socket.destroy());
    const upgrading = opening.then((link) =>
      link === undefined ? socket.destroy() : link.routes.upgrade?.(req, socket, head),
    );
    detach(upgrading, () => socket.destroy());
  };
  const http = httpServerOf(server);
  http?.on('upgrade', upgrade);

  let closing: Promise<void> | undefined;
  const close = async () => {
    // A server that the project brings outlives this dev server.
    http?.off('upgrade', upgrade);
    await (await opening)?.close();
  };
  return { token: opening.then((link) => link?.token), close: () => (closing ??= close()) };
}

async function openLink(
  { allowedOrigins = [] }: ParleyOptions,
  { dataDir }: Project,
  server: ViteDevServer,
  onFault: (error: unknown) => void,
): Promise<DevStore> {
  refuseOldNode();
  // Loaded here, so that a project whose database driver does not load still gets its dev server.
  const { openDevStore } = await import('./dev-store.ts');
  // Asked for at each request, since a dev server knows its addresses only once it listens.
  const names = {
    get hosts() {
      return hostsOf([...ownUrls(server), ...allowedOrigins]);
    },
    origins: allowedOrigins,
  };
  return openDevStore(dataDir, names, onFault);
}

function ownUrls({ resolvedUrls }: ViteDevServer): string[] {
  return [...(resolvedUrls?.local ?? []), ...(resolvedUrls?.network ?? [])];
}

// The database driver ends an older Node at once, without an error that could be caught.
function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > REQUIRED_NODE[0] || (major === REQUIRED_NODE[0] && minor >= REQUIRED_NODE[1])) return;
  throw new Error(
    `it needs Node ${REQUIRED_NODE.join('.')} or newer, this is ${process.versions.node}. Start Vite with a newer Node, or give parley({ server }) a running one.`,
  );
}

async function serve(routes: RouteSet, req: IncomingMessage, res: ServerResponse): Promise<void> {
  // HTTP/2, which Vite speaks over https, names the host differently.
  const authority = req.headers[':authority'];
  if (req.headers.host === undefined && typeof authority === 'string') req.headers.host = authority;
  await routes.handle(req, res);
}

function refuse(res: ServerResponse): void {
  res.writeHead(503, { 'content-type': 'text/plain' });
  res.end('Parley is off in this dev server; its log says why.\n');
}

function httpServerOf({ httpServer, config }: ViteDevServer): Pick<Server, 'on' | 'off'> | null {
  const { middlewareMode } = config.server;
  const host = typeof middlewareMode === 'object' ? middlewareMode.server : null;
  // All of Vite's kinds of servers have the one event that is used here.
  return (httpServer ?? host) as Pick<Server, 'on' | 'off'> | null;
}
