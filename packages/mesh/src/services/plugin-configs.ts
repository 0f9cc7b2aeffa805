/** How plugins are set up in a project: the connection each uses, and its settings, which are kept sealed. */
import { maskedState, restoredState } from '@parley/connections';
import { ToolError, typeId } from '@parley/kit';
import type { Queryable, Store } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { MeshTables, PluginConfigRow } from '../schema.ts';

/** A connection that a plugin of a project uses. */
export interface BoundConnection {
  readonly id: string;
  readonly title: string;
  readonly icon: string | null;
}

/** Those of an organization's connections that have these ids. */
export type FindConnections = (
  from: Queryable,
  organizationId: string,
  ids: readonly string[],
) => Promise<readonly BoundConnection[]>;

/** The settings of a plugin in a project, as tools show them. */
export interface PluginConfig {
  readonly id: string;
  readonly projectId: string;
  readonly pluginId: string;
  readonly connectionId: string | null;
  readonly settings: Record<string, unknown> | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A plugin of a project. */
export interface PluginPlace {
  readonly organizationId: string;
  readonly projectId: string;
  readonly pluginId: string;
}

/** What is absent stays as it is. */
export interface PluginChange {
  readonly connectionId?: string | null | undefined;
  readonly settings?: Record<string, unknown> | null | undefined;
}

/** Told with every change of a project or of its plugins, with the organization. */
export const PROJECTS_CHANGED = 'mesh.projects';

export interface PluginConfigs {
  /** Null when there is none, or no such project. */
  get(place: PluginPlace): Promise<PluginConfig | null>;
  /** Makes it when there is none. */
  set(place: PluginPlace, change: PluginChange): Promise<PluginConfig>;
}

const MAX_SETTINGS_CHARACTERS = 65_536;

export function createPluginConfigs(
  store: Store,
  { now, findConnections }: { readonly now: () => number; readonly findConnections: FindConnections },
): PluginConfigs {
  const open = (row: Pick<PluginConfigRow, 'id' | 'organization_id' | 'settings'>) =>
    row.settings === null
      ? null
      : fromJson<Record<string, unknown>>(store.secrets.open(row.settings, sealedIn(row)));
  const shown = async (from: Queryable, row: PluginConfigRow): Promise<PluginConfig> => {
    const ids = row.connection_id === null ? [] : [row.connection_id];
    const bound = ids.length === 0 ? [] : await findConnections(from, row.organization_id, ids);
    return {
      id: row.id,
      projectId: row.project_id,
      pluginId: row.plugin_id,
      // A connection that is gone is no connection.
      connectionId: bound[0]?.id ?? null,
      // Settings are an object, and masking leaves them one.
      settings: maskedState(open(row)) as Record<string, unknown> | null,
      createdAt: new Date(row.created_at).toISOString(),
      updatedAt: new Date(row.updated_at).toISOString(),
    };
  };
  return {
    async get(place) {
      const row = await find(store, place);
      return row === undefined ? null : shown(store, row);
    },
    set: (place, { connectionId, settings }) =>
      store.transaction(async (tx) => {
        const { organizationId, projectId, pluginId } = place;
        const project = projectQuery(tx, place);
        await tx.hold(project);
        if ((await project.executeTakeFirst()) === undefined)
          throw new ToolError('not_found', 'Project not found');
        if (typeof connectionId === 'string') {
          const known = await findConnections(tx, organizationId, [connectionId]);
          if (known.length === 0) throw new ToolError('not_found', 'Connection not found');
        }
        const before = await find(tx, place);
        const id = before?.id ?? typeId('ppc', now());
        const row: PluginConfigRow = {
          id,
          organization_id: organizationId,
          project_id: projectId,
          plugin_id: pluginId,
          connection_id: connectionId === undefined ? (before?.connection_id ?? null) : connectionId,
          settings: before?.settings ?? null,
          created_at: before?.created_at ?? now(),
          updated_at: now(),
        };
        if (settings === null) row.settings = null;
        if (settings) {
          const stored = before && open(before);
          const text = toJson(restoredState(settings, stored, 'settings'));
          if (text.length > MAX_SETTINGS_CHARACTERS)
            throw new ToolError(
              'invalid',
              `settings: must have at most ${MAX_SETTINGS_CHARACTERS} characters`,
            );
          // A seal is never the same twice, so what has not changed keeps its own.
          if (text !== toJson(stored ?? null)) row.settings = store.secrets.seal(text, sealedIn(row));
        }
        const { connection_id, settings: sealed, updated_at } = row;
        await tx
          .db<MeshTables>()
          .insertInto('project_plugin_configs')
          .values(row)
          .onConflict((conflict) =>
            conflict
              .columns(['project_id', 'plugin_id'])
              .doUpdateSet({ connection_id, settings: sealed, updated_at }),
          )
          .execute();
        await tx.signal(PROJECTS_CHANGED, organizationId);
        return shown(tx, row);
      }),
  };
}

/** The connections that the plugins of projects use, by project. */
export async function boundTo(
  from: Queryable,
  findConnections: FindConnections,
  { organizationId, projectIds }: { readonly organizationId: string; readonly projectIds: readonly string[] },
): Promise<Map<string, BoundConnection[]>> {
  const rows = await from
    .db<MeshTables>()
    .selectFrom('project_plugin_configs')
    .select(['project_id', 'connection_id'])
    .where('organization_id', '=', organizationId)
    .where('connection_id', 'is not', null)
    .orderBy('created_at')
    .execute();
  const wanted = rows.filter(({ project_id: id }) => projectIds.includes(id));
  const ids = [...new Set(wanted.flatMap(({ connection_id: id }) => (id === null ? [] : [id])))];
  const known = ids.length === 0 ? [] : await findConnections(from, organizationId, ids);
  const bound = new Map<string, BoundConnection[]>();
  for (const { project_id: projectId, connection_id: id } of wanted) {
    const connection = known.find((each) => each.id === id);
    const others = bound.get(projectId) ?? [];
    if (connection !== undefined && !others.some((each) => each.id === id))
      bound.set(projectId, [...others, connection]);
  }
  return bound;
}

function sealedIn({ organization_id, id }: Pick<PluginConfigRow, 'organization_id' | 'id'>) {
  return { organizationId: organization_id, rowId: `${id}:settings` };
}

function projectQuery(from: Queryable, { organizationId, projectId }: PluginPlace) {
  return from
    .db<MeshTables>()
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', projectId);
}

function find(from: Queryable, place: PluginPlace): Promise<PluginConfigRow | undefined> {
  return from
    .db<MeshTables>()
    .selectFrom('project_plugin_configs')
    .selectAll()
    .where('organization_id', '=', place.organizationId)
    .where('project_id', '=', place.projectId)
    .where('plugin_id', '=', place.pluginId)
    .executeTakeFirst();
}
