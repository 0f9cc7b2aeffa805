/** How connections are served: the ways to their servers, whose credentials go with a call, and what keeps them fresh. */
import type { Refresher } from '@parley/connections';
import { callBackGrantsOf, CONNECTIONS_CHANGED, servedConnections } from '@parley/connections';
import type {
  CallCredentials,
  ConnectionGateway,
  ConnectionGatewayOptions,
  Credentials,
  KeptResults,
  SchemaChecks,
  Links,
  Replicas,
  Targets,
  UpstreamClient,
} from '@parley/gateway';
import { createConnectionGateway } from '@parley/gateway';
import type { CallBackLookup } from '@parley/identity';
import { HOPS_HEADER } from '@parley/kit';
import type { Store } from '@parley/store';
import { redact } from '../redaction/credentials.ts';

/** What connections are served with. */
export interface ConnectionParts {
  readonly store: Store;
  readonly links: Links;
  readonly targets: Targets;
  readonly refresher: Pick<Refresher, 'announce' | 'settled'>;
  readonly upstream: Pick<UpstreamClient, 'keepSecrets' | 'carries' | 'foreignTo'>;
  /** Keeps what is over the budget of a connection. */
  readonly results: KeptResults;
  /** The way to calls that wait in another process; absent: this is the only one. */
  readonly replicas?: Pick<Replicas, 'id' | 'parked'> | undefined;
  readonly checks: SchemaChecks;
  /** What a call came with as another server shall see it; absent: as it came. */
  readonly traced?: ConnectionGatewayOptions['traced'];
  readonly onFault: (error: unknown, where: string) => void;
}

/** Ties them to the store: a change of connections, in whichever process, is heard of here. */
export function serveConnections({
  store,
  links,
  targets,
  refresher,
  upstream,
  results,
  replicas,
  checks,
  traced,
  onFault,
}: ConnectionParts): ConnectionGateway {
  const credentials: ConnectionGatewayOptions['credentials'] = (caller, { id }, call) => {
    const header = call && ((name: string) => call.header(name));
    const withRenewal = ({ target, headers }: CallCredentials): Credentials => ({
      target,
      headers,
      hops: call?.header(HOPS_HEADER),
      renew: async () => withRenewal({ target: await targets.afterRefusal(caller, target, header), headers }),
    });
    const found = targets.credentialsFor(caller, id, header);
    // What is known is not waited for: a turn of waiting costs more than the look-up.
    return found instanceof Promise ? found.then(withRenewal) : withRenewal(found);
  };
  return createConnectionGateway({
    links,
    credentials,
    load: (organizationId) => servedConnections(store, organizationId),
    subscribe: (listener) =>
      store.signal.subscribe(CONNECTIONS_CHANGED, ({ payload }) => listener(payload ?? undefined)),
    isBehind: () => store.signal.isBroken(),
    announce: ({ id }) => refresher.announce(id),
    refreshing: (connectionId) => refresher.settled(connectionId),
    redact,
    results,
    elsewhere: replicas?.parked,
    replicaId: replicas?.id,
    checks,
    spending: store.spending,
    ...(traced !== undefined && { traced }),
    onTarget: (target) => upstream.keepSecrets(target),
    carries: (request, secrets) => upstream.carries(request, secrets),
    foreignTo: (target) => upstream.foreignTo(target),
    onFault,
  });
}

/** What connections may call back for, as identity asks it. */
export function callBacksOf(store: Store): CallBackLookup {
  const grantsOf: CallBackLookup['grantsOf'] = (organizationId, id) =>
    callBackGrantsOf(store, organizationId, id);
  return { topic: CONNECTIONS_CHANGED, grantsOf };
}
