/** Owns what an attack knows of the server it is aimed at, and how the server is doing. */
import type { Server } from '../../test/product/parley.ts';
import { tokenOf } from '../../test/product/annotations-page.ts';
import { openDescriptors, residentBytes } from '../cpu.ts';

/** A running server under attack. */
export interface Target {
  readonly pid: number;
  readonly url: string;
  readonly port: number;
  /** Keys of the owner; the attack spreads over them. */
  readonly keys: readonly string[];
  readonly pageToken: string;
}

/** How the process is doing. */
export interface Health {
  readonly rssMb: number;
  readonly descriptors: number;
}

/** The target behind a started server, with some keys of its own. */
export async function aimAt(server: Server, pid: number, keyCount: number): Promise<Target> {
  const ready = JSON.parse(server.stdout().split('\n')[0] ?? '{}') as { overlayTag: string };
  const keys: string[] = [];
  for (let index = 0; index < keyCount; index++) {
    const answer = await fetch(`${server.url}/api/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Load ${index}`, role: 'admin' }),
    });
    const { data } = (await answer.json()) as { data: { key: string } };
    keys.push(data.key);
  }
  return {
    pid,
    url: server.url,
    port: Number(new URL(server.url).port),
    keys,
    pageToken: tokenOf(ready.overlayTag),
  };
}

/** Memory and descriptors now; zeros where the system does not tell. */
export function healthOf(pid: number): Health {
  return {
    rssMb: Math.round((residentBytes(pid) ?? 0) / 1e6),
    descriptors: openDescriptors(pid) ?? 0,
  };
}

/** True while the server answers. */
export async function isAlive({ url }: Target): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) })).ok;
  } catch {
    return false;
  }
}
