/** Health by schedule: after a look at a project its state is written down, with what its check says. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@parley/test-support/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onBothBeds } from '../../../test/agent-bed.ts';
import type { ProjectBed } from '../../../test/project-bed.ts';
import { projectBed } from '../../../test/project-bed.ts';
import type { RunResult } from '../../adapters/runner/runner.ts';
import type { ActionType } from './schema.ts';

const disks: ProjectBed[] = [];
afterAll(() => {
  for (const disk of disks) disk.remove();
});

const done: RunResult = { status: 'completed', text: 'Looked.' };
let outcome = done;

onBothBeds(
  'health by schedule',
  (bed) => {
    const disk = disks.at(-1)!;
    const work = join(disk.dataDir, 'work');

    let project = '';
    beforeAll(() => {
      project = disk.project(bed().acme.id);
      const folder = disk.folder(project, { 'a.ts': '// TODO one\n// TODO two\nexport const a = 1;\n' });
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t.invalid', '-C', folder, ...args]);
      git('init', '--quiet', '--initial-branch=main');
      git('add', '.');
      git('commit', '--quiet', '--message=First');
    });

    /** An execution of one action, approved and brought to its end, and the snapshots of its agent then. */
    const seenAfter = async (
      type: ActionType,
      { check = null, isOutside = false }: { check?: string | null; isOutside?: boolean } = {},
    ) => {
      const { acme, agent, client, services } = bed();
      const folder = join(disk.root, project);
      await services.projects.setCode(acme.owner.caller, project, { folder, check });
      const { id: agentId, caller } = await agent(acme.owner.caller, {
        defaultProjectId: isOutside ? null : project,
      });
      const tools = await client(caller);
      const { id: schedule_id = '' } = await tools.call('corvid_manage_schedule', {
        action: 'create',
        name: 'Look',
        interval_minutes: 525_600,
        schedule_actions: [{ type, prompt: 'Look.', project_id: project }],
      });
      const run = await tools.call('corvid_manage_schedule', { action: 'run_now', schedule_id });
      const { executions } = services.schedules;
      const id = run.execution_id ?? '';
      const found = async () =>
        (await executions.list(acme.id, { limit: 200 })).find((execution) => execution.id === id);
      if ((await found())?.status === 'waiting') await executions.approve(acme.owner.caller, id);
      await eventually(async () => expect((await found())?.finished_at).toBeTruthy());
      expect(existsSync(work) ? readdirSync(work) : []).toEqual([]);
      const reader = await client((await agent(acme.owner.caller, { defaultProjectId: project })).caller);
      const asked = { project_id: project, agent_id: agentId };
      return (await reader.call('corvid_check_health_trends', asked)).snapshot;
    };

    test.each([
      ['codebase_review', 'test -f a.ts', 0],
      ['dependency_audit', 'exit 3', 1],
      ['improvement_loop', null, null],
    ] as const)('%s with the check %s takes a snapshot with %s failures', async (type, check, failures) => {
      const snapshot = await seenAfter(type, { check });
      expect(snapshot).toMatchObject({ project_id: project, todo: 2, fixme: 0, test_failures: failures });
    });

    test('no snapshot: of other actions, of a look that failed, of a project out of reach', async () => {
      expect(await seenAfter('custom')).toBeNull();
      expect(await seenAfter('codebase_review', { isOutside: true })).toBeNull();
      outcome = { status: 'failed', text: '' };
      expect(await seenAfter('codebase_review')).toBeNull();
      outcome = done;
    });
  },
  () => {
    const disk = projectBed();
    disks.push(disk);
    return {
      parts: disk.parts,
      services: { runner: { run: async () => outcome } },
      events: {},
      tasks: { takeoverMs: 40 },
    };
  },
);
