/** How a server comes to the others on its database, and how it leaves them without a client noticing. */
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Replicas } from '@parley/gateway';
import type { Config } from './config.ts';
import type { HttpServer } from './http.ts';
import { stopPart } from './stop-part.ts';

/** Others have heard by then that this one is gone, and what they sent before has come. */
const HEARD_MS = 200;
/** For calls whose clients are asked by a program; people take longer than a stop can wait. */
export const FINISH_MS = 3_000;
const LOOK_MS = 20;

/** Where others reach this server, which listens at `url`. */
export function replicaAddress({ host, replicas }: Pick<Config, 'host' | 'replicas'>, url: string): string {
  if (replicas.address !== undefined) return replicas.address;
  if (host !== '0.0.0.0' && host !== '::') return url;
  // It listens everywhere, so any address of the machine will do, and others can use one that is not its loopback.
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  return `http://${found?.address ?? '127.0.0.1'}:${new URL(url).port}`;
}

export interface LeaveParts {
  /** This server among others; undefined when it is the only one. */
  readonly replicas: Pick<Replicas, 'retire' | 'leave'> | undefined;
  readonly http: Pick<HttpServer, 'quiet'>;
  readonly drainMs: number;
  /** How many calls wait here for answers that their clients may bring to others. */
  waiting(): number;
  readonly onFault: (error: unknown, where: string) => void;
}

/**
 * Answers on until balancers have noticed; then its sessions are gone for the others, except for the answers that its
 * calls wait for.
 */
export async function leave({ replicas, http, drainMs, waiting, onFault }: LeaveParts): Promise<void> {
  if (replicas === undefined) {
    if (drainMs > 0) await delay(drainMs);
    return;
  }
  const heardMs = Math.min(HEARD_MS, drainMs);
  await delay(drainMs - heardMs);
  await stopPart(() => replicas.retire(), onFault);
  await delay(heardMs);
  const byMs = performance.now() + (drainMs === 0 ? 0 : FINISH_MS);
  await http.quiet(byMs - performance.now());
  while (waiting() > 0 && performance.now() < byMs) await delay(LOOK_MS);
  await stopPart(() => replicas.leave(), onFault);
}
