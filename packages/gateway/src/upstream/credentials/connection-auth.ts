/** What people do about credentials of connections: look how they stand, authorise, bring a token, take it back. */
import type { ConnectionAuth, ConnectionRow, FlowPlace, SealedCredentials } from '@parley/connections';
import {
  actsAsAdministrator,
  dropPersonalToken,
  gatewaySettingsOf,
  dropToken,
  findRow,
  hasTokens,
  keepPersonalToken,
  mayUse,
  openConnection,
  sealedCredentials,
  signsInItself,
  statusOf,
  trailOf,
} from '@parley/connections';
import type { Caller } from '@parley/kit';
import { detach, requireLasting, ToolError } from '@parley/kit';
import { fromJson } from '@parley/store';
import { readLink } from './auth-links.ts';
import { authStateOf, authStates, peopleOf, usableRows } from './auth-states.ts';
import type { FinishedFlow } from './authorization.ts';
import { begin, finish, overdue, prepare } from './authorization.ts';
import { clientDocument } from './client-document.ts';
import type { CredentialParts } from './parts.ts';
import { revokeUpstream } from './revocation.ts';

const VISIBLE = /^[\x21-\x7e]{1,8192}$/;

export function createConnectionAuth(parts: CredentialParts): ConnectionAuth {
  const { store, audit, now, onFault } = parts;

  /** A connection of the caller's; one that they may not use is as unknown as one that nobody has. */
  async function usable(caller: Caller, id: string): Promise<ConnectionRow> {
    const row = await findRow(store, caller.organizationId, id);
    if (row === undefined || row.connection_type === 'VIRTUAL' || !mayUse(caller, id))
      throw new ToolError('not_found', 'Connection not found');
    return row;
  }

  /** Whom the token of an authorization by this caller is for; empty: everybody. */
  function tokenUserOf(caller: Caller, { settings }: Pick<SealedCredentials, 'settings'>): string {
    if (settings.oauth !== 'shared') return personOf(caller);
    if (!actsAsAdministrator(caller))
      throw new ToolError(
        'forbidden',
        'One authorization serves everybody here, so only owners and administrators may change it.',
      );
    return '';
  }

  /** For whom this caller would authorise a connection, when they may. */
  async function placeFor(caller: Caller, row: ConnectionRow): Promise<FlowPlace> {
    requireLasting(caller, 'stored tokens');
    const userId = personOf(caller);
    if (row.connection_type === 'STDIO')
      throw new ToolError(
        'invalid',
        'A program on this machine is not authorised. Give it variables instead.',
      );
    if (signsInItself(row))
      throw new ToolError('invalid', 'This connection signs in by itself. Nobody has to authorise it.');
    const tokenUserId = tokenUserOf(caller, await sealedCredentials(store, row, userId));
    return { organizationId: row.organization_id, connectionId: row.id, userId, tokenUserId };
  }

  /** The person and the connection behind a link, as they stand now. */
  async function followed(link: string): Promise<{ caller: Caller; row: ConnectionRow }> {
    const read = readLink(store.secrets, link, now());
    const caller = read && (await parts.callerOf(read.organizationId, read.userId));
    if (read === undefined || caller === undefined) throw overdue();
    return { caller, row: await usable(caller, read.connectionId) };
  }

  async function changeToken(caller: Caller, id: string, token: string | undefined): Promise<void> {
    requireLasting(caller, 'stored tokens');
    const row = await usable(caller, id);
    // A token that goes nowhere would only seem to help.
    if (token !== undefined && gatewaySettingsOf(row).personalToken === undefined)
      throw new ToolError(
        'invalid',
        `${row.title} takes no token of one person. Set metadata.gateway.personalToken, or give it a token for everybody.`,
      );
    const owner = {
      organizationId: row.organization_id,
      connectionId: id,
      userId: personOf(caller),
    };
    const action = token === undefined ? 'connection.token_removed' : 'connection.token_set';
    await store.transaction(async (tx) => {
      if (token !== undefined) await keepPersonalToken(tx, store.secrets, owner, { token, now: now() });
      else if (!(await dropPersonalToken(tx, owner))) return;
      await audit.write(tx, { caller, action, target: id, changed: { title: row.title } });
    });
  }

  /** The credentials are kept whatever their server says to them. */
  async function learn(caller: Caller, id: string): Promise<void> {
    try {
      await parts.learn?.(caller, id);
    } catch (error) {
      onFault(error, 'credentials');
    }
  }

  /** The last step: what the server says to its token. */
  async function noteCatalog({ trail, ...place }: FinishedFlow): Promise<void> {
    const row = await findRow(store, place.organizationId, place.connectionId);
    if (row === undefined) return;
    const { last_error: fault } = fromJson<{ last_error: string | null }>(row.catalog);
    if (fault === null) trail.note('catalog', 'The server took the token, and its tools are known.');
    else trail.fail(fault);
    await trail.keep(parts, place);
  }

  return {
    async state(caller, id) {
      const row = await usable(caller, id);
      const sealed = await sealedCredentials(store, row, caller.userId);
      const place = { organizationId: row.organization_id, connectionId: id };
      const isUsual = sealed.granted !== undefined || (await hasTokens(store, place));
      const isRefused = (await statusOf(store, row.organization_id, id)) === 'needs_reauth';
      return authStateOf(sealed, { box: store.secrets, now: now(), isUsual, isRefused });
    },
    async states(caller, ids) {
      const rows = await usableRows(store, caller, ids);
      return authStates(rows, { parts, userId: caller.userId });
    },
    async people(caller, id) {
      const row = await usable(caller, id);
      if (!actsAsAdministrator(caller))
        throw new ToolError(
          'forbidden',
          'Only owners and administrators see the credentials of others. Ask one of them.',
        );
      return peopleOf(parts, row);
    },
    async steps(caller, id) {
      const row = await usable(caller, id);
      if (caller.userId === null) return [];
      return trailOf(store, {
        organizationId: row.organization_id,
        connectionId: id,
        userId: caller.userId,
      });
    },
    async authorize(caller, id) {
      const row = await usable(caller, id);
      return prepare(parts, row, await placeFor(caller, row));
    },
    async offer(link) {
      const { caller, row } = await followed(link);
      const { settings } = await sealedCredentials(store, row, caller.userId);
      const { connection_url } = openConnection(store.secrets, row);
      const host = URL.parse(connection_url ?? '')?.host ?? '';
      return { title: row.title, host, name: settings.oauth === 'shared' ? null : caller.name };
    },
    async follow(link, browser) {
      const { caller, row } = await followed(link);
      if (browser.userId !== undefined && browser.userId !== caller.userId) throw overdue();
      const place = await placeFor(caller, row);
      return { url: await begin(parts, row, { place, browser }) };
    },
    async finish(parameters, browser) {
      const flow = await finish(parts, parameters, browser);
      const { organizationId, tokenUserId, connection, caller } = flow;
      await learn(caller, connection.id);
      await noteCatalog(flow);
      const person = tokenUserId === '' ? undefined : await parts.callerOf(organizationId, tokenUserId);
      return { title: connection.title, name: person?.name ?? null };
    },
    async revoke(caller, id) {
      const row = await usable(caller, id);
      const { granted, settings } = await sealedCredentials(store, row, personOf(caller));
      if (granted === undefined) return;
      // Without a mode a person may see everybody's token, which is not theirs to take away.
      if (granted.user_id === '') tokenUserOf(caller, { settings: { ...settings, oauth: 'shared' } });
      const { organization_id: organizationId, user_id: userId } = granted;
      await store.transaction(async (tx) => {
        if (!(await dropToken(tx, { organizationId, connectionId: id, userId }))) return;
        const changed = { title: row.title, isShared: userId === '' };
        await audit.write(tx, { caller, action: 'connection.auth_revoked', target: id, changed });
      });
      // It is forgotten here whatever its server makes of it.
      detach(revokeUpstream(parts, row, granted), (error) => onFault(error, 'credentials'));
    },
    async setToken(caller, id, token) {
      if (!VISIBLE.test(token))
        throw new ToolError('invalid', 'token: must have 1 to 8192 visible ASCII characters, without spaces');
      await changeToken(caller, id, token);
      await learn(caller, id);
    },
    removeToken: (caller, id) => changeToken(caller, id, undefined),
    clientDocument: () => clientDocument(parts.publicUrl),
  };
}

/** The person behind a caller; only people have credentials of their own. */
function personOf({ userId, agent }: Caller): string {
  if (userId === null || agent !== undefined)
    throw new ToolError('forbidden', 'Only a person can do this. Use a key of your own.');
  return userId;
}
