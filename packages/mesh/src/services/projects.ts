/** Projects: what people of an organization work on, each with its plugins. */
import { ToolError, typeId } from '@parley/kit';
import type { Queryable, Store } from '@parley/store';
import { defineRows } from '@parley/store';
import { ADMIN_PROJECT } from './admin-project.ts';
import type { BoundConnection, FindConnections, PluginConfigs } from './plugin-configs.ts';
import { boundTo, createPluginConfigs, PROJECTS_CHANGED } from './plugin-configs.ts';

/** How a project looks. */
export type ProjectLook = Readonly<Record<'banner' | 'bannerColor' | 'icon' | 'themeColor', string | null>>;

interface StoredProject {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly enabledPlugins: string[] | null;
  readonly ui: ProjectLook | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A project, as tools show it. */
export interface Project extends StoredProject {
  readonly boundConnections: BoundConnection[];
}

/** What a person writes about a project. */
export interface ProjectFacts {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly enabledPlugins?: string[] | null | undefined;
  readonly ui?: ProjectLook | null | undefined;
}

/** What is absent stays as it is. */
export type ProjectChange = { readonly [Name in keyof ProjectFacts]?: ProjectFacts[Name] | undefined };

export interface Projects {
  /** The oldest first. */
  list(organizationId: string): Promise<Project[]>;
  get(
    organizationId: string,
    by: { readonly id: string } | { readonly slug: string },
  ): Promise<Project | null>;
  create(organizationId: string, slug: string, facts: ProjectFacts): Promise<Project>;
  update(organizationId: string, id: string, change: ProjectChange): Promise<Project>;
  /** False when there is none. */
  delete(organizationId: string, id: string): Promise<boolean>;
  readonly plugins: PluginConfigs;
}

const PROJECTS = defineRows<StoredProject, { organizationId: string }>({
  table: 'projects',
  scope: { organizationId: 'organization_id' },
  unique: ['organization_id', 'slug'],
  order: [{ field: ['createdAt'] }],
  fields: {
    id: { kind: 'text' },
    slug: { kind: 'text' },
    name: { kind: 'text' },
    description: { kind: 'text', nullable: true },
    enabledPlugins: { kind: 'json', column: 'enabled_plugins', nullable: true },
    ui: { kind: 'json', nullable: true },
    createdAt: { kind: 'time', column: 'created_at' },
    updatedAt: { kind: 'time', column: 'updated_at' },
  },
});

export function createProjects(
  store: Store,
  { now, findConnections }: { readonly now: () => number; readonly findConnections: FindConnections },
): Projects {
  const time = () => new Date(now()).toISOString();
  const withConnections = async (from: Queryable, organizationId: string, projects: StoredProject[]) => {
    const bound = await boundTo(from, findConnections, {
      organizationId,
      projectIds: projects.map(({ id }) => id),
    });
    return projects.map((project) => ({ ...project, boundConnections: bound.get(project.id) ?? [] }));
  };
  const required = async (from: Queryable, organizationId: string, id: string): Promise<Project> => {
    const project = await PROJECTS.in(from, { organizationId }).get(id);
    const [whole] = project === undefined ? [] : await withConnections(from, organizationId, [project]);
    if (whole === undefined) throw notFound();
    return whole;
  };
  return {
    list: async (organizationId) =>
      withConnections(store, organizationId, await PROJECTS.in(store, { organizationId }).all()),
    async get(organizationId, by) {
      const rows = PROJECTS.in(store, { organizationId });
      const where = 'slug' in by && { field: ['slug'], operator: 'eq' as const, value: by.slug };
      const project = where
        ? (await rows.list({ where, limit: 1, offset: 0 })).items[0]
        : 'id' in by && (await rows.get(by.id));
      const [whole] = project ? await withConnections(store, organizationId, [project]) : [];
      return whole ?? null;
    },
    create: (organizationId, slug, { name, description = null, enabledPlugins = null, ui = null }) =>
      store.transaction(async (tx) => {
        const id = typeId('proj', now());
        const facts = { name, description, enabledPlugins, ui, createdAt: time(), updatedAt: time() };
        const isNew =
          slug !== ADMIN_PROJECT &&
          (await PROJECTS.in(tx, { organizationId }).insert({ id, slug, ...facts }));
        if (!isNew) throw new ToolError('conflict', `The slug ${slug} is taken. Choose another one.`);
        await tx.signal(PROJECTS_CHANGED, organizationId);
        return required(tx, organizationId, id);
      }),
    update: (organizationId, id, change) =>
      store.transaction(async (tx) => {
        await PROJECTS.in(tx, { organizationId }).update(id, { ...change, updatedAt: time() });
        await tx.signal(PROJECTS_CHANGED, organizationId);
        return required(tx, organizationId, id);
      }),
    delete: (organizationId, id) =>
      store.transaction(async (tx) => {
        const rows = PROJECTS.in(tx, { organizationId });
        const project = await rows.get(id);
        if (project?.slug === ADMIN_PROJECT)
          throw new ToolError(
            'conflict',
            `The project ${ADMIN_PROJECT} belongs to the organization and stays.`,
          );
        await tx.signal(PROJECTS_CHANGED, organizationId);
        return rows.delete(id);
      }),
    plugins: createPluginConfigs(store, { now, findConnections }),
  };
}

function notFound(): ToolError {
  return new ToolError('not_found', 'Project not found');
}
