/** Asking an upstream about itself, with the credentials that a call of this caller would carry. */
import type { Caller } from '@parley/kit';
import { claimLease, dueWhenOn, holdingLease, newLease, takeLease } from '../refresh/lease.ts';
import type { ConnectionRow } from '../schema.ts';
import { withoutSecrets } from '../secrets/without-secrets.ts';
import { gatewaySettingsOf, isPersonal } from '../shapes/gateway-settings.ts';
import type { Discovery, UpstreamTarget } from '../upstream.ts';
import type { Base } from './base.ts';
import { authorOf } from './base.ts';
import { isRead, keepDiscovery, shownDefinitions } from './catalogs.ts';
import { openedTarget, sealedCredentials } from './credentials.ts';
import { allowedHosts } from './private-address.ts';
import { actsAsAdministrator } from './rights.ts';
import { findRow } from './rows.ts';
import { knownEra } from './known-era.ts';
import type { Settings } from './settings.ts';
import { hasTokens } from './tokens.ts';

/** Whose credentials are used; no user means those that are for everybody. */
type Asker = Pick<Caller, 'organizationId' | 'userId'>;
type Parts = Pick<Base, 'store' | 'ownPort'>;
interface Asking {
  readonly upstream: Pick<Base['upstream'], 'discover'>;
}
/** What asking and keeping the answer takes. */
type Keeping = Parts & Asking & Pick<Base, 'now'> & { readonly events: Pick<Base['events'], 'publish'> };

/** Where a connection leads; undefined for what this server serves itself. */
export async function targetOf(
  { store, ownPort }: Parts,
  { userId }: Asker,
  row: ConnectionRow,
): Promise<UpstreamTarget | undefined> {
  const known = { allow: allowedHosts(row, ownPort?.()), ...(await knownEra(store, row.id)) };
  return openedTarget(store.secrets, await sealedCredentials(store, row, userId), known);
}

/**
 * Asks a connection for all that it has, without keeping it: in the name of a user, or without one as the server does by
 * itself, with what is for everybody or what its maker was given. Undefined when there is nobody in whose name to ask.
 */
export async function askConnection(
  parts: Parts & Asking,
  { organizationId, userId }: Asker,
  id: string,
): Promise<Discovery | undefined> {
  const row = await findRow(parts.store, organizationId, id);
  if (row === undefined || row.status === 'inactive') return undefined;
  const target = await targetOf(parts, { organizationId, userId: userId ?? row.created_by }, row);
  if (target === undefined) return undefined;
  const isNobodys = userId === null && target.principal === '';
  if (isNobodys && (await isForEachAlone(parts, row))) return undefined;
  return keepableOf(parts, id, await parts.upstream.discover(target, leadsTo(parts, row)), target);
}

/** Whether a connection leads where it led: it may be switched off, changed or deleted before it is asked. */
function leadsTo({ store }: Parts, { organization_id, id, revision }: ConnectionRow) {
  return async () => {
    const now = await findRow(store, organization_id, id);
    return now !== undefined && now.status !== 'inactive' && now.revision === revision;
  };
}

/** True when users of a connection have credentials of their own. */
async function isForEachAlone({ store }: Parts, row: ConnectionRow): Promise<boolean> {
  if (isPersonal(gatewaySettingsOf(row))) return true;
  return hasTokens(store, { organizationId: row.organization_id, connectionId: row.id });
}

/** A server may say back what it was sent, and its tools are shown to everybody. */
function keepableOf({ store }: Parts, id: string, found: Discovery, { secrets }: UpstreamTarget) {
  return withoutSecrets(found, secrets, () => shownDefinitions(store, id));
}

/** Asks a connection for all that it has, and keeps what came of it; whoever asks already is not waited for. */
export async function rediscover(base: Base, caller: Caller, id: string): Promise<void> {
  const { store, now } = base;
  const { organizationId } = caller;
  const row = await findRow(store, organizationId, id);
  if (row?.status === 'inactive') return dueWhenOn(store, id, now());
  const target = row && (await targetOf(base, caller, row));
  if (row === undefined || target === undefined) return;
  const lease = newLease();
  await takeLease(store, { organizationId, id }, { lease, now: now() });
  await ask(base, { caller, row, target, lease });
}

/** The same, unless somebody asks already; false then. */
export async function refreshNow(base: Keeping, caller: Caller, row: ConnectionRow): Promise<boolean> {
  const { store, now } = base;
  const { organizationId } = caller;
  if (row.status === 'inactive') return true;
  const target = await targetOf(base, caller, row);
  if (target === undefined) return true;
  const lease = newLease();
  if (!(await claimLease(store, { organizationId, id: row.id }, { lease, now: now() }))) return false;
  await ask(base, { caller, row, target, lease });
  return true;
}

/**
 * Asks a connection once more after somebody has brought credentials for it. What nobody could read before is shown for
 * the first time then, and agreed to: by whoever made it or may approve definitions. For others it stays unread.
 */
export async function askWithNewCredentials(base: Keeping, caller: Caller, id: string): Promise<void> {
  const row = await findRow(base.store, caller.organizationId, id);
  if (row === undefined || row.status === 'inactive' || row.connection_type === 'STDIO') return;
  const mayAgree = actsAsAdministrator(caller) || row.created_by === authorOf(caller);
  if (mayAgree || (await isRead(base.store, id))) await refreshNow(base, caller, row);
}

async function ask(
  base: Keeping,
  {
    caller,
    row,
    target,
    lease,
  }: {
    readonly caller: Caller;
    readonly row: ConnectionRow;
    readonly target: UpstreamTarget;
    readonly lease: string;
  },
): Promise<void> {
  const { store, upstream, events, now } = base;
  const holding = { store, connectionId: row.id, lease, now };
  const answer = await holdingLease(holding, () => upstream.discover(target, leadsTo(base, row)));
  const found = await keepableOf(base, row.id, answer, target);
  const asked = {
    organizationId: caller.organizationId,
    id: row.id,
    revision: row.revision,
    lease,
    by: authorOf(caller),
    isPersonal: await isForEachAlone(base, row),
    now: now(),
    random: Math.random(),
  };
  await store.transaction((tx) => keepDiscovery(tx, events, asked, found));
}

/** What came of telling an upstream its configuration. */
export interface ConfigurationOutcome {
  readonly delivered: boolean;
  readonly message?: string;
}

const ON_CONFIGURATION = 'ON_MCP_CONFIGURATION';

/** Tells an upstream that wants to hear of it what it is configured with; undefined when it does not. */
export async function tellConfiguration(
  base: Base,
  caller: Caller,
  id: string,
  settings: Settings,
  tools: readonly Readonly<Record<string, unknown>>[] | null,
): Promise<ConfigurationOutcome | undefined> {
  if (tools?.some(({ name }) => name === ON_CONFIGURATION) !== true) return undefined;
  const row = await findRow(base.store, caller.organizationId, id);
  if (row === undefined || row.status === 'inactive') return undefined;
  const target = await targetOf(base, caller, row);
  if (target === undefined) return undefined;
  // Telling a program means starting it, which takes the same right as storing it.
  if (target.type === 'STDIO' && !actsAsAdministrator(caller))
    return { delivered: false, message: 'Only owners and administrators start STDIO connections.' };
  const { configuration_state: state, configuration_scopes: scopes } = settings;
  const told = { state: state ?? {}, scopes: scopes ?? [] };
  const outcome = await base.upstream.call(target, ON_CONFIGURATION, told, { caller });
  if (!outcome.ok) return { delivered: false, message: outcome.message };
  return outcome.outcome === 'answered'
    ? { delivered: true }
    : { delivered: false, message: `The tool ${ON_CONFIGURATION} of the server failed.` };
}
