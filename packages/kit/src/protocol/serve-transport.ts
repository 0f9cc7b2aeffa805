/** Serves whoever speaks at the other end of a transport, in the era that the client opens with. */
import type { Server, Transport } from '@modelcontextprotocol/server';
// Its name notwithstanding, it serves any transport.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { withLegacyCodes } from './legacy-codes.ts';

export type { Transport } from '@modelcontextprotocol/server';

/** A client that is served. */
export interface ServedTransport {
  /** Ends it, and the transport with it. */
  close(): Promise<void>;
}

/** `make` is asked for the server once the era is known. */
export function serveTransport(
  transport: Transport,
  make: (era: 'modern' | 'legacy') => Server,
  onFault: (error: unknown) => void = () => undefined,
): ServedTransport {
  return serveStdio(
    ({ era }) => {
      if (era === 'legacy') withLegacyCodes(transport);
      return make(era);
    },
    { transport, onerror: onFault },
  );
}
