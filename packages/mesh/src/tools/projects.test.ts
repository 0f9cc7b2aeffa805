/** What the tools on projects promise, on both databases. */
import { onBothEngines } from '@parley/store/testing';
import { identityMigrations, createIdentity } from '@parley/identity';
import { describe, expect, test } from 'vitest';
import { foreignIds } from '../../test/foreign-ids.ts';
import type { MeshBed } from '../../test/mesh-bed.ts';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { BED_MIGRATIONS } from '../../test/mesh-process.ts';
import type { FindConnections } from '../services/plugin-configs.ts';

/** Connections by organization, as other tests have them in their table. */
const CONNECTIONS = new Map<string, { id: string; title: string; icon: string | null }>();
const findConnections: FindConnections = async (_from, organizationId, ids) =>
  ids.flatMap((id) => CONNECTIONS.get(`${organizationId} ${id}`) ?? []);
function connect(organizationId: string, id: string): string {
  CONNECTIONS.set(`${organizationId} ${id}`, { id, title: `The ${id}`, icon: null });
  return id;
}

let made = 0;

async function newProject(bed: MeshBed, data: object = {}): Promise<string> {
  const input = { organizationId: bed.acme.id, slug: `project-${(made += 1)}`, name: 'Site', ...data };
  return (await bed.call(bed.acme.owner.caller, 'PROJECT_CREATE', input)).project.id;
}

onBothMeshes(
  'projects',
  (bed) => {
    const as = () => bed().acme.owner.caller;
    const bySlug = (slug: string) => ({ organizationId: bed().acme.id, slug });

    test('every organization has the project org-admin, which can neither be made nor deleted', async () => {
      const { project } = await bed().call(as(), 'PROJECT_GET', bySlug('org-admin'));
      expect(project).toMatchObject({ id: expect.stringMatching(/^proj_/), slug: 'org-admin' });
      expect(await bed().codeOf(as(), 'PROJECT_CREATE', { ...bySlug('org-admin'), name: 'x' })).toBe(
        'conflict',
      );
      expect(await bed().codeOf(as(), 'PROJECT_DELETE', { projectId: project.id })).toBe('conflict');
      const theirs = { organizationId: bed().rival.id, slug: 'org-admin' };
      const other = await bed().call(bed().rival.owner.caller, 'PROJECT_GET', theirs);
      expect(other.project.id).not.toBe(project.id);
    });

    test('a new project has what it was given, by id, by slug and in the list', async () => {
      const ui = { banner: null, bannerColor: '#fff', icon: 'https://x.example/i.png', themeColor: null };
      const facts = { name: 'Website', description: 'Ours', enabledPlugins: ['a', 'b'] };
      const asked = { ...bySlug('website'), ...facts, ui: { bannerColor: '#fff', icon: ui.icon } };
      const { project } = await bed().call(as(), 'PROJECT_CREATE', asked);
      expect(project).toEqual({
        id: expect.stringMatching(/^proj_/),
        slug: 'website',
        ...facts,
        ui,
        boundConnections: [],
        createdAt: '2030-01-01T00:00:00.000Z',
        updatedAt: '2030-01-01T00:00:00.000Z',
      });
      const { member } = bed().acme;
      const byId = { organizationId: bed().acme.id, projectId: project.id };
      expect(await bed().call(member.caller, 'PROJECT_GET', byId)).toEqual({ project });
      expect(await bed().call(member.caller, 'PROJECT_GET', bySlug('website'))).toEqual({ project });
      const listed = await bed().call(member.caller, 'PROJECT_LIST', { organizationId: bed().acme.id });
      expect(listed.projects).toContainEqual(project);
      expect(await bed().codeOf(as(), 'PROJECT_CREATE', asked)).toBe('conflict');
    });

    test('a project that is not there is null, and one has to be named in one way', async () => {
      expect(await bed().call(as(), 'PROJECT_GET', bySlug('nowhere'))).toEqual({ project: null });
      const organizationId = bed().acme.id;
      expect(await bed().codeOf(as(), 'PROJECT_GET', { organizationId })).toBe('invalid');
      const both = { organizationId, projectId: 'proj_x', slug: 'x' };
      expect(await bed().codeOf(as(), 'PROJECT_GET', both)).toBe('invalid');
    });

    describe('bad input names its field:', () => {
      test.each([
        ['a slug with capitals', { slug: 'Site' }, 'slug'],
        ['a long slug', { slug: 'x'.repeat(101) }, 'slug'],
        ['no name', { name: '' }, 'name'],
        ['a long description', { description: 'x'.repeat(1001) }, 'description'],
        ['an unknown look', { ui: { sound: 'loud' } }, 'ui'],
        ['plugins that are no texts', { enabledPlugins: [1] }, 'enabledPlugins'],
      ])('%s', async (_why, wrong, field) => {
        const { end } = await bed().ask(as(), 'PROJECT_CREATE', {
          ...bySlug('fine'),
          name: 'Fine',
          ...wrong,
        });
        expect(end).toMatchObject({ code: 'invalid', message: expect.stringContaining(field) });
      });
    });

    test('an update changes what it names, null clears, and the slug stays', async () => {
      const projectId = await newProject(bed(), {
        slug: 'lasting',
        description: 'Text',
        enabledPlugins: ['a'],
      });
      const change = { projectId, name: 'Renamed', enabledPlugins: null };
      const { project } = await bed().call(as(), 'PROJECT_UPDATE', change);
      expect(project).toMatchObject({
        slug: 'lasting',
        name: 'Renamed',
        description: 'Text',
        enabledPlugins: null,
      });
      expect(await bed().codeOf(as(), 'PROJECT_UPDATE', { projectId: 'proj_none', name: 'x' })).toBe(
        'not_found',
      );
    });

    test('check 10: PROJECT_LIST with the id of another organization answers as with a random one', async () => {
      const calls = {
        PROJECT_LIST: {},
        PROJECT_GET: { slug: 'org-admin' },
        PROJECT_CREATE: { slug: 'new', name: 'x' },
      };
      for (const [tool, more] of Object.entries(calls)) {
        const answer = async (organizationId: string) =>
          (await bed().ask(as(), tool, { organizationId, ...more })).raw.replaceAll(organizationId, 'ID');
        expect(await answer(bed().rival.id)).toBe(await answer('org_random'));
        expect(await answer(bed().rival.id)).toContain('not_found');
      }
    });

    describe('plugins', () => {
      const configOf = (projectId: string, pluginId = 'mail') => ({ projectId, pluginId });

      test('have no config until one is set, and connections of their own organization only', async () => {
        const projectId = await newProject(bed());
        const own = connect(bed().acme.id, 'conn_own');
        const foreign = connect(bed().rival.id, 'conn_foreign');
        expect(await bed().call(as(), 'PROJECT_PLUGIN_CONFIG_GET', configOf(projectId))).toEqual({
          config: null,
        });
        const set = (connectionId: string | null) =>
          bed().ask(as(), 'PROJECT_PLUGIN_CONFIG_UPDATE', { ...configOf(projectId), connectionId });
        expect((await set(foreign)).raw).toBe((await set('conn_random')).raw);
        expect((await set(foreign)).end).toMatchObject({ code: 'not_found' });
        expect((await set(own)).end).toMatchObject({
          value: { config: { projectId, pluginId: 'mail', connectionId: own, settings: null } },
        });
        const { project } = await bed().call(as(), 'PROJECT_UPDATE', { projectId });
        expect(project.boundConnections).toEqual([{ id: own, title: 'The conn_own', icon: null }]);
        CONNECTIONS.delete(`${bed().acme.id} ${own}`);
        const gone = await bed().call(as(), 'PROJECT_PLUGIN_CONFIG_GET', configOf(projectId));
        expect(gone.config.connectionId).toBeNull();
      });

      test('keep their settings sealed, show no secret, and keep it when its mask comes back', async () => {
        const projectId = await newProject(bed());
        const canary = 'canary-5f1d';
        const settings = {
          host: 'mail.example',
          apiKey: canary,
          pin: 1234,
          spinning: true,
          accounts: [{ user: 'a', Access_Token: canary }],
          clientSecret: null,
        };
        const shown = { ...settings, apiKey: '[secret]', pin: '[secret]' };
        const update = (given: object | null) =>
          bed().ask(as(), 'PROJECT_PLUGIN_CONFIG_UPDATE', { ...configOf(projectId), settings: given });
        const first = await update(settings);
        const masked = { ...shown, accounts: [{ user: 'a', Access_Token: '[secret]' }] };
        expect(first.end).toMatchObject({ value: { config: { settings: masked } } });
        const read = await bed().ask(as(), 'PROJECT_PLUGIN_CONFIG_GET', configOf(projectId));
        expect(read.end).toMatchObject({ value: { config: { settings: masked } } });
        expect(`${first.raw}${read.raw}${await bed().content()}`).not.toContain(canary);
        await update({ ...masked, host: 'post.example' });
        const kept = await settingsOf(bed(), projectId);
        expect(kept).toEqual({ ...settings, host: 'post.example' });
        const cleared = (await update(null)).end;
        expect(cleared).toMatchObject({ value: { config: { settings: null } } });
      });

      test('of a project that is not there are null, and cannot be set', async () => {
        const place = configOf('proj_none');
        expect(await bed().call(as(), 'PROJECT_PLUGIN_CONFIG_GET', place)).toEqual({ config: null });
        expect(await bed().codeOf(as(), 'PROJECT_PLUGIN_CONFIG_UPDATE', place)).toBe('not_found');
      });

      test('with too long settings are refused', async () => {
        const asked = { ...configOf(await newProject(bed())), settings: { text: 'x'.repeat(65_536) } };
        const { end } = await bed().ask(as(), 'PROJECT_PLUGIN_CONFIG_UPDATE', asked);
        expect(end).toMatchObject({ code: 'invalid', message: expect.stringContaining('settings') });
      });
    });

    const projectId = newProject;
    const theirs = (of: MeshBed) => ({ organizationId: of.rival.id });
    foreignIds(bed, [
      { tool: 'PROJECT_GET', id: projectId, input: (id, of) => ({ ...theirs(of), projectId: id }) },
      { tool: 'PROJECT_UPDATE', id: projectId, input: (id) => ({ projectId: id, name: 'x' }) },
      { tool: 'PROJECT_DELETE', id: projectId, input: (id) => ({ projectId: id }) },
      { tool: 'PROJECT_PLUGIN_CONFIG_GET', id: projectId, input: (id) => ({ projectId: id, pluginId: 'a' }) },
      {
        tool: 'PROJECT_PLUGIN_CONFIG_UPDATE',
        id: projectId,
        input: (id) => ({ projectId: id, pluginId: 'a', settings: {} }),
      },
    ]);
  },
  () => ({ services: { findConnections } }),
);

onBothEngines('organizations from before there were projects', (open) => {
  test('get org-admin with the migration', async () => {
    const store = await open();
    await store.migrate([identityMigrations]);
    const owner = { name: 'Ada', email: null };
    const { organizationId } = await createIdentity(store).createOrganization({
      slug: 'old',
      name: 'Old',
      owner,
    });
    await store.migrate(BED_MIGRATIONS);
    const rows = await store
      .db<{ projects: { organization_id: string; slug: string } }>()
      .selectFrom('projects')
      .select(['organization_id', 'slug'])
      .execute();
    expect(rows).toEqual([{ organization_id: organizationId, slug: 'org-admin' }]);
  });
});

/** What is stored, opened as only the server can. */
async function settingsOf({ store, acme }: MeshBed, projectId: string): Promise<unknown> {
  const row = await store
    .db<{ project_plugin_configs: { id: string; project_id: string; settings: string } }>()
    .selectFrom('project_plugin_configs')
    .selectAll()
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  const context = { organizationId: acme.id, rowId: `${row.id}:settings` };
  return JSON.parse(store.secrets.open(row.settings, context)) as unknown;
}
