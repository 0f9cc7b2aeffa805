/** How connections are served: the ways to their servers, and what is known of them, tied to the store. */
import { CONNECTIONS_CHANGED } from '@parley/connections';
import type {
  ConnectionGateway,
  ConnectionGatewayOptions,
  KeptResults,
  UpstreamClient,
} from '@parley/gateway';
import { createConnectionGateway } from '@parley/gateway';
import type { Egress } from '@parley/kit/egress';
import type { Store } from '@parley/store';
import { redact } from '../redaction/credentials.ts';

/** What the ways to upstream servers are built from. */
export interface WayParts {
  readonly store: Store;
  readonly egress: Egress;
  readonly upstream: Pick<UpstreamClient, 'keepSecrets'>;
  /** Keeps what is over the budget of a connection. */
  readonly results: KeptResults;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Builds what makes connections usable. */
export type UpstreamWays = (parts: WayParts) => ConnectionGateway;

/** What depends on how upstreams are reached and signed in to. */
export type Ways = Omit<ConnectionGatewayOptions, 'subscribe' | 'redact' | 'onTarget' | 'onFault'>;

/** Ties the ways to the store: a change of connections, in whichever process, is heard of here. */
export function upstreamWays(waysOf: (parts: WayParts) => Ways): UpstreamWays {
  return (parts) => {
    const { store, upstream, results, onFault } = parts;
    return createConnectionGateway({
      results,
      ...waysOf(parts),
      subscribe: (listener) =>
        store.signal.subscribe(CONNECTIONS_CHANGED, ({ payload }) => listener(payload ?? undefined)),
      redact,
      // What is kept of a call has to be without the secrets that went with it.
      onTarget: (target) => upstream.keepSecrets(target),
      onFault,
    });
  };
}
