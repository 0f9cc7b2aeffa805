/** Whether the source of a schedule may still publish: its key or member, or a key of its connection, as they stand now. */
import { briefConnections } from '@parley/connections';
import type { MayPublish } from '@parley/events';
import { publisherOf } from '@parley/events';
import type { Identity } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { isGranted, systemCaller } from '@parley/kit';
import { MANAGEMENT } from '@parley/mesh/name';
import type { Store } from '@parley/store';

/** What the look at a publisher needs. */
export interface PublisherParts {
  readonly store: Store;
  readonly identity: Pick<Identity, 'keysBoundTo'>;
  /** The same caller with the rights it has now. */
  current(caller: Caller): Promise<Caller | undefined>;
}

/** Looks at whoever publishes under a source. */
export function createMayPublish({ store, identity, current }: PublisherParts): MayPublish {
  const mayNow = async (organizationId: string, callerId: string) => {
    // Only the id counts: everything else is looked up.
    const caller = await current(systemCaller(callerId, '', organizationId));
    return caller !== undefined && isGranted(caller.grants, MANAGEMENT, 'EVENT_PUBLISH');
  };
  return async (organizationId, source) => {
    const publisher = publisherOf(source);
    if ('callerId' in publisher) return mayNow(organizationId, publisher.callerId);
    const { connectionId } = publisher;
    // A key outlives the connection that it is bound to.
    const [connection] = await briefConnections(store, organizationId, [connectionId]);
    if (connection === undefined) return false;
    for (const keyId of await identity.keysBoundTo(organizationId, connectionId))
      if (await mayNow(organizationId, keyId)) return true;
    return false;
  };
}
