/** An agent sees the projects that it was given, and owners say where their code lies. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { onBothBeds } from '../../../test/agent-bed.ts';
import type { ProjectBed } from '../../../test/project-bed.ts';
import { projectBed } from '../../../test/project-bed.ts';
import { clientWith } from '../../../test/with-settings.ts';
import type { AgentHost } from '../../toolset.ts';

const LIST = 'corvid_list_projects';
const disks: ProjectBed[] = [];
afterAll(() => {
  for (const disk of disks) disk.remove();
});

onBothBeds(
  'projects of agents',
  (bed) => {
    const disk = disks.at(-1)!;

    test('check 53: list_projects shows what the agent reaches, and a path to nobody but web', async () => {
      const { acme, rival, agent, client, services, identity } = bed();
      const [own, other, unset, foreign] = [
        disk.project(acme.id, 'Own'),
        disk.project(acme.id, 'Other'),
        disk.project(acme.id, 'Unset'),
        disk.project(rival.id, 'Foreign'),
      ];
      const folder = disk.folder('own');
      await services.projects.setCode(acme.owner.caller, own, { folder });
      const ada = await agent(acme.owner.caller, { tools: [LIST], defaultProjectId: own });
      await services.projects.assign(acme.owner.caller, ada.id, unset);
      await expect(services.projects.assign(acme.owner.caller, ada.id, foreign)).rejects.toThrow(
        'Project not found',
      );
      await expect(services.projects.assign(rival.owner.caller, ada.id, foreign)).rejects.toThrow(
        'Agent not found',
      );
      const { projects } = await (await client(ada.caller)).call(LIST, {});
      expect(projects).toEqual([
        { id: own, name: 'Own', description: '', is_default: true, has_code: true },
        { id: unset, name: 'Unset', description: '', is_default: false, has_code: false },
      ]);
      expect(JSON.stringify(projects)).not.toContain(other);
      expect(JSON.stringify(projects)).not.toContain(folder);
      const web = await services.callers.acting({
        organizationId: acme.id,
        agentId: ada.id,
        source: 'web',
        sessionSource: 'web',
        depth: 1,
        unattended: false,
      });
      const shown = await (await client(web!)).call(LIST, {});
      expect(shown.projects[0]).toMatchObject({ id: own, folder });
      expect(await services.projects.unassign(rival.owner.caller, ada.id, unset)).toBe(false);
      expect(await services.projects.unassign(acme.owner.caller, ada.id, unset)).toBe(true);
      expect((await (await client(ada.caller)).call(LIST, {})).projects).toHaveLength(1);
      expect(identity).toBeDefined();
    });

    test('an agent and its keys work in a project that there is, and a foreign one is like none', async () => {
      const { acme, rival, agent, services } = bed();
      const { caller } = acme.owner;
      const own = disk.project(acme.id, 'Home');
      const ada = await agent(caller, { defaultProjectId: own });
      for (const projectId of ['proj_nope', disk.project(rival.id, 'Theirs')]) {
        const refused = { code: 'not_found', message: expect.stringMatching(/^Project not found\./) };
        const { agents } = services;
        const made = agents.create(caller, { name: 'Lost', defaultProjectId: projectId });
        await expect(made).rejects.toMatchObject(refused);
        await expect(agents.update(caller, ada.id, { defaultProjectId: projectId })).rejects.toMatchObject(
          refused,
        );
        await expect(agents.createKey(caller, ada.id, { projectId })).rejects.toMatchObject(refused);
      }
      expect(await services.agents.find(acme.id, 'Lost')).toBeUndefined();
      expect(await services.agents.get(acme.id, ada.id)).toMatchObject({ default_project_id: own });
      await services.agents.update(caller, ada.id, { defaultProjectId: null });
      expect(await services.agents.get(acme.id, ada.id)).toMatchObject({ default_project_id: null });
    });

    test('a process that was not told of the root says so, and not that there is no code', async () => {
      const { acme, agent, services } = bed();
      const project = disk.project(acme.id, 'Told');
      const folder = disk.folder('told', { 'a.ts': 'export const here = 1;' });
      const tools = ['corvid_code_symbols', 'corvid_find_references', 'corvid_create_work_task'] as const;
      const ada = await agent(acme.owner.caller, { tools: [...tools], defaultProjectId: project });
      const refusals = async (settings: AgentHost['settings']) => {
        const client = await clientWith(bed(), ada.caller, settings);
        return [
          await client.attempt('corvid_code_symbols', { query: 'here' }),
          await client.attempt('corvid_find_references', { symbol_name: 'here', project_dir: project }),
          await client.attempt('corvid_create_work_task', { description: 'x' }),
        ];
      };
      const each = (words: string) =>
        tools.map(() => ({ ok: false, code: 'no_project', message: expect.stringContaining(words) }));
      const { settings } = disk.parts;
      const untold = { ...settings, projectRoots: [] };
      expect(await refusals(untold)).toMatchObject(each('has no code folder'));
      await services.projects.setCode(acme.owner.caller, project, { folder });
      expect(await refusals(untold)).toMatchObject(
        each(
          'The code of the project Told lies outside what this process may read. Start it with --project-root',
        ),
      );
      rmSync(folder, { recursive: true });
      expect(await refusals(settings)).toMatchObject(each('The code folder of the project Told is gone.'));
    });

    test('a folder is taken below the roots alone, by its real path, and never from the data folder', async () => {
      const { acme, rival, services } = bed();
      const project = disk.project(acme.id, 'Placed');
      const foreign = disk.project(rival.id, 'Elsewhere');
      const set = (folder: string) =>
        services.projects.setCode(acme.owner.caller, project, { folder, check: ' npm test ' });
      const inside = disk.folder('placed');
      symlinkSync('/etc', join(disk.root, 'leads-out'));
      mkdirSync(join(disk.dataDir, 'inner'));
      const refused = { code: 'invalid', message: expect.stringContaining('--project-root') };
      for (const folder of [
        '/etc',
        '/no/such/folder',
        join(disk.root, 'leads-out'),
        join(disk.root, 'absent'),
        join(disk.root, '..', 'data', 'inner'),
        'placed',
        `${inside}\0x`,
      ])
        await expect(set(folder)).rejects.toMatchObject(refused);
      expect(await set(inside)).toEqual({ folder: inside, check: 'npm test', install: null });
      await expect(
        services.projects.setCode(acme.owner.caller, foreign, { folder: inside }),
      ).rejects.toMatchObject({ code: 'not_found', message: 'Project not found' });
      expect(await services.projects.removeCode(rival.owner.caller, project)).toBe(false);
      expect(await services.projects.removeCode(acme.owner.caller, project)).toBe(true);
    });
  },
  () => {
    const disk = projectBed();
    disks.push(disk);
    return { parts: disk.parts };
  },
);

onBothBeds(
  'projects without a root',
  (bed) => {
    test('no folder can be set, and the error names the option', async () => {
      const { acme, services } = bed();
      await expect(
        services.projects.setCode(acme.owner.caller, 'proj_any', { folder: '/tmp' }),
      ).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/This process .*--project-root/),
      });
    }, 5000);
  },
  () => {
    const disk = projectBed();
    disks.push(disk);
    const projects = {
      list: async () => [],
      get: async () => ({ id: 'proj_any', name: '', description: null }),
    };
    return { parts: { ...disk.parts, projects, settings: { ...disk.parts.settings, projectRoots: [] } } };
  },
);
