/** Virtual tools: tools written in code, each owned by a virtual MCP. */
import type { Caller, CollectionPage } from '@parley/kit';
import { hintsOf, requireLasting, schemaFault, ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { defineRows, fromJson } from '@parley/store';
import type { ConnectionTables } from '../schema.ts';
import type { VirtualTool, VirtualToolCreate, VirtualToolUpdate } from '../shapes/virtual-tool.ts';
import type { Base } from './base.ts';
import { announceCatalog, authorOf, takeTurns } from './base.ts';
import { fixNames } from './exposed-names.ts';
import { connectionTitles } from './members.ts';
import { AUDIT_FIELDS } from './rows.ts';
import { VIRTUAL_MCPS } from './virtual-mcps.ts';

/** One virtual tool by its name. */
export interface ToolPlace {
  readonly virtual_mcp_id: string;
  readonly name: string;
}

export interface VirtualTools {
  list(
    caller: Caller,
    query: { readonly virtual_mcp_id: string; readonly limit: number; readonly offset: number },
  ): Promise<CollectionPage<VirtualTool>>;
  get(caller: Caller, place: ToolPlace): Promise<VirtualTool | undefined>;
  create(caller: Caller, virtualMcpId: string, data: VirtualToolCreate): Promise<VirtualTool>;
  update(caller: Caller, place: ToolPlace, data: VirtualToolUpdate): Promise<VirtualTool | undefined>;
  delete(caller: Caller, place: ToolPlace): Promise<VirtualTool | undefined>;
}

type Stored = Omit<VirtualTool, 'annotations'> & { annotations: VirtualTool['annotations'] | null };
interface Scope {
  readonly organizationId: string;
  readonly virtualMcpId: string;
}

const text = { kind: 'text' } as const;

const TOOLS = defineRows<Stored, Scope>({
  table: 'virtual_tools',
  scope: { organizationId: 'organization_id', virtualMcpId: 'virtual_mcp_id' },
  unique: ['virtual_mcp_id', 'name'],
  order: [{ field: ['created_at'], direction: 'desc' }],
  fields: {
    id: text,
    virtual_mcp_id: text,
    name: text,
    description: { kind: 'text', nullable: true },
    inputSchema: { kind: 'json', column: 'input_schema' },
    outputSchema: { kind: 'json', column: 'output_schema', nullable: true },
    annotations: { kind: 'json', column: 'hints', nullable: true },
    code: text,
    connection_dependencies: { kind: 'json' },
    ...AUDIT_FIELDS,
  },
});

const MAX_SCHEMA_BYTES = 64 * 1024;

export function createVirtualTools(base: Base): VirtualTools {
  const { store } = base;
  const rowsOf = (from: Queryable, { organizationId }: Caller, virtualMcpId: string) =>
    TOOLS.in(from, { organizationId, virtualMcpId });
  const byName = async (from: Queryable, caller: Caller, { virtual_mcp_id, name }: ToolPlace) => {
    const where = { field: ['name'], operator: 'eq', value: name } as const;
    const { items } = await rowsOf(from, caller, virtual_mcp_id).list({ where, limit: 1, offset: 0 });
    return items[0] && toEntity(items[0]);
  };
  const change = <T>(caller: Caller, work: (tx: StoreTransaction) => Promise<T>): Promise<T> =>
    store.transaction(async (tx) => {
      await takeTurns(tx, caller.organizationId);
      const result = await work(tx);
      await announceCatalog(tx, caller.organizationId);
      return result;
    });

  return {
    async list(caller, { virtual_mcp_id, limit, offset }) {
      const { items, totalCount } = await rowsOf(store, caller, virtual_mcp_id).list({ limit, offset });
      return { items: items.map(toEntity), totalCount };
    },
    get: (caller, place) => byName(store, caller, place),
    async create(caller, virtual_mcp_id, data) {
      requireLasting(caller, 'virtual tools');
      await checkDefinition(base, data);
      const id = typeId('vtl', base.now());
      const now = new Date(base.now()).toISOString();
      const { name, connection_dependencies = [] } = data;
      return change(caller, async (tx) => {
        if ((await VIRTUAL_MCPS.in(tx, caller).get(virtual_mcp_id)) === undefined)
          throw new ToolError('not_found', 'Virtual MCP not found');
        await checkDependencies(tx, caller, connection_dependencies);
        const made = await rowsOf(tx, caller, virtual_mcp_id).insert({
          ...data,
          id,
          connection_dependencies: [...new Set(connection_dependencies)],
          created_at: now,
          updated_at: now,
          created_by: authorOf(caller),
        });
        if (!made) throw nameTaken(name);
        await settle(tx, caller, virtual_mcp_id);
        return found(await byName(tx, caller, { virtual_mcp_id, name }));
      });
    },
    async update(caller, place, data) {
      requireLasting(caller, 'virtual tools');
      await checkDefinition(base, data);
      return change(caller, async (tx) => {
        const { virtual_mcp_id } = place;
        const before = await byName(tx, caller, place);
        // Asked for again after a rename: the old name is gone, and the new one is there.
        if (before === undefined)
          return data.name === undefined
            ? undefined
            : byName(tx, caller, { virtual_mcp_id, name: data.name });
        const { name = before.name, connection_dependencies: needs } = data;
        if (name !== before.name && (await byName(tx, caller, { virtual_mcp_id, name })) !== undefined)
          throw nameTaken(name);
        if (needs !== undefined) await checkDependencies(tx, caller, needs);
        await rowsOf(tx, caller, virtual_mcp_id).update(before.id, {
          ...data,
          ...(needs !== undefined && { connection_dependencies: [...new Set(needs)] }),
          updated_at: new Date(base.now()).toISOString(),
          updated_by: authorOf(caller),
        });
        await settle(tx, caller, virtual_mcp_id);
        return found(await byName(tx, caller, { virtual_mcp_id, name }));
      });
    },
    delete: (caller, place) =>
      change(caller, async (tx) => {
        const before = await byName(tx, caller, place);
        if (before === undefined) return undefined;
        await rowsOf(tx, caller, place.virtual_mcp_id).delete(before.id);
        await settle(tx, caller, place.virtual_mcp_id);
        return before;
      }),
  };
}

/** Absent hints are those of code that may do anything anywhere. */
function toEntity(stored: Stored): VirtualTool {
  return { ...stored, annotations: stored.annotations ?? { ...hintsOf('run', true) } };
}

/** It was written in the same transaction. */
function found(tool: VirtualTool | undefined): VirtualTool {
  if (tool === undefined) throw new ToolError('not_found', 'Virtual tool not found');
  return tool;
}

function nameTaken(name: string): ToolError {
  return new ToolError(
    'conflict',
    `data.name: this virtual MCP has a tool "${name}" already. Choose another name.`,
  );
}

async function checkDefinition({ checkCode }: Base, data: VirtualToolUpdate): Promise<void> {
  const { inputSchema, outputSchema, code } = data;
  for (const [field, schema] of Object.entries({ inputSchema, outputSchema })) {
    if (schema === undefined || schema === null) continue;
    const fault =
      Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES
        ? `must have at most ${MAX_SCHEMA_BYTES} bytes`
        : schema['type'] === 'object'
          ? await schemaFault(schema)
          : 'must have the type object';
    if (fault !== undefined) throw new ToolError('invalid', `data.${field}: ${fault}`);
  }
  if (code !== undefined) await checkCode(code);
}

async function checkDependencies(tx: StoreTransaction, { organizationId }: Caller, ids: readonly string[]) {
  await connectionTitles(tx, organizationId, ids, (index) => `data.connection_dependencies.${index}`);
}

/** Brings what follows from the tools of a virtual MCP up to date: what they need, and who has which name. */
async function settle(tx: StoreTransaction, { organizationId }: Caller, parentId: string): Promise<void> {
  const db = tx.db<ConnectionTables>();
  const tools = await db
    .selectFrom('virtual_tools')
    .select('connection_dependencies')
    .where('organization_id', '=', organizationId)
    .where('virtual_mcp_id', '=', parentId)
    .execute();
  const needed = new Set(tools.flatMap((tool) => fromJson<string[]>(tool.connection_dependencies)));
  await db
    .deleteFrom('connection_aggregations')
    .where('organization_id', '=', organizationId)
    .where('parent_id', '=', parentId)
    .where('dependency_mode', '=', 'indirect')
    .execute();
  const rows = [...needed].map((childId, position) => ({
    id: typeId('agg'),
    organization_id: organizationId,
    parent_id: parentId,
    child_id: childId,
    selected_tools: null,
    selected_resources: null,
    selected_prompts: null,
    alias: '',
    position,
    dependency_mode: 'indirect' as const,
    prefix: null,
    overrides: null,
  }));
  for (let at = 0; at < rows.length; at += 100)
    await db
      .insertInto('connection_aggregations')
      .values(rows.slice(at, at + 100))
      .execute();
  await fixNames(tx, organizationId, parentId);
}
