/** Connections: listed, read, made, changed, deleted and tested within an organization. */
import type { Caller, CollectionFields, CollectionPage, ListQuery, Where } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { fromJson } from '@parley/store';
import { openConnection } from '../secrets/vault.ts';
import type { ConnectionCreate, ConnectionUpdate } from '../shapes/connection-data.ts';
import type { Connection } from '../shapes/connection.ts';
import type { ConfigurationOutcome } from './ask-upstream.ts';
import { rediscover, tellConfiguration } from './ask-upstream.ts';
import type { Base } from './base.ts';
import { announce, forgetConnection, takeTurns } from './base.ts';
import type { Binding } from './bindings.ts';
import { connectionsWith } from './bindings.ts';
import type { FromMachine } from './change-connection.ts';
import { insertConnection, updateConnection } from './change-connection.ts';
import { CONNECTIONS, findRow } from './rows.ts';
import { shownState } from './settings.ts';
import type { TestOutcome } from './test-connection.ts';
import { testConnection } from './test-connection.ts';
import { inUse, letGo, usersOf } from './usage.ts';

/** A list of connections that is asked for. */
export interface ConnectionQuery extends ListQuery {
  readonly binding?: Binding | undefined;
  readonly include_virtual?: boolean | undefined;
}

export interface Connections {
  readonly fields: CollectionFields;
  list(caller: Caller, query: ConnectionQuery): Promise<CollectionPage<Connection>>;
  get(caller: Caller, id: string): Promise<Connection | undefined>;
  exists(organizationId: string, id: string): Promise<boolean>;
  /** `machine` is for the machine's own command line alone, whatever reaches this over a protocol. */
  create(caller: Caller, data: ConnectionCreate, machine?: FromMachine): Promise<Connection>;
  /** What an upstream said to its new configuration comes with it; undefined when there is no such connection. */
  update(
    caller: Caller,
    id: string,
    data: ConnectionUpdate,
    machine?: FromMachine,
  ): Promise<{ item: Connection; configuration?: ConfigurationOutcome } | undefined>;
  delete(caller: Caller, id: string, force: boolean): Promise<Connection | undefined>;
  test(caller: Caller, id: string): Promise<TestOutcome>;
}

export function createConnections(base: Base): Connections {
  const { store } = base;
  const get = async (caller: Caller, id: string): Promise<Connection | undefined> => {
    const entity = await CONNECTIONS.in(store, caller).get(id);
    const row = entity && (await findRow(store, caller.organizationId, id));
    return row && { ...entity, configuration_state: shownState(openConnection(store.secrets, row)) };
  };
  const existing = async (caller: Caller, id: string): Promise<Connection> => {
    const found = await get(caller, id);
    if (found === undefined) throw deletedMeanwhile();
    return found;
  };
  return {
    fields: CONNECTIONS.fields,
    get,
    exists: async (organizationId, id) => (await findRow(store, organizationId, id)) !== undefined,
    async list(caller, { binding, include_virtual = false, where, ...query }) {
      const conditions: Where[] = where === undefined ? [] : [where];
      if (binding !== undefined) {
        const ids = await connectionsWith(store, caller.organizationId, binding);
        conditions.push({ field: ['id'], operator: 'in', value: ids });
      }
      if (!include_virtual) {
        const isVirtual: Where = { field: ['connection_type'], operator: 'eq', value: 'VIRTUAL' };
        conditions.push({ operator: 'not', conditions: [isVirtual] });
      }
      const page = await CONNECTIONS.in(store, caller).list({
        ...query,
        where: { operator: 'and', conditions },
      });
      return {
        ...page,
        items: page.items.map(({ configuration_state: _state, ...item }) => item),
      };
    },
    async create(caller, data, machine) {
      const id = await insertConnection(base, caller, data, machine);
      await rediscover(base, caller, id);
      return existing(caller, id);
    },
    async update(caller, id, data, machine) {
      const changed = await updateConnection(base, caller, id, data, machine);
      if (changed === undefined) return undefined;
      // Whoever changes something about a connection that could not be read hopes that it can be now.
      const isUnread = (await existing(caller, id)).catalog.last_error !== null;
      if (changed.isUpstreamNew || isUnread) await rediscover(base, caller, id);
      // Deliveries that its server refused, or that waited while it was inactive, may be welcome now.
      await base.events.subscribers.resume(caller.organizationId, id);
      const item = await existing(caller, id);
      if (data.configuration_state === undefined && data.configuration_scopes === undefined) return { item };
      const configuration = await tellConfiguration(base, caller, id, changed.settings, item.tools);
      return { item, ...(configuration !== undefined && { configuration }) };
    },
    async delete(caller, id, force) {
      const before = await get(caller, id);
      if (before === undefined) return undefined;
      return (await deleteConnection(base, caller, id, force)) ? before : undefined;
    },
    test: (caller, id) => testConnection(base, caller, id),
  };
}

/** Somebody else deleted it while its upstream was asked. */
function deletedMeanwhile(): ToolError {
  return new ToolError('not_found', 'Connection not found');
}

async function deleteConnection(base: Base, caller: Caller, id: string, force: boolean): Promise<boolean> {
  const { organizationId } = caller;
  return base.store.transaction(async (tx) => {
    await takeTurns(tx, organizationId);
    const row = await findRow(tx, organizationId, id);
    if (row === undefined) return false;
    if (row.is_virtual_mcp === 1)
      throw new ToolError('invalid', 'id: this is a virtual MCP. Use COLLECTION_VIRTUAL_MCP_DELETE.');
    const metadata = row.metadata === null ? {} : fromJson<Record<string, unknown>>(row.metadata);
    if (metadata['isFixed'] === true)
      throw new ToolError('conflict', 'The connection is fixed and cannot be deleted.');
    const users = await usersOf(tx, organizationId, id);
    if (users.length > 0 && !force) throw inUse(users);
    await letGo(tx, organizationId, id);
    await CONNECTIONS.in(tx, caller).delete(id);
    await forgetConnection(base, tx, organizationId, id);
    await announce(base, tx, caller, { ...row, what: 'deleted' });
    return true;
  });
}
