/** Over HTTP: owners set the code of projects, and an agent's key reaches its own work and nothing else. */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { detach } from '@parley/kit';
import { afterAll, expect, test, vi } from 'vitest';
import type { AgentBed } from '../../test/agent-bed.ts';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { ProjectBed } from '../../test/project-bed.ts';
import { projectBed } from '../../test/project-bed.ts';
import { createAgentRoutes } from './index.ts';

const disks: ProjectBed[] = [];
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
  for (const disk of disks) disk.remove();
});

/** An answer, with what most of these have in it. */
interface Answered {
  readonly status: number;
  readonly data: { readonly data: { readonly tasks: unknown[]; readonly claim: string } };
}

type Ask = (key: string, method: string, path: string, body?: object) => Promise<Answered>;

async function served({ services, host }: AgentBed): Promise<Ask> {
  const sets = createAgentRoutes(services, host);
  const server = createServer((req, res) => {
    const set = sets.find(({ prefix }) => req.url?.startsWith(prefix));
    if (set !== undefined) detach(set.handle(req, res), () => res.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(
    () => new Promise((resolve) => server.close(resolve)),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  return async (key, method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, data: (text === '' ? {} : JSON.parse(text)) as Answered['data'] };
  };
}

onBothBeds(
  'the code of projects and work over HTTP',
  (bed) => {
    const disk = disks.at(-1)!;

    test('from the folder of a project to finished work', async () => {
      const { acme, rival, agent, client } = bed();
      const ask = await served(bed());
      const project = disk.project(acme.id);
      const folder = disk.folder(project, { 'README.md': 'x' });
      execFileSync(
        'sh',
        ['-c', 'git init -q && git add . && git -c user.name=T -c user.email=t@t.invalid commit -qm First'],
        { cwd: folder },
      );
      const ada = await agent(acme.owner.caller, { name: 'Ada', defaultProjectId: null });
      const bob = await agent(acme.owner.caller, { name: 'Bob' });
      const owner = acme.owner.key;
      const code = `/api/projects/${project}/code`;
      for (const key of [acme.admin.key, acme.member.key, ada.key]) {
        expect((await ask(key, 'PUT', code, { folder })).status).toBe(403);
        expect((await ask(key, 'GET', '/api/projects')).status).toBe(403);
        expect((await ask(key, 'DELETE', code)).status).toBe(403);
      }
      expect((await ask('wrong', 'PUT', code, { folder })).status).toBe(401);
      expect((await ask(rival.owner.key, 'PUT', code, { folder })).status).toBe(404);
      expect((await ask(owner, 'PUT', code, { folder: '/etc' })).status).toBe(400);
      expect((await ask(owner, 'PUT', code, { folder, shell: 'x' })).status).toBe(400);
      expect(await ask(owner, 'PUT', code, { folder })).toMatchObject({
        status: 200,
        data: { data: { folder, check: null, install: null } },
      });
      const reach = `/api/agents/${ada.id}/projects/${project}`;
      expect((await ask(ada.key, 'PUT', reach)).status).toBe(403);
      expect((await ask(rival.owner.key, 'PUT', reach)).status).toBe(404);
      expect((await ask(acme.member.key, 'PUT', reach)).status).toBe(204);
      const tools = await client(ada.caller);
      const { task_id: id } = await tools.call('corvid_create_work_task', {
        description: 'Do it',
        project_id: project,
      });
      const work = `/api/agents/${ada.id}/work`;
      await vi.waitFor(
        async () => {
          const { data } = await ask(ada.key, 'GET', work);
          expect(data.data.tasks).toMatchObject([{ task_id: id, status: 'running' }]);
        },
        { timeout: 20_000 },
      );
      const unknown = await ask(ada.key, 'POST', `${work}/work_random/claim`, {});
      expect(unknown.status).toBe(404);
      for (const [key, path] of [
        [bob.key, `${work}/${id}/claim`],
        [bob.key, `/api/agents/${bob.id}/work/${id}/claim`],
        [rival.owner.key, `${work}/${id}/claim`],
      ] as const)
        expect(await ask(key, 'POST', path, {})).toEqual(unknown);
      const { status, data } = await ask(ada.key, 'POST', `${work}/${id}/claim`, {});
      expect({ status, data }).toMatchObject({ status: 200, data: { data: { prompt: 'Do it' } } });
      const { claim } = data.data;
      expect((await ask(ada.key, 'POST', `${work}/${id}/claim`, {})).status).toBe(409);
      expect((await ask(ada.key, 'POST', `${work}/${id}/claim`, { claim })).status).toBe(200);
      const reply = { claim, text: 'Done.' };
      expect((await ask(bob.key, 'POST', `${work}/${id}/reply`, reply)).status).toBe(404);
      expect((await ask(ada.key, 'POST', `${work}/${id}/reply`, reply)).status).toBe(200);
      expect((await ask(ada.key, 'POST', `${work}/${id}/fail`, { claim, error: 'x' })).status).toBe(409);
      await vi.waitFor(
        async () => {
          const { data: listed } = await ask(acme.member.key, 'GET', work);
          expect(listed.data.tasks).toMatchObject([{ status: 'completed', reply: 'Done.' }]);
        },
        { timeout: 20_000 },
      );
      expect((await ask(acme.member.key, 'POST', `${work}/${id}/cancel`)).status).toBe(409);
      expect((await ask(acme.member.key, 'DELETE', reach)).status).toBe(204);
      expect((await ask(acme.member.key, 'DELETE', reach)).status).toBe(404);
    });
  },
  () => {
    const disk = projectBed();
    disks.push(disk);
    return { parts: disk.parts, events: {} };
  },
);
