/** What everything about credentials stands on. */
import type { ConnectionRow, KnownReach } from '@parley/connections';
import { openConnection } from '@parley/connections';
import type { Events } from '@parley/events';
import type { AuditLog } from '@parley/identity';
import type { Caller, Grants } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import type { Store } from '@parley/store';
import type { OAuthReach } from './oauth-fetch.ts';

export interface CredentialParts {
  readonly store: Store;
  readonly egress: Egress;
  readonly events: Pick<Events, 'publish'> & { readonly subscribers: Pick<Events['subscribers'], 'resume'> };
  readonly audit: AuditLog;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
  /** Somebody as they stand now; undefined when they are no member any more. */
  callerOf(organizationId: string, userId: string): Promise<Caller | undefined>;
  /** The token with which the server of a connection may call back; undefined when there is none for this caller. */
  callTokenFor(caller: Caller, connectionId: string, grants: Grants): string | undefined;
  /** Where browsers reach this server; undefined: nowhere yet. */
  baseUrl(): string | undefined;
  /** The address that was configured for the world, where there is one. */
  readonly publicUrl: string | undefined;
  /** Asks the server of a connection what it has, now that this person has brought credentials; absent: nobody does. */
  learn?(caller: Caller, connectionId: string): Promise<void>;
  /** What is known of an upstream besides its credentials; absent: nothing. */
  readonly reachOf?: ((row: ConnectionRow) => KnownReach) | undefined;
}

/** How far requests of OAuth on behalf of a connection may go; undefined when it has no address. */
export function oauthReach(
  { store, egress, reachOf }: Pick<CredentialParts, 'store' | 'egress' | 'reachOf'>,
  row: ConnectionRow,
): OAuthReach | undefined {
  const url = URL.parse(openConnection(store.secrets, row).connection_url ?? '');
  return url === null ? undefined : { egress, url, allow: reachOf?.(row).allow ?? [] };
}
