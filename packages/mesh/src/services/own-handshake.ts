/** The test of connections that stand for this server: a handshake with its management tools or with a virtual MCP. */
import type { Caller, Engine } from '@parley/kit';
import { MANAGEMENT } from '../name.ts';

const LIMIT_MS = 10_000;

/** The engine of a virtual MCP, or of a connection that stands for one; undefined: it is not there, or not active. */
export type VirtualEngineOf = (caller: Caller, id: string) => Promise<Engine | undefined>;

/** Connects as the caller would, and leaves again; throws when that fails, or nothing is served. */
export function ownHandshake(
  engine: (() => Engine) | undefined,
  virtualEngine: VirtualEngineOf | undefined,
): (caller: Caller, virtualId?: string) => Promise<void> {
  return async (caller, virtualId) => {
    const found =
      virtualId === undefined ? engine?.().narrow([MANAGEMENT]) : await virtualEngine?.(caller, virtualId);
    if (found === undefined) throw new Error('This process does not serve it.');
    const { handshake } = await import('@parley/kit/protocol');
    await found.ready(caller);
    await handshake(found, caller, LIMIT_MS);
  };
}
