/** Work that another process takes over: it goes on in that one's own data folder, and is not spoiled by the first. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { onOneBed } from '../../../test/agent-bed.ts';
import type { ProjectBed } from '../../../test/project-bed.ts';
import { projectBed } from '../../../test/project-bed.ts';
import { servicesBeside } from '../../../test/services-beside.ts';
import type { RunRequest, RunResult } from '../../adapters/runner/runner.ts';
import type { WorkTables } from './schema.ts';
import { createWorktrees } from './worktrees.ts';

const CREATE = 'corvid_create_work_task';
const disks: ProjectBed[] = [];
afterAll(() => {
  for (const disk of disks) disk.remove();
});

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t.invalid', '-C', folder, ...args], {
    encoding: 'utf8',
  }).trim();

interface Run {
  readonly cwd: string;
  readonly end: (result: RunResult) => void;
}
const runs: Run[] = [];
const runner = {
  run({ cwd = '' }: RunRequest): Promise<RunResult> {
    const { promise, resolve } = Promise.withResolvers<RunResult>();
    runs.push({ cwd, end: resolve });
    return promise;
  },
};

onOneBed(
  'work that changes hands',
  (bed) => {
    const worker = async () => {
      const { acme, agent, client, services } = bed();
      const disk = disks.at(-1)!;
      const project = disk.project(acme.id);
      const folder = disk.folder(project, { 'README.md': 'Read me.\n' });
      git(folder, 'init', '--quiet', '--initial-branch=main');
      git(folder, 'add', '.');
      git(folder, 'commit', '--quiet', '--message=First');
      await services.projects.setCode(acme.owner.caller, project, { folder });
      const made = await agent(acme.owner.caller, { defaultProjectId: project });
      const who = { organizationId: acme.id, agentId: made.id };
      return { folder, who, tools: await client(made.caller) };
    };

    test('a process with a data folder of its own goes on, and the first one changes nothing more', async () => {
      const { host, store, services, clock } = bed();
      const { folder, who, tools } = await worker();
      const { task_id: id } = await tools.call(CREATE, { description: 'Change hands' });
      await vi.waitFor(() => expect(runs).toHaveLength(1), { timeout: 10_000 });
      writeFileSync(join(runs[0]!.cwd, 'half.txt'), 'half');
      const dataDir = join(dirname(host.dataDir), 'other');
      mkdirSync(dataDir);
      const now = () => clock.nowMs;
      const other = servicesBeside({ ...host, dataDir }, host.settings, { now, runner });
      await store
        .db<{ tasks: { kind: string; lease_until: number } }>()
        .updateTable('tasks')
        .set({ lease_until: clock.nowMs - 1 })
        .where('kind', '=', 'agent_work')
        .execute();
      other.tasks.start();
      await vi.waitFor(() => expect(runs).toHaveLength(2), { timeout: 15_000 });
      expect(runs[1]!.cwd).toBe(join(dataDir, 'work', id));
      expect(existsSync(runs[0]!.cwd)).toBe(false);
      writeFileSync(join(runs[1]!.cwd, 'whole.txt'), 'whole');
      runs[0]!.end({ status: 'completed', text: 'From the first.' });
      // The first one lets go of its only place when it has noticed, and can do other work.
      const { who: next, tools: others } = await worker();
      const after = await others.call(CREATE, { description: 'Something else' });
      await vi.waitFor(() => expect(runs).toHaveLength(3), { timeout: 15_000 });
      expect(basename(runs[2]!.cwd)).toBe(after.task_id);
      expect(await services.work!.get(who, id)).toMatchObject({ status: 'running', reply: null });
      for (const run of runs.slice(1)) run.end({ status: 'completed', text: 'From the second.' });
      const ended = async (whose: typeof who, task: string) =>
        expect(await services.work!.get(whose, task)).toMatchObject({ status: 'completed', error: null });
      await vi.waitFor(() => ended(who, id), { timeout: 10_000 });
      await vi.waitFor(() => ended(next, after.task_id), { timeout: 10_000 });
      const { branch, reply } = (await services.work!.get(who, id))!;
      expect(reply).toBe('From the second.');
      expect(git(folder, 'ls-tree', '--name-only', branch!).split('\n')).toEqual(['README.md', 'whole.txt']);
      expect(git(folder, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
      await other.tasks.stop();
    }, 60_000);

    test('a data folder that cannot be written to is said', async () => {
      const { folder } = await worker();
      // Not even the superuser makes folders there.
      const worktrees = createWorktrees('/sys', { PATH: process.env['PATH'] ?? '' });
      const place = { taskId: 'work_1', repository: folder, branch: 'agent/a/b' };
      for (const make of [worktrees.ensure, worktrees.look])
        await expect(make(place, AbortSignal.any([]))).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('cannot write to its data folder'),
        });
    });

    test('work that was given up is ended by the upkeep, and the next one begins', async () => {
      const { store, services } = bed();
      const { who, tools } = await worker();
      const before = runs.length;
      const lost = await tools.call(CREATE, { description: 'Lost' });
      await vi.waitFor(() => expect(runs).toHaveLength(before + 1), { timeout: 10_000 });
      const waiting = await tools.call(CREATE, { description: 'Waiting' });
      await store
        .db<WorkTables>()
        .updateTable('work_tasks')
        .set({ task_id: 'task_gone' })
        .where('id', '=', lost.task_id)
        .execute();
      await services.work!.check();
      expect(await services.work!.get(who, lost.task_id)).toMatchObject({
        status: 'failed',
        error: 'The work was interrupted and given up.',
      });
      runs[before]!.end({ status: 'failed', text: '' });
      await vi.waitFor(() => expect(runs).toHaveLength(before + 2), { timeout: 10_000 });
      runs[before + 1]!.end({ status: 'completed', text: 'Done.' });
      const status = async () => (await services.work!.get(who, waiting.task_id))?.status;
      await vi.waitFor(async () => expect(await status()).toBe('completed'), { timeout: 10_000 });
    }, 30_000);
  },
  () => {
    const disk = projectBed();
    disks.push(disk);
    const tasks = { runningPerProcess: 1, takeoverMs: 50 };
    return { parts: disk.parts, events: {}, tasks, services: { runner } };
  },
);
