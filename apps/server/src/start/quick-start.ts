/** A start that answers before its code is loaded: lists come from what the build wrote down, the host follows. */
import type { ConnectionTables } from '@parley/connections';
import { joinRoleDefaults, roleDefaultsOf } from '@parley/identity';
import type { CatalogDescription, Listing } from '@parley/kit';
import { asksCode, createListing, describedCatalog, fitsDescription, mergeDescriptions } from '@parley/kit';
import type { MigrationSet, Store } from '@parley/store';
import type { Base } from './base.ts';
import { openBase } from './base.ts';
import type { Description } from './description.ts';
import { readDescription } from './description.ts';
import type { Host, HostOptions } from './host.ts';
import { missingTools } from './missing-parts.ts';
import type { ServedToolset } from './served-toolset.ts';
import { migrationsIn } from './served-toolset.ts';

/** An open data folder that can be listed at once. */
export interface QuickStart {
  readonly base: Base;
  readonly listing: Listing;
  /** The host over the same folder; the first request for it loads it. */
  host(): Promise<Host>;
  close(): Promise<void>;
}

/** Opens a data folder to serve some toolsets, or all when none are named. */
export async function openQuickly(options: HostOptions, served: readonly string[]): Promise<QuickStart> {
  // What other sources have, only an engine knows.
  const description = (options.sources ?? []).length === 0 ? readDescription(served) : undefined;
  const catalog = description && (await describeAll(description, options.toolsets ?? []));
  const isWritten = (name: string) => catalog?.toolsets.some((toolset) => toolset.name === name);
  if (description === undefined || catalog === undefined || asksCode(catalog, served))
    return openWhole(options);
  // Anything else that is named is a connection, which only code knows.
  if (!served.every(isWritten)) return openWhole(options);
  const { config, onFault, toolsets = [] } = options;
  const listed = describedCatalog(catalog);
  const migrations = [...migrationsWritten(description), ...migrationsIn(toolsets)];
  const rights = listed.toolsets.flatMap(({ name: toolset, rights: names = [] }) =>
    names.map((name) => ({ name, toolset })),
  );
  const others = [...listed.resources, ...listed.prompts, ...rights];
  const roleDefaults = joinRoleDefaults(description.roleDefaults, roleDefaultsOf(toolsets));
  const base = await openBase({ config, onFault, tools: listed.tools, others, migrations, roleDefaults });
  let host: Promise<Host> | undefined;
  if (served.length === 0 && (await hasConnections(base.store))) {
    const whole = await loadHost(base, catalog, options);
    return { base, listing: whole.engine(), host: async () => whole, close: () => whole.close() };
  }
  return {
    base,
    listing: createListing({
      ...listed,
      tools: listed.tools.filter(({ name }) => !missingTools(base.store).includes(name)),
    }),
    host: () => (host ??= loadHost(base, catalog, options)),
    // A host closes its base, and one that could not be built has closed it.
    close: async () => (host === undefined ? base.close() : (await host.catch(() => undefined))?.close()),
  };
}

/** True when something is served that no build has written down. */
async function hasConnections(store: Store): Promise<boolean> {
  const found = await store
    .db<ConnectionTables>()
    .selectFrom('connections')
    .select('id')
    .where('connection_type', '!=', 'VIRTUAL')
    .where('status', '!=', 'inactive')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Without a description, or when code decides what is there, everything is loaded first. */
async function openWhole(options: HostOptions): Promise<QuickStart> {
  const { openHost } = await import('./host.ts');
  const host = await openHost(options);
  return {
    base: host,
    listing: host.engine(),
    host: async () => host,
    close: () => host.close(),
  };
}

/** Adds the toolsets that a program brings; undefined when only an engine knows how they are listed. */
async function describeAll(
  { catalog }: Description,
  toolsets: readonly ServedToolset[],
): Promise<CatalogDescription | undefined> {
  if (toolsets.length === 0) return catalog;
  const hasTasks = toolsets.some(({ tools }) => tools.some((tool) => 'task' in tool));
  // One that has the name of another refuses to start, which an engine says best.
  const isTaken = toolsets.some(({ name }) => catalog.toolsets.some((known) => known.name === name));
  if (hasTasks || isTaken) return undefined;
  const { describeToolsets } = await import('./describe-toolsets.ts');
  return mergeDescriptions(catalog, describeToolsets(toolsets));
}

async function loadHost(base: Base, described: CatalogDescription, options: HostOptions): Promise<Host> {
  const { allToolsets, hostOn } = await import('./host.ts');
  const host = await hostOn(base, await allToolsets(options), options);
  if (fitsDescription(host.engine().common, described)) return host;
  await host.close();
  throw new Error(
    'What the build wrote down about the toolsets does not fit their code. Build Parley again.',
  );
}

/** The migrations that were written down; the code of one is loaded when it has to be applied. */
function migrationsWritten({ migrations }: Description): MigrationSet[] {
  return migrations.map(({ set, names }) => ({
    name: set,
    migrations: Object.fromEntries(
      names.map((name) => [name, async (db, engine) => (await loadMigration(set, name))(db, engine)]),
    ),
    seed: async (tx, organizationId) => (await loadSet(set))?.seed?.(tx, organizationId),
    clear: async (tx, organizationId, store) => (await loadSet(set))?.clear?.(tx, organizationId, store),
  }));
}

async function loadSet(name: string): Promise<MigrationSet | undefined> {
  const { allToolsets, migrationsOf } = await import('./host.ts');
  return migrationsOf(await allToolsets({})).find((candidate) => candidate.name === name);
}

async function loadMigration(set: string, name: string): Promise<MigrationSet['migrations'][string]> {
  const migration = (await loadSet(set))?.migrations[name];
  if (migration === undefined) throw new Error(`There is no migration "${set}/${name}". Build Parley again.`);
  return migration;
}
