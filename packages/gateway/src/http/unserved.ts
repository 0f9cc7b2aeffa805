/** Messages that the database was away for: the SDK writes their error with 200, and clients and proxies are told by 503. */
import type { createMcpHandler } from '@modelcontextprotocol/server';
import { HttpRefusal } from '@parley/http';
import { asHttpRefusal, asProtocolFault } from '../calls/unavailable-store.ts';
import type { Served } from './served.ts';
import { servedOf } from './served.ts';

type Fetch = ReturnType<typeof createMcpHandler>['fetch'];

/** Which requests could not be served. */
export interface Unserved {
  /** Remembers it, and returns the error that the message is answered with. */
  note(served: Served, error: unknown): unknown;
  /** The same answers, with the status of what was noted. */
  told(fetch: Fetch): Fetch;
}

export function createUnserved(): Unserved {
  // By the object that each request is served with, so that nothing has to be forgotten.
  const noted = new WeakMap<Served, HttpRefusal>();
  return {
    note(served, error) {
      const refusal = asHttpRefusal(error);
      if (refusal instanceof HttpRefusal && refusal !== error) noted.set(served, refusal);
      return asProtocolFault(error);
    },
    told: (fetch) => async (request, options) => {
      const response = await fetch(request, options);
      const refusal = options?.authInfo && noted.get(servedOf(options.authInfo));
      // A stream has begun with its status, and tells the error in its last message.
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      if (refusal === undefined || !isJson) return response;
      const headers = new Headers(response.headers);
      for (const [name, value] of Object.entries(refusal.headers)) headers.set(name, value);
      return new Response(response.body, { status: refusal.status, headers });
    },
  };
}
