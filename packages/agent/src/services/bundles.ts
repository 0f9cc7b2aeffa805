/** Bundles: sets of tools, with words for whoever gets them; never stronger than whoever saves them. */
import type { Caller } from '@parley/kit';
import { requireLasting, ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, isUniqueViolation, toJson } from '@parley/store';
import { keyOfName } from '../name-key.ts';
import { publicIdOf } from '../permissions/given-bundles.ts';
import type { AgentTables, BundleRow } from '../schema.ts';
import type { AgentsParts } from './agents.ts';
import { checkTools, tellRights } from './agents.ts';
import { PRESETS, presetFields } from './presets.ts';

/** A bundle, as people see it. */
export interface Bundle {
  /** `preset-…` for one that every organization has. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly prompt_additions: string;
  readonly preset: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What can be chosen about a bundle. */
export interface BundleFacts {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly prompt_additions: string;
}

/** What is absent stays as it is. */
export type BundleChange = { readonly [Field in keyof BundleFacts]?: BundleFacts[Field] | undefined };

/** A bundle that was saved, and what is odd about it. */
export interface SavedBundle {
  readonly bundle: Bundle;
  readonly warnings: readonly string[];
}

export interface Bundles {
  /** By name. */
  list(organizationId: string): Promise<Bundle[]>;
  get(organizationId: string, id: string): Promise<Bundle | undefined>;
  create(by: Caller, facts: BundleFacts): Promise<SavedBundle>;
  update(by: Caller, id: string, change: BundleChange): Promise<SavedBundle>;
  /** Whoever had it loses its tools with the next request. False: there is none, or it is a preset. */
  delete(by: Caller, id: string): Promise<boolean>;
  /** Sets a preset back to what it began as. */
  reset(by: Caller, id: string): Promise<SavedBundle>;
}

/** The bounds of what can be chosen. */
export const BUNDLE_LIMITS = { name: 100, description: 1000, tools: 50, prompt: 4000 } as const;

const MAX_BUNDLES = 200;

export function createBundles(parts: AgentsParts): Bundles {
  const { store, identity, now } = parts;
  const saved = async (
    tx: StoreTransaction,
    by: Caller,
    { row, action, write }: { row: BundleRow; action: string; write: () => Promise<unknown> },
  ): Promise<SavedBundle> => {
    requireLasting(by, 'bundles');
    const bundle = shown(row);
    const { name, tools } = bundle;
    const warnings = checkTools(parts, by, tools);
    if (bundle.preset) refusePrivileged(parts, by, tools);
    await named(name, write);
    await identity.audit.write(tx, { caller: by, action, target: bundle.id, changed: { name, tools } });
    await tellRights(tx, row.organization_id);
    return { bundle, warnings };
  };
  const change = (by: Caller, id: string, changed: (row: BundleRow) => Partial<BundleRow>, action: string) =>
    store.transaction(async (tx) => {
      const row = await lockedBundle(tx, by.organizationId, id);
      const next = { ...row, ...changed(row), updated_at: now() };
      const write = () =>
        tx.db<AgentTables>().updateTable('skill_bundles').set(next).where('id', '=', row.id).execute();
      return saved(tx, by, { row: next, action, write });
    });
  return {
    async list(organizationId) {
      const rows = await store
        .db<AgentTables>()
        .selectFrom('skill_bundles')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .orderBy('name_key')
        .execute();
      return rows.map(shown);
    },
    async get(organizationId, id) {
      const row = await bundleRow(store, organizationId, id);
      return row && shown(row);
    },
    create: (by, facts) =>
      store.transaction(async (tx) => {
        const { organizationId: organization_id } = by;
        await tx.exclusive(`bundles ${organization_id}`);
        refuseMoreThan(MAX_BUNDLES, await countBundles(tx, organization_id));
        const at = now();
        const fields = { organization_id, preset: null, created_at: at, updated_at: at };
        const row: BundleRow = { id: typeId('bundle', at), ...fields, ...columnsOf(facts) };
        const write = () => tx.db<AgentTables>().insertInto('skill_bundles').values(row).execute();
        return saved(tx, by, { row, action: 'bundle.created', write });
      }),
    update: (by, id, { name, description, tools, prompt_additions }) =>
      change(
        by,
        id,
        (row) =>
          columnsOf({
            name: name ?? row.name,
            description: description ?? row.description,
            tools: tools ?? fromJson<string[]>(row.tools),
            prompt_additions: prompt_additions ?? row.prompt_additions,
          }),
        'bundle.updated',
      ),
    reset: (by, id) =>
      change(
        by,
        id,
        (row) => {
          const preset = PRESETS.find((each) => each.id === row.preset);
          if (preset === undefined) throw bundleNotFound();
          return presetFields(preset);
        },
        'bundle.reset',
      ),
    delete: (by, id) =>
      store.transaction(async (tx) => {
        const row = await bundleRow(tx, by.organizationId, id);
        if (row === undefined || row.preset !== null) return false;
        await tx.db<AgentTables>().deleteFrom('skill_bundles').where('id', '=', row.id).execute();
        const changed = { name: row.name };
        await identity.audit.write(tx, { caller: by, action: 'bundle.deleted', target: row.id, changed });
        await tellRights(tx, row.organization_id);
        return true;
      }),
  };
}

/** The bundle of an id in an organization; a preset is known by its own name. */
export function bundleRow(
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<BundleRow | undefined> {
  return bundleQuery(from, organizationId, id).executeTakeFirst();
}

/** The same, kept as it is until the transaction ends. */
export async function lockedBundle(
  tx: StoreTransaction,
  organizationId: string,
  id: string,
): Promise<BundleRow> {
  const row = await tx.locked(bundleQuery(tx, organizationId, id)).executeTakeFirst();
  if (row === undefined) throw bundleNotFound();
  return row;
}

/** Refuses one more of something. */
export function refuseMoreThan(most: number, count: number): void {
  if (count >= most)
    throw new ToolError('invalid', `There are at most ${most} bundles here. Remove one that is not used.`);
}

function bundleQuery(from: Queryable, organizationId: string, id: string) {
  return from
    .db<AgentTables>()
    .selectFrom('skill_bundles')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where((where) => where.or([where('id', '=', id), where('preset', '=', id)]));
}

async function countBundles(tx: StoreTransaction, organizationId: string): Promise<number> {
  const rows = await tx
    .db<AgentTables>()
    .selectFrom('skill_bundles')
    .select('id')
    .where('organization_id', '=', organizationId)
    .execute();
  return rows.length;
}

function refusePrivileged({ toolNamed }: AgentsParts, by: Caller, tools: readonly string[]): void {
  const privileged = tools.find((name) => toolNamed(by.organizationId, name)?.privileged);
  if (privileged === undefined) return;
  throw new ToolError(
    'invalid',
    `tools: a preset holds no privileged tool such as ${privileged}; make a bundle of your own for it`,
  );
}

function bundleNotFound(): ToolError {
  return new ToolError('not_found', 'Bundle not found');
}

function columnsOf({ name: given, description, tools, prompt_additions }: BundleFacts) {
  const name = given.trim();
  const unique = [...new Set(tools)];
  return { name, name_key: keyOfName(name), description, tools: toJson(unique), prompt_additions };
}

async function named(name: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ToolError('conflict', `name: there is a bundle "${name}" already`);
  }
}

function shown(row: BundleRow): Bundle {
  return {
    id: publicIdOf(row),
    name: row.name,
    description: row.description,
    tools: fromJson<string[]>(row.tools),
    prompt_additions: row.prompt_additions,
    preset: row.preset !== null,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
