/** Dashboards of an organization: what they are called, and which widgets they show. */
import type { Caller } from '@parley/kit';
import { ToolError, typeId } from '@parley/kit';
import type { Store } from '@parley/store';
import { defineRows } from '@parley/store';
import type { Dashboard, DashboardData, Widget } from './dashboard.ts';

type Scope = Pick<Caller, 'organizationId'>;
type Changes = { readonly [Name in keyof DashboardData]?: DashboardData[Name] | undefined };

/** Told with every change of a dashboard, with the organization. */
export const DASHBOARDS_CHANGED = 'mesh.dashboards';

export interface Dashboards {
  /** All of them, oldest first. */
  list(caller: Caller): Promise<Dashboard[]>;
  get(caller: Caller, id: string): Promise<Dashboard | undefined>;
  create(caller: Caller, data: DashboardData): Promise<Dashboard>;
  /** What is absent stays as it is. */
  update(caller: Caller, id: string, changes: Changes): Promise<Dashboard>;
  /** False when there was none. */
  delete(caller: Caller, id: string): Promise<boolean>;
}

const MOST_DASHBOARDS = 200;

const ROWS = defineRows<Dashboard, Scope>({
  table: 'monitoring_dashboards',
  scope: { organizationId: 'organization_id' },
  order: [{ field: ['createdAt'] }],
  fields: {
    id: { kind: 'text' },
    name: { kind: 'text' },
    description: { kind: 'text' },
    filters: { kind: 'json' },
    widgets: { kind: 'json' },
    createdAt: { kind: 'time', column: 'created_at' },
    updatedAt: { kind: 'time', column: 'updated_at' },
    createdBy: { kind: 'text', column: 'created_by' },
  },
});

export function createDashboardStore(store: Store): Dashboards {
  return {
    list: (caller) => ROWS.in(store, caller).all(),
    get: (caller, id) => ROWS.in(store, caller).get(id),
    async create(caller, data) {
      await requirePaths(data.widgets);
      const now = Date.now();
      const at = new Date(now).toISOString();
      const made = {
        id: typeId('dash', now),
        ...data,
        createdAt: at,
        updatedAt: at,
        createdBy: caller.userId ?? caller.id,
      };
      await store.transaction(async (tx) => {
        await tx.exclusive(`dashboards ${caller.organizationId}`);
        const rows = ROWS.in(tx, caller);
        if ((await rows.all()).length >= MOST_DASHBOARDS)
          throw new ToolError(
            'conflict',
            `There are ${MOST_DASHBOARDS} dashboards already. Delete one first.`,
          );
        await rows.insert(made);
        await tx.signal(DASHBOARDS_CHANGED, caller.organizationId);
      });
      return made;
    },
    async update(caller, id, changes) {
      await requirePaths(changes.widgets ?? []);
      return store.transaction(async (tx) => {
        const rows = ROWS.in(tx, caller);
        const isThere = await rows.update(id, { ...changes, updatedAt: new Date().toISOString() });
        const found = isThere ? await rows.get(id) : undefined;
        if (found === undefined) throw new ToolError('not_found', `There is no dashboard ${id}.`);
        await tx.signal(DASHBOARDS_CHANGED, caller.organizationId);
        return found;
      });
    },
    delete: (caller, id) =>
      store.transaction(async (tx) => {
        await tx.signal(DASHBOARDS_CHANGED, caller.organizationId);
        return ROWS.in(tx, caller).delete(id);
      }),
  };
}

/** Refuses widgets whose paths cannot be used. */
async function requirePaths(widgets: readonly Widget[]): Promise<void> {
  if (widgets.length === 0) return;
  const { faultOfPath } = await import('./json-path.ts');
  for (const [index, { source, aggregation }] of widgets.entries()) {
    const paths = [
      ['source.path', source.path],
      ['aggregation.groupBy', aggregation.groupBy],
    ] as const;
    for (const [field, path] of paths) {
      const fault = path === undefined ? undefined : faultOfPath(path);
      if (fault !== undefined) throw new ToolError('invalid', `widgets.${index}.${field}: ${fault}`);
    }
  }
}
