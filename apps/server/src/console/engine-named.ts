/** From the name of an endpoint, as it stands after `/mcp/`, to what is served there to somebody. */
import type { Gateway } from '@parley/gateway';
import { HttpRefusal } from '@parley/http';
import type { Caller, Engine } from '@parley/kit';

/** Throws when nothing is served there. */
export async function engineNamed(
  gateway: Gateway,
  caller: Caller,
  { endpoint, mode }: { readonly endpoint: string; readonly mode?: string | undefined },
): Promise<Engine> {
  const query = mode === undefined ? '' : new URLSearchParams({ mode }).toString();
  const engine = await gateway.engineAt(endpoint, caller, query);
  if (engine === undefined) throw new HttpRefusal('NOT_FOUND', 'There is no such endpoint.');
  await engine.ready(caller);
  return engine;
}
