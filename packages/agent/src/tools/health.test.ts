/** Health of projects: what people report, what is counted in files, and the trend that agents see. */
import { afterAll, expect, test } from 'vitest';
import type { AgentBed } from '../../test/agent-bed.ts';
import { onBothBeds } from '../../test/agent-bed.ts';
import { projectBed } from '../../test/project-bed.ts';
import { servedUntilEnd } from '../../test/rest-server.ts';

const TRENDS = 'corvid_check_health_trends';
const code = projectBed();
afterAll(() => code.remove());

async function member({ acme, agent, client }: AgentBed, more = {}) {
  const made = await agent(acme.member.caller, more);
  return { ...made, client: await client(made.caller) };
}

onBothBeds(
  'health of projects',
  (bed) => {
    test('health is reported by people, and agents see where it goes', async () => {
      const project = code.project(bed().acme.id);
      const { client, key } = await member(bed(), { defaultProjectId: project });
      const outsider = await member(bed());
      const { acme, rival, clock } = bed();
      const ask = await servedUntilEnd(bed());
      const path = `/api/projects/${project}/health-snapshots`;
      expect(await client.call(TRENDS, { project_id: project })).toMatchObject({
        snapshot: null,
        trends: { todo: 'unknown' },
        snapshots_used: 0,
      });
      const reports = [
        { todo: 10, fixme: 1, hack: 0, type_errors: 100, large_files: 3, agent_id: outsider.id },
        { todo: 10, fixme: 2, hack: 0, type_errors: 100, large_files: null },
        { todo: 5, fixme: 3, hack: 0, type_errors: 109 },
      ];
      for (const report of reports) {
        clock.nowMs += 1000;
        expect((await ask(acme.member.key, 'POST', path, report)).status).toBe(201);
      }
      const seen = await client.call(TRENDS, { project_id: project });
      expect(seen).toMatchObject({
        snapshot: { project_id: project, agent_id: null, todo: 5, test_failures: null },
        trends: {
          todo: 'improving',
          fixme: 'regressing',
          hack: 'stable',
          type_errors: 'stable',
          large_files: 'unknown',
          outdated_deps: 'unknown',
        },
        snapshots_used: 3,
      });
      expect(await client.call(TRENDS, { project_id: project, limit: 2 })).toMatchObject({
        snapshots_used: 2,
      });
      expect(await client.call(TRENDS, { project_id: project, agent_id: outsider.id })).toMatchObject({
        snapshot: { agent_id: outsider.id },
        snapshots_used: 1,
      });
      const unknown = await outsider.client.attempt(TRENDS, { project_id: 'prj_unknown' });
      expect(unknown).toMatchObject({ code: 'not_found' });
      expect(await outsider.client.attempt(TRENDS, { project_id: project })).toEqual(unknown);
      for (const limit of [1, 101])
        expect(await client.attempt(TRENDS, { project_id: project, limit })).toMatchObject({
          code: 'invalid',
        });
      for (const report of [{ todo: -1 }, { todo: 1.5 }, { bugs: 1 }])
        expect((await ask(acme.member.key, 'POST', path, report)).status).toBe(400);
      expect((await ask(key, 'POST', path, {})).status).toBe(403);
      expect((await ask(acme.member.key, 'POST', path, { agent_id: 'agt_unknown' })).status).toBe(404);
      const nowhere = await ask(acme.member.key, 'POST', '/api/projects/prj_unknown/health-snapshots', {});
      const foreign = await ask(rival.owner.key, 'POST', path, {});
      expect([foreign.status, foreign.text]).toEqual([404, nowhere.text]);
    });

    test('what a report leaves out is counted in the files, where there are any', async () => {
      const { acme, services } = bed();
      const project = code.project(acme.id);
      const { client } = await member(bed(), { defaultProjectId: project });
      const folder = code.folder('counted', {
        'a.ts': '// TODO one\n// TODOS are not it, nor is todo\n/* FIXME: two, FIXME */\n',
        'b/notes.md': 'A HACK, a HACK.\n',
        'long.txt': 'line\n'.repeat(501),
        'short.txt': 'line\n'.repeat(500),
        'node_modules/x.js': '// TODO of somebody else',
      });
      await services.projects.setCode(acme.owner.caller, project, { folder });
      await services.health.report(acme.id, project, { fixme: 9, type_errors: 2 });
      expect(await client.call(TRENDS, { project_id: project })).toMatchObject({
        snapshot: { todo: 1, fixme: 9, hack: 2, large_files: 1, type_errors: 2, test_failures: null },
      });
    });
  },
  () => ({ parts: code.parts }),
);
