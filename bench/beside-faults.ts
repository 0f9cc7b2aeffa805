/** Owns calls of one upstream beside another one that is broken, in each way that one can be. */
import { detach } from '@parley/kit';
import type { Latency } from './latency.ts';
import type { FaultName } from './servers/upstream-faults.ts';
import type { SteadyLoad } from './steady-calls.ts';
import { steadyCalls } from './steady-calls.ts';
import { exchange, modernBody, modernHeaders } from './wire.ts';

/** The ways over HTTP, and a program that ends when it is started. */
export const BESIDE = ['drip', 'drop', 'wrong-id', 'large', 'busy', 'exit'] as const satisfies readonly (
  | FaultName
  | 'exit'
)[];
export type Beside = (typeof BESIDE)[number];

/** The same calls before and meanwhile. */
export interface BesideFigures {
  alone: Latency;
  beside: Latency;
}

const EVERY_MS = 100;
// Those that take no end must not fill what one connection may have at once.
const MOST_OPEN = 32;

/** Times calls of `load`, then again while `broken` is called ten times a second; `begin` breaks it. */
export async function besideFault(
  load: SteadyLoad,
  broken: { url: string; key: string },
  begin: () => Promise<unknown>,
): Promise<BesideFigures> {
  await steadyCalls(load);
  const alone = await steadyCalls(load);
  await begin();
  const stop = callOnAndOn(broken);
  await steadyCalls(load);
  const beside = await steadyCalls(load);
  stop();
  return { alone, beside };
}

/** Calls until it is stopped; how the calls end is nobody's concern. */
function callOnAndOn({ url, key }: { url: string; key: string }): () => void {
  let open = 0;
  let id = 0;
  const timer = setInterval(() => {
    if (open >= MOST_OPEN) return;
    open += 1;
    const done = () => {
      open -= 1;
    };
    const call = exchange(url, modernHeaders('call', key), modernBody('call', (id += 1)));
    // Its server is broken: that it fails is what it is for.
    detach(call.finally(done), () => undefined);
  }, EVERY_MS);
  return () => clearInterval(timer);
}
