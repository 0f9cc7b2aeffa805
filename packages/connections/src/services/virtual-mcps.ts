/** Virtual MCPs: several connections that are used as one. */
import { isDeepStrictEqual } from 'node:util';
import type { Caller, Collection } from '@parley/kit';
import { requireLasting, ToolError, typeId } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { defineRows, toJson, toQueryJson } from '@parley/store';
import { sql } from 'kysely';
import type { ConnectionTables } from '../schema.ts';
import { NO_CATALOG } from '../self-connection.ts';
import type { VirtualMcp, VirtualMcpCreate, VirtualMcpUpdate } from '../shapes/virtual-mcp.ts';
import type { Base } from './base.ts';
import { announce, forgetConnection, authorOf, takeTurns } from './base.ts';
import { checkContainment } from './containment.ts';
import { collisionsOf, fixNames } from './exposed-names.ts';
import { membersOf, replaceMembers } from './members.ts';
import { notesOn } from './virtual-notes.ts';
import type { Scope } from './rows.ts';
import { AUDIT_FIELDS, SEARCHED_FIELDS } from './rows.ts';
import { inUse, standInsOf, usersOf } from './usage.ts';

export type VirtualMcps = Collection<VirtualMcp, VirtualMcpCreate, VirtualMcpUpdate>;

type Stored = Omit<VirtualMcp, 'connections' | 'collisions' | 'notes'>;

const text = { kind: 'text' } as const;

export const VIRTUAL_MCPS = defineRows<Stored, Scope>({
  table: 'connections',
  scope: { organizationId: 'organization_id' },
  only: sql`item.is_virtual_mcp = 1`,
  order: [{ field: ['created_at'], direction: 'desc' }],
  fields: {
    id: text,
    title: SEARCHED_FIELDS.title,
    description: SEARCHED_FIELDS.description,
    icon: { kind: 'text', nullable: true },
    status: text,
    metadata: SEARCHED_FIELDS.metadata,
    ...AUDIT_FIELDS,
  },
  many: {
    connection_id: {
      table: 'connection_aggregations',
      owner: 'parent_id',
      value: 'child_id',
      where: { dependency_mode: 'direct' },
    },
  },
});

export function createVirtualMcps(base: Base): VirtualMcps {
  const { store } = base;
  const get = async (from: Queryable, caller: Caller, id: string): Promise<VirtualMcp | undefined> => {
    const found = await VIRTUAL_MCPS.in(from, caller).get(id);
    if (found === undefined) return undefined;
    const [connections = []] = await membersOf(from, caller.organizationId, [id]);
    const self = () => base.ownNames?.(caller) ?? {};
    const collisions = await collisionsOf(from, caller.organizationId, id, self);
    const notes = await notesOn(from, caller.organizationId, id, self);
    return { ...found, connections, collisions, ...(notes.length > 0 && { notes }) };
  };
  return {
    fields: { ...VIRTUAL_MCPS.fields, connection_id: { kind: 'many' } },
    async list(caller, query) {
      const { items, totalCount } = await VIRTUAL_MCPS.in(store, caller).list(query);
      const ids = items.map(({ id }) => id);
      const members = await membersOf(store, caller.organizationId, ids);
      return {
        items: items.map((item, index) => ({ ...item, connections: members[index] ?? [] })),
        totalCount,
      };
    },
    get: (caller, id) => get(store, caller, id),
    create: (caller, data) => create(base, caller, data, get),
    update: (caller, id, data) => update(base, caller, id, data, get),
    delete: (caller, id) => remove(base, caller, id, get),
  };
}

/** What every change of a virtual MCP is told as. */
const VIRTUAL = { noun: 'virtual_mcp', connection_type: 'VIRTUAL' } as const;

type Get = (from: Queryable, caller: Caller, id: string) => Promise<VirtualMcp | undefined>;

async function create(base: Base, caller: Caller, data: VirtualMcpCreate, get: Get): Promise<VirtualMcp> {
  requireLasting(caller, 'virtual MCPs');
  const { organizationId } = caller;
  const { connections, metadata = null, title, description = null, icon = null, status = 'active' } = data;
  const now = base.now();
  const id = typeId('vir', now);
  return base.store.transaction(async (tx) => {
    await takeTurns(tx, organizationId);
    await tx
      .db<ConnectionTables>()
      .insertInto('connections')
      .values({
        id,
        organization_id: organizationId,
        title,
        description,
        icon,
        status,
        app_name: null,
        app_id: null,
        connection_type: 'VIRTUAL',
        connection_url: `virtual://${id}`,
        connection_headers: null,
        oauth_config: null,
        has_connection_token: 0,
        configuration_scopes: null,
        metadata: metadata === null ? null : toQueryJson(metadata),
        bindings: null,
        catalog: toJson(NO_CATALOG),
        is_virtual_mcp: 1,
        virtual_id: null,
        secrets: null,
        revision: 0,
        created_at: now,
        updated_at: now,
        created_by: authorOf(caller),
        updated_by: null,
      })
      .execute();
    await replaceMembers(tx, caller, id, connections);
    await checkContainment(tx, organizationId);
    await fixNames(tx, organizationId, id);
    await announce(base, tx, caller, { ...VIRTUAL, what: 'created', id, title });
    return made(await get(tx, caller, id));
  });
}

async function update(
  base: Base,
  caller: Caller,
  id: string,
  { connections, ...data }: VirtualMcpUpdate,
  get: Get,
): Promise<VirtualMcp | undefined> {
  requireLasting(caller, 'virtual MCPs');
  const { organizationId } = caller;
  return base.store.transaction(async (tx) => {
    await takeTurns(tx, organizationId);
    const before = await get(tx, caller, id);
    const changes = { updated_at: new Date(base.now()).toISOString(), updated_by: authorOf(caller) };
    if (!(await VIRTUAL_MCPS.in(tx, caller).update(id, { ...data, ...changes }))) return undefined;
    if (connections !== undefined) {
      await replaceMembers(tx, caller, id, connections);
      await checkContainment(tx, organizationId);
      await fixNames(tx, organizationId, id);
    }
    const item = made(await get(tx, caller, id));
    if (!isDeepStrictEqual({ ...before, ...changes }, { ...item, ...changes }))
      await announce(base, tx, caller, { ...VIRTUAL, what: 'updated', id, title: item.title });
    return item;
  });
}

async function remove(base: Base, caller: Caller, id: string, get: Get): Promise<VirtualMcp | undefined> {
  const { organizationId } = caller;
  return base.store.transaction(async (tx) => {
    await takeTurns(tx, organizationId);
    const before = await get(tx, caller, id);
    if (before === undefined) return undefined;
    const users = await usersOf(tx, organizationId, id);
    const standIns = await standInsOf(tx, organizationId, id);
    if (users.length + standIns.length > 0) throw inUse(users, standIns);
    await VIRTUAL_MCPS.in(tx, caller).delete(id);
    await forgetConnection(base, tx, organizationId, id);
    await announce(base, tx, caller, { ...VIRTUAL, what: 'deleted', id, title: before.title });
    return before;
  });
}

/** It was written in the same transaction. */
function made(item: VirtualMcp | undefined): VirtualMcp {
  if (item === undefined) throw new ToolError('not_found', 'Virtual MCP not found');
  return item;
}
