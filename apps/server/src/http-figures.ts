/** What the port counts: connections, and requests that were refused. */
import type { Server } from 'node:http';
import type { ServerResponse } from 'node:http';

/** Refusals of one status by one part of the server. */
export interface Refusals {
  readonly surface: string;
  readonly status: number;
  readonly count: number;
}

export interface HttpFigures {
  readonly connections: number;
  /** Connections beyond what there may be. */
  readonly refusedConnections: number;
  readonly refusals: readonly Refusals[];
}

/** Counts for one server. */
export interface HttpCounts {
  /** Looks at an answer that is over. */
  ended(res: ServerResponse): void;
  /** Counts a refusal that no answer of Node carries. */
  refused(status: number): void;
  figures(): Promise<HttpFigures>;
}

/** Requests that never became one: bytes that are no HTTP, or that took too long. */
const NO_SURFACE = 'none';

/** `surfaceOf`: the part that a URL is for. */
export function createHttpCounts(server: Server, surfaceOf: (url: string) => string): HttpCounts {
  const refusals = new Map<string, Refusals>();
  let refusedConnections = 0;
  server.on('drop', () => {
    refusedConnections += 1;
  });
  const add = (surface: string, status: number) => {
    const key = `${surface} ${status}`;
    refusals.set(key, { surface, status, count: (refusals.get(key)?.count ?? 0) + 1 });
  };
  return {
    ended({ statusCode, req }) {
      if (statusCode >= 400) add(surfaceOf(req.url ?? '/'), statusCode);
    },
    refused: (status) => add(NO_SURFACE, status),
    async figures() {
      const { promise, resolve } = Promise.withResolvers<number>();
      // A server that is closed has none.
      server.getConnections((error, count) => resolve(error === null ? count : 0));
      return { connections: await promise, refusedConnections, refusals: [...refusals.values()] };
    },
  };
}
