/** Private addresses: a connection may reach the one it leads to when somebody who may say so has said so. */
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { isNeverReached, isThisMachine, plainEntry } from '@parley/kit/egress';
import type { StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { ConnectionRow, ConnectionTables } from '../schema.ts';
import type { Base } from './base.ts';
import { gatewaySettingsOf } from '../shapes/gateway-settings.ts';
import { actsAsAdministrator } from './rights.ts';
import type { Settings } from './settings.ts';

type Port = Pick<Base, 'ownPort'>;

/** What a new connection may reach besides what the guard allows, as its row has it. */
export function privateAddress({ ownPort }: Port, caller: Caller, settings: Settings): string | null {
  refuseForAll({ ownPort }, settings);
  if (!isWanted(settings)) return null;
  if (!actsAsAdministrator(caller))
    throw new ToolError(
      'forbidden',
      'metadata.gateway.allowPrivate: only owners and administrators may allow a private address. Ask one of them.',
    );
  const address = addressOf(settings);
  if (address === undefined)
    throw new ToolError(
      'invalid',
      'metadata.gateway.allowPrivate: the connection has no address. Set connection_url, or leave it out.',
    );
  if (portOf(address) === ownPort?.()) throw itself();
  return toJson([address]);
}

/** Where no connection leads, whoever makes it: this server itself, and services with the secrets of the machine. */
function refuseForAll({ ownPort }: Port, settings: Settings): void {
  const address = addressOf(settings);
  if (address === undefined) return;
  const host = address.slice(0, address.lastIndexOf(':'));
  if (isNeverReached(host))
    throw new ToolError(
      'invalid',
      "connection_url: nobody reaches an address of the machine's provider from here. Use that of another server.",
    );
  if (portOf(address) === ownPort?.() && isThisMachine(host)) throw itself();
}

function itself(): ToolError {
  return new ToolError(
    'invalid',
    'connection_url: this server listens on that port itself. Use the address of another server.',
  );
}

/** What a change leaves of it: the permission is for one address, and ends with that. */
export function withAddress(
  base: Port,
  caller: Caller,
  {
    row,
    before,
    after,
  }: { readonly row: ConnectionRow; readonly before: Settings; readonly after: Settings },
): { readonly settings: Settings; readonly egress_allow: string | null } {
  const isMoved = addressOf(before) !== addressOf(after);
  const isSame = isWanted(before) === isWanted(after);
  if (!isMoved && isSame) return { settings: after, egress_allow: row.egress_allow };
  if (isMoved) refuseForAll(base, after);
  // Only whoever says it together with the new address means that one.
  if (isMoved && after.metadata === before.metadata)
    return { settings: { ...after, metadata: withoutWish(after.metadata) }, egress_allow: null };
  return { settings: after, egress_allow: privateAddress(base, caller, after) };
}

/** Lets a connection reach one more host, `host:port`; for whoever is on the machine itself. */
export async function allowAddress(
  tx: StoreTransaction,
  connectionId: string,
  hostPort: string,
): Promise<void> {
  const db = tx.db<ConnectionTables>();
  const query = db.selectFrom('connections').select('egress_allow').where('id', '=', connectionId);
  const row = await tx.locked(query).executeTakeFirst();
  if (row === undefined) return;
  const hosts = new Set([...listOf(row), hostPort]);
  await db
    .updateTable('connections')
    .set({ egress_allow: toJson([...hosts]) })
    .where('id', '=', connectionId)
    .execute();
}

/** The hosts that a connection may reach; never this server itself. */
export function allowedHosts(
  row: Pick<ConnectionRow, 'egress_allow' | 'connection_url' | 'metadata'>,
  ownPort: number | undefined,
): readonly string[] {
  return [...listOf(row).filter((host) => portOf(host) !== ownPort), ...plainHost(row)];
}

/** Where a connection leads without TLS, when it may; a private address needs more than that. */
function plainHost(row: Pick<ConnectionRow, 'connection_url' | 'metadata'>): string[] {
  const url = URL.parse(row.connection_url ?? '');
  if (url?.protocol !== 'http:' || gatewaySettingsOf(row).allowPlain !== true) return [];
  return [plainEntry(url)];
}

function listOf({ egress_allow }: Pick<ConnectionRow, 'egress_allow'>): string[] {
  return egress_allow === null ? [] : fromJson<string[]>(egress_allow);
}

/** `host:port` of where a connection leads. */
function addressOf({ connection_type, connection_url }: Settings): string | undefined {
  if (connection_type === 'VIRTUAL' || connection_type === 'STDIO' || connection_url === null)
    return undefined;
  const url = URL.parse(connection_url);
  if (url === null) return undefined;
  return `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port}`;
}

function portOf(hostPort: string): number {
  return Number(hostPort.slice(hostPort.lastIndexOf(':') + 1));
}

function gatewayIn(metadata: Settings['metadata']): Readonly<Record<string, unknown>> {
  const gateway = metadata?.['gateway'];
  return typeof gateway === 'object' && gateway !== null ? { ...gateway } : {};
}

function isWanted({ metadata }: Settings): boolean {
  return gatewayIn(metadata)['allowPrivate'] === true;
}

function withoutWish(metadata: Settings['metadata']): Settings['metadata'] {
  const { allowPrivate, ...gateway } = gatewayIn(metadata);
  return allowPrivate === undefined ? metadata : { ...metadata, gateway };
}
