/** Owns searches for tools, as a client of a virtual MCP makes them, and what each takes. */
import { modern, modernHeaders } from '@parley/test-support/wire';
import type { Latency } from './latency.ts';
import { latencyOf } from './latency.ts';
import { exchange } from './wire.ts';

const WARM = 20;
/** Words of one and of several tools, and of none. */
const QUERIES = ['echo', 'tool text', 'reads a note by name', 'nothing-is-called-this'];

/** Searches one after the other, the first ones unmeasured; throws when an answer finds nothing at all. */
export async function searchTimes(
  { url, key }: { url: string; key: string },
  searches: number,
): Promise<Latency> {
  const times: number[] = [];
  for (let id = 0; id < WARM + searches; id += 1) {
    const params = { name: 'GATEWAY_SEARCH_TOOLS', arguments: { query: QUERIES[id % QUERIES.length] } };
    const message = modern('tools/call', params, { id });
    const headers = { ...modernHeaders(message), authorization: `Bearer ${key}` };
    const { status, body, elapsedMs } = await exchange(url, headers, JSON.stringify(message));
    if (status !== 200 || !body.includes('"totalAvailable"'))
      throw new Error(`The search answered HTTP ${status}: ${body.slice(0, 300)}`);
    if (id >= WARM) times.push(elapsedMs);
  }
  return latencyOf(times);
}
