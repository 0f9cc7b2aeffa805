/** How a server comes to the others on its database, and how it leaves them without a client noticing. */
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Replicas } from '@parley/gateway';
import type { Config } from './config.ts';
import { stopPart } from './stop-part.ts';

/** Others have heard by then that this one is gone, and what they sent before has come. */
const HEARD_MS = 200;

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

/**
 * Answers on until balancers have noticed; sessions of this server can be reached through the others as long, and
 * are gone for them when it has left.
 */
export async function leaveReplicas(
  replicas: Pick<Replicas, 'leave'>,
  drainMs: number,
  onFault: (error: unknown, where: string) => void,
): Promise<void> {
  const heardMs = Math.min(HEARD_MS, drainMs);
  await delay(drainMs - heardMs);
  await stopPart(() => replicas.leave(), onFault);
  await delay(heardMs);
}
