/** Tools on projects and the settings of their plugins. */
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { Id } from './fields.ts';

const slug = z.string().regex(/^[a-z0-9-]{1,100}$/, 'must have 1 to 100 of a-z, 0-9 and -');
const name = z.string().min(1).max(200);
// By its id it is published once.
const text = z.string().max(2000).nullable().default(null).meta({ id: 'Text' });

const facts = {
  description: z.string().max(1000).nullable().optional().describe('What it is about'),
  enabledPlugins: z.array(z.string().min(1).max(100)).max(200).nullable().optional().describe('Their ids'),
  ui: z
    .strictObject({ banner: text, bannerColor: text, icon: text, themeColor: text })
    .nullable()
    .optional()
    .describe('How it looks'),
};

const Project = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  enabledPlugins: z.array(z.string()).nullable(),
  ui: z.record(z.string(), z.string().nullable()).nullable(),
  boundConnections: z.array(z.object({ id: z.string(), title: z.string(), icon: z.string().nullable() })),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** The caller's organization; another one is answered like one that does not exist. */
function requireOwn(caller: Caller, asked: string): string {
  if (asked !== caller.organizationId) throw new ToolError('not_found', 'Organization not found');
  return asked;
}

export const projectList = defineTool({
  name: 'PROJECT_LIST',
  title: 'List Projects',
  description: 'The projects of your organization.',
  effect: 'read',
  input: z.object({ organizationId: Id }),
  output: z.object({ projects: z.array(Project) }),
  run: async (input, { services, caller }) => ({
    projects: await services.projects.list(requireOwn(caller, input.organizationId)),
  }),
});

export const projectGet = defineTool({
  name: 'PROJECT_GET',
  title: 'Get Project',
  description: 'One project by its id or its slug; null when there is none.',
  effect: 'read',
  input: z.object({
    organizationId: Id,
    projectId: Id.optional(),
    slug: z.string().min(1).max(100).optional().describe('Instead of projectId'),
  }),
  output: z.object({ project: Project.nullable() }),
  async run({ organizationId: asked, projectId, slug: wanted }, { services, caller, error }) {
    const own = requireOwn(caller, asked);
    if (projectId !== undefined && wanted === undefined)
      return { project: await services.projects.get(own, { id: projectId }) };
    if (projectId === undefined && wanted !== undefined)
      return { project: await services.projects.get(own, { slug: wanted }) };
    throw error('invalid', 'projectId: give either projectId or slug');
  },
});

export const projectCreate = defineTool({
  name: 'PROJECT_CREATE',
  title: 'Create Project',
  description: 'Makes a project.',
  effect: 'create',
  input: z.object({ organizationId: Id, slug: slug.describe('Its name in addresses'), name, ...facts }),
  output: z.object({ project: Project }),
  run: async ({ organizationId: asked, slug: wanted, ...rest }, { services, caller }) => ({
    project: await services.projects.create(requireOwn(caller, asked), wanted, rest),
  }),
});

export const projectUpdate = defineTool({
  name: 'PROJECT_UPDATE',
  title: 'Update Project',
  description: 'Changes a project; an absent field stays as it is, null clears it.',
  effect: 'update',
  input: z.object({ projectId: Id, name: name.optional(), ...facts }),
  output: z.object({ project: Project }),
  run: async ({ projectId, ...change }, { services, caller }) => ({
    project: await services.projects.update(caller.organizationId, projectId, change),
  }),
});

export const projectDelete = defineTool({
  name: 'PROJECT_DELETE',
  title: 'Delete Project',
  description: 'Deletes a project with the settings of its plugins.',
  effect: 'delete',
  privileged: true,
  input: z.object({ projectId: Id }),
  output: z.object({ success: z.boolean(), projectId: z.string(), deleted: z.boolean() }),
  run: async ({ projectId }, { services, caller }) => ({
    success: true,
    projectId,
    deleted: await services.projects.delete(caller.organizationId, projectId),
  }),
});

const pluginId = z.string().min(1).max(100);
const settings = z.record(z.string().max(200), z.unknown());

const Config = z.object({
  id: z.string(),
  projectId: z.string(),
  pluginId: z.string(),
  connectionId: z.string().nullable(),
  settings: z.record(z.string(), z.unknown()).nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const projectPluginConfigGet = defineTool({
  name: 'PROJECT_PLUGIN_CONFIG_GET',
  title: 'Get Project Plugin Config',
  description: 'How a plugin is set up in a project; secrets read [secret].',
  effect: 'read',
  input: z.object({ projectId: Id, pluginId }),
  output: z.object({ config: Config.nullable() }),
  run: async (place, { services, caller }) => ({
    config: await services.projects.plugins.get({ ...place, organizationId: caller.organizationId }),
  }),
});

export const projectPluginConfigUpdate = defineTool({
  name: 'PROJECT_PLUGIN_CONFIG_UPDATE',
  title: 'Update Project Plugin Config',
  description: 'Sets a plugin up in a project; a value [secret] keeps what is stored.',
  effect: 'update',
  input: z.object({
    projectId: Id,
    pluginId,
    connectionId: Id.nullable().optional(),
    settings: settings.nullable().optional().describe('All of them; null clears').meta({ writeOnly: true }),
  }),
  output: z.object({ config: Config }),
  run: async ({ connectionId, settings: given, ...place }, { services, caller }) => ({
    config: await services.projects.plugins.set(
      { ...place, organizationId: caller.organizationId },
      { connectionId, settings: given },
    ),
  }),
});
