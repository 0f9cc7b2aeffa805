/** Who may speak the link: checks on Host and Origin before anything is read. */
import type { IncomingMessage } from 'node:http';

/** Names besides the loopback ones that the server answers to, and pages besides the loopback ones that may call. */
export interface LinkNames {
  readonly hosts: readonly string[];
  /** `null` in this list switches file pages on. */
  readonly origins: readonly string[];
}

/** Why a request is refused before its message is looked at. */
export class DoorRefusal extends Error {
  override readonly name = 'DoorRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const PLAIN_HOST = /^[a-z0-9.\-_:[\]]+$/i;

/** Throws unless the Host header names this server. */
export function checkHost(req: IncomingMessage, names: LinkNames): void {
  const name = hostNameOf(req.headers.host ?? '');
  if (name !== undefined && (isLoopback(name) || names.hosts.some((host) => host.toLowerCase() === name))) {
    return;
  }
  throw new DoorRefusal(403, 'This server does not answer to that Host. Add it with --allow-host.');
}

/** The origin of the page, when its pages may speak the link at all; throws otherwise. */
export function checkOrigin(req: IncomingMessage, names: LinkNames): string {
  const { origin, host = '' } = req.headers;
  if (origin === undefined) {
    throw new DoorRefusal(403, 'The browser link needs an Origin header, as every browser sends it.');
  }
  if (names.origins.includes(origin)) return origin;
  const name = hostNameOf(origin.replace(/^https?:\/\//, ''));
  const isPage = /^https?:\/\//.test(origin) && name !== undefined;
  const isOwn = origin === `http://${host}` || origin === `https://${host}`;
  if (isPage && (isLoopback(name) || isOwn)) return origin;
  throw new DoorRefusal(403, 'Pages of that Origin may not connect. Add it with --allow-origin.');
}

function hostNameOf(host: string): string | undefined {
  const url = `http://${host}/`;
  return PLAIN_HOST.test(host) && URL.canParse(url) ? new URL(url).hostname : undefined;
}

function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(name)
  );
}
