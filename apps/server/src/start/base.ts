/** What every start opens first, whatever it serves: the data folder, brought up to date, and who may act. */
import type { HasResource, Identity, KnownGrants, RoleDefaults } from '@parley/identity';
import { createIdentity, IDENTITY_CHANGED } from '@parley/identity';
import type { ChangeBus } from '@parley/kit';
import { createChangeBus } from '@parley/kit';
import type { MigrationSet, Store } from '@parley/store';
import { openStore } from '@parley/store';
import type { Config } from '../config.ts';
import { closeToOthers } from '../data-folder.ts';
import type { Hold } from '../hold/hold.ts';
import { openHold } from '../hold/hold.ts';
import { keepFirstOwner, refuseLostDatabase } from '../owner-key.ts';

/** The open data folder. */
export interface Base {
  readonly store: Store;
  readonly identity: Identity;
  readonly changes: ChangeBus;
  /** Whether a restored server waits for leave to act. */
  readonly hold: Hold;
  readonly ownerKeyFile: string;
  close(): Promise<void>;
}

/** What a base is opened with. */
export interface BaseOptions {
  readonly config: Config;
  readonly migrations: MigrationSet[];
  /** Every tool that is served; a grant of a privileged one has to name it. */
  readonly tools: Iterable<KnownTool>;
  /** Every resource, prompt and right of a route that is served; a grant names them like tools. */
  readonly others: Iterable<Pick<KnownTool, 'name' | 'toolset'>>;
  /** What toolsets give to the built-in roles. */
  readonly roleDefaults: RoleDefaults;
  readonly onFault: (error: unknown, where: string) => void;
}

/** What identity has to know of a tool. */
export interface KnownTool {
  readonly name: string;
  readonly toolset: string;
  readonly privileged?: boolean | 'by-name' | undefined;
}

/** Opens the store, brings it up to date, and makes the first owner. */
export async function openBase(options: BaseOptions): Promise<Base> {
  const { config, migrations, tools, others, roleDefaults, onFault } = options;
  refuseLostDatabase(config);
  const store = await openStore(storeOptions(config, onFault));
  try {
    await store.migrate(migrations);
    closeToOthers(config.dataDir);
    const onError = (error: unknown) => onFault(error, 'identity');
    const known = grantable([...tools, ...others]);
    const identity = createIdentity(store, {
      isPrivileged: privilegedAmong(tools),
      hasWeb: config.hasConsole,
      roleDefaults,
      known,
      hasResource: hasConnection,
      seed: async (tx, organizationId) => {
        for (const set of migrations) await set.seed?.(tx, organizationId);
      },
      clear: async (tx, organizationId) => {
        for (const set of migrations) await set.clear?.(tx, organizationId, store);
      },
      onError,
    });
    const ownerKeyFile = await keepFirstOwner(identity, config);
    const hold = await openHold(store, { onFault });
    const changes = createChangeBus();
    const unsubscribe = announceRights(store, changes);
    return {
      store,
      identity,
      changes,
      hold,
      ownerKeyFile,
      async close() {
        unsubscribe();
        hold.close();
        identity.close();
        await store.close();
      },
    };
  } catch (error) {
    // Open connections would keep the process alive after the command failed.
    await store.close();
    throw error;
  }
}

/** How the store is opened for a configuration. */
export function storeOptions(config: Config, onFault: (error: unknown, where: string) => void) {
  return {
    dataDir: config.dataDir,
    keyMustFit: true,
    recordRetention: config.recordRetention,
    onError: (error: unknown) => onFault(error, 'store'),
    ...(config.databaseUrl !== undefined && { databaseUrl: config.databaseUrl }),
    ...(config.pooler.directUrl !== undefined && { directUrl: config.pooler.directUrl }),
    preparedStatements: config.pooler.preparedStatements,
    ...(config.secretKey !== undefined && { secretKey: config.secretKey }),
  };
}

function privilegedAmong(tools: Iterable<KnownTool>): (resource: string, name: string) => boolean {
  const privileged = [...tools].filter(({ privileged }) => privileged !== undefined && privileged !== false);
  return (resource, name) =>
    privileged.some((tool) => tool.name === name && (resource === '*' || tool.toolset === resource));
}

/** The names that grants can give, by toolset. */
function grantable(served: readonly Pick<KnownTool, 'name' | 'toolset'>[]): KnownGrants {
  const names = Map.groupBy(served, ({ toolset }) => toolset);
  return Object.fromEntries([...names].map(([toolset, items]) => [toolset, items.map(({ name }) => name)]));
}

/** Loaded by the first who asks: what a client starts is to answer before it has read all code. */
const hasConnection: HasResource = async (from, organizationId, id) => {
  const { briefConnections } = await import('@parley/connections');
  return (await briefConnections(from, organizationId, [id])).length > 0;
};

/** A change of rights changes what callers see, in every process. */
function announceRights(store: Store, changes: ChangeBus): () => void {
  return store.signal.subscribe(IDENTITY_CHANGED, ({ topic, payload }) => {
    const isKnown = topic !== '*' && payload !== null;
    changes.publish({ kind: 'tools', ...(isKnown && { organizationId: payload }) });
  });
}
