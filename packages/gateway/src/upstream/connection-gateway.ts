/** Everything that makes connections usable through MCP, tied together: the source, the bridge, and who listens. */
import type { ServedConnection, UpstreamTarget } from '@parley/connections';
import type { Caller, Middleware, OutsideCall } from '@parley/kit';
import { detach } from '@parley/kit';
import type { BreakerState } from './breaker.ts';
import type { BridgeParts, Opened } from './bridge.ts';
import { Bridge } from './bridge.ts';
import type { GatewayHooks } from './hooks.ts';
import { hookMiddleware } from './hooks.ts';
import type { Isolation, IsolationLimits } from './isolation.ts';
import { createIsolation } from './isolation.ts';
import type { Links } from './link.ts';
import { UpstreamFault } from './link.ts';
import type { ParkedElsewhere, ParkedLimits } from './parked.ts';
import { ParkedCalls } from './parked.ts';
import type { ForeignSecrets } from './secret-marks.ts';
import type { SchemaChecks } from './schema-checks/checker.ts';
import { createSchemaChecks } from './schema-checks/checker.ts';
import type { ConnectionsSource } from './source.ts';
import { connectionsSource } from './source.ts';
import type { LongResults, ToolsetParts } from './toolset.ts';
import { toolsetOf } from './toolset.ts';
import type { UpstreamWatches } from './watches.ts';
import { createUpstreamWatches } from './watches.ts';

/** Where a connection leads for a caller. */
export interface Credentials {
  readonly target: UpstreamTarget;
  /** Headers of this one request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Through how many servers of this kind the request has come, as they signed it. */
  readonly hops?: string | undefined;
  /** Other credentials after the upstream refused these; undefined: there are none. */
  renew?(fault: Error): Promise<Credentials | undefined>;
}

export interface ConnectionGatewayOptions {
  /** Whoever made them closes them. */
  readonly links: Links;
  /** All connections of an organization as they are stored. */
  load(organizationId: string): Promise<readonly ServedConnection[]>;
  /** Tells of organizations whose connections may be others; undefined: all of them. */
  subscribe(listener: (organizationId: string | undefined) => void): () => void;
  /** True while changes may be missed: connections are looked at before each request then. */
  isBehind?(): boolean;
  /** Where a connection leads for a caller; throws an `UpstreamFault` where there is nothing to sign in with. */
  credentials(
    caller: Caller,
    connection: ServedConnection,
    call: OutsideCall | undefined,
  ): Promise<Credentials> | Credentials;
  /** An upstream says that its lists are others. */
  announce?(connection: ServedConnection): void;
  /** A refresh that was announced and is not done. */
  readonly refreshing?: BridgeParts['refreshing'];
  readonly signInAt?: BridgeParts['signInAt'];
  readonly redact?: BridgeParts['redact'];
  readonly spending?: BridgeParts['spending'];
  readonly traced?: BridgeParts['traced'];
  /** Told of the credentials of every call before it is made. */
  onTarget?(target: UpstreamTarget): void;
  /** Told which secrets go with a call: what is kept of it has to be without them. */
  readonly carries?: BridgeParts['carries'];
  /** The secrets of others in the organization of a call; absent: nobody looks for them. */
  foreignTo?(target: UpstreamTarget): ForeignSecrets | undefined;
  readonly hooks?: GatewayHooks;
  /** What holds values against schemas of upstreams; whoever made it closes it. Absent: one of its own. */
  readonly checks?: SchemaChecks | undefined;
  /** Keeps what is over the budget of a connection. */
  readonly results?: LongResults | undefined;
  readonly elsewhere?: ParkedElsewhere | undefined;
  readonly replicaId?: string | undefined;
  readonly onFault: (error: unknown, where: string) => void;
  readonly now?: () => number;
  /** Tests have less. */
  readonly limits?: Partial<IsolationLimits & ParkedLimits> & { readonly firstWaitMs?: number };
}

export interface ConnectionGateway {
  readonly source: ConnectionsSource;
  readonly bridge: Bridge;
  readonly isolation: Isolation;
  readonly parked: ParkedCalls;
  readonly watches: UpstreamWatches;
  /** What stands before every tool. */
  readonly middleware: readonly Middleware[];
  /** What tools of connections are made from, for whoever shows them under other names. */
  readonly toolsetParts: ToolsetParts;
  /** How often a secret stood in what an upstream answered, since the start. */
  hiddenSecrets(): number;
  close(): Promise<void>;
}

export function createConnectionGateway(options: ConnectionGatewayOptions): ConnectionGateway {
  const { links, onFault, now, limits = {} } = options;
  const time = now === undefined ? {} : { now };
  const isolation: Isolation = createIsolation({
    ...time,
    limits,
    onChange: (connectionId: string, _state: BreakerState) => source.breakerChanged(connectionId),
  });
  const parked = new ParkedCalls(options.replicaId, limits);

  const openedWith = ({ target, headers, hops, renew }: Credentials): Opened => {
    options.onTarget?.(target);
    return {
      link: links.of(target),
      target,
      foreign: options.foreignTo?.(target),
      headers,
      hops,
      ...(renew !== undefined && {
        async renew(fault: Error) {
          const renewed = await renew(fault);
          return renewed && openedWith(renewed);
        },
      }),
    };
  };
  const isOff = ({ organizationId, id }: ServedConnection): boolean => {
    const found = source.find(organizationId, id);
    // What is known of an organization may have been let go, which says nothing of its connections.
    return found === undefined ? source.catalog(organizationId) !== undefined : found.status === 'inactive';
  };
  const { refreshing, signInAt, redact, elsewhere, spending, traced, carries } = options;
  let hiddenSecrets = 0;
  const bridge = new Bridge({
    open(caller, connection, call) {
      const found = options.credentials(caller, connection, call);
      const open = (credentials: Credentials) => {
        // It may have been switched off or deleted while the call waited for its turn.
        if (isOff(connection)) throw switchedOff();
        return openedWith(credentials);
      };
      return found instanceof Promise ? found.then(open) : open(found);
    },
    isolation,
    parked,
    elsewhere,
    announce: (connection) => options.announce?.(connection),
    ...(refreshing !== undefined && { refreshing }),
    ...(signInAt !== undefined && { signInAt }),
    ...(redact !== undefined && { redact }),
    ...(carries !== undefined && { carries }),
    onSecrets: (_connection, count) => (hiddenSecrets += count),
    spending,
    ...(traced !== undefined && { traced }),
    onFault,
  });
  const checks = options.checks ?? createSchemaChecks();
  const toolsetParts: ToolsetParts = {
    bridge,
    checks,
    current: (organizationId, connectionId) => source.find(organizationId, connectionId),
    results: options.results,
    announce: (connection) => options.announce?.(connection),
    onFault,
  };
  const source: ConnectionsSource = connectionsSource({
    load: options.load,
    subscribe: options.subscribe,
    isBehind: () => options.isBehind?.() === true,
    toolsetOf: (connection, degraded) => toolsetOf(connection, toolsetParts, degraded),
    breakerOf: (connectionId) => isolation.stateOf(connectionId),
    onReplaced(before, after) {
      const wasOff = before.status === 'inactive';
      if (before.revision === after?.revision && after.status !== 'inactive' && !wasOff) return;
      // It leads somewhere else, or nowhere: what is open to it ends, and what it did is forgotten.
      if (after === undefined) isolation.forget(before.id);
      else isolation.reset(before.id);
      watches.forget(before.id);
      detach(links.forget(before.id), (error) => onFault(error, 'upstream'));
    },
    onLoaded: (organizationId) => watches.changed(organizationId),
    ...time,
    ...(limits.firstWaitMs !== undefined && { firstWaitMs: limits.firstWaitMs }),
    onFault,
  });
  const watches: UpstreamWatches = createUpstreamWatches({
    async open(caller, connection) {
      const { target } = await options.credentials(caller, connection, undefined);
      return { link: links.of(target), target };
    },
    find: (organizationId, connectionId) => source.find(organizationId, connectionId),
    connectionsOf: (organizationId) => source.connectionsOf(organizationId),
    tell: (change) => source.tell(change),
    announce: (connection) => options.announce?.(connection),
    onFault,
  });
  return {
    source,
    bridge,
    isolation,
    parked,
    watches,
    middleware: hookMiddleware(options.hooks ?? {}, onFault, now),
    toolsetParts,
    hiddenSecrets: () => hiddenSecrets,
    async close() {
      source.close();
      parked.close();
      await Promise.all([watches.close(), options.checks === undefined ? checks.close() : undefined]);
    },
  };
}

function switchedOff(): UpstreamFault {
  return new UpstreamFault('not_allowed', 'The connection was switched off. Set its status to active.', {
    wasSent: false,
  });
}
