/** The test of the connection that stands for this server: a handshake with its management tools. */
import type { Caller, Engine } from '@parley/kit';
import { MANAGEMENT } from '../name.ts';

const LIMIT_MS = 10_000;

/** Connects to the management tools as the caller would, and leaves again; throws when that fails, or nothing is served. */
export function ownHandshake(engine: (() => Engine) | undefined): (caller: Caller) => Promise<void> {
  return async (caller) => {
    if (engine === undefined) throw new Error('This process serves no tools.');
    const { handshake } = await import('@parley/kit/protocol');
    await handshake(engine().narrow([MANAGEMENT]), caller, LIMIT_MS);
  };
}
