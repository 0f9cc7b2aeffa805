/** Work tasks: one at a time in a project, on branches that stay, in worktrees that go. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { onBothBeds } from '../../../test/agent-bed.ts';
import type { AgentBed } from '../../../test/agent-bed.ts';
import type { ProjectBed } from '../../../test/project-bed.ts';
import { projectBed } from '../../../test/project-bed.ts';
import type { RunRequest, Runner, RunResult } from '../../adapters/runner/runner.ts';
import type { ProjectCode } from '../projects/projects.ts';
import type { WorkTables, WorkTaskRow } from './schema.ts';

const CREATE = 'corvid_create_work_task';
const disks: ProjectBed[] = [];
afterAll(() => {
  for (const disk of disks) disk.remove();
});

function newDisk(): ProjectBed {
  const disk = projectBed();
  disks.push(disk);
  return disk;
}

const done: RunResult = { status: 'completed', text: 'Done.' };

/** A repository with one commit. */
function repository(disk: ProjectBed, name: string): string {
  const folder = disk.folder(name, { 'README.md': 'Read me.\n' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t.invalid', '-C', folder, ...args]);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=First');
  return folder;
}

const gitIn = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();

async function settled(
  { services }: AgentBed,
  worker: { organizationId: string; agentId: string },
  id: string,
) {
  const ends = new Set(['completed', 'failed', 'cancelled']);
  await vi.waitFor(
    async () => {
      const { status } = (await services.work!.get(worker, id))!;
      if (!ends.has(status)) throw new Error(`It is ${status}.`);
    },
    { timeout: 20_000, interval: 20 },
  );
  return (await services.work!.get(worker, id))!;
}

/** A project with code and an agent that has it. */
async function worker(bed: AgentBed, disk: ProjectBed, code: Partial<ProjectCode> = {}) {
  const { acme, agent, client, services } = bed;
  const project = disk.project(acme.id);
  const folder = repository(disk, project);
  await services.projects.setCode(acme.owner.caller, project, { folder, ...code });
  const made = await agent(acme.owner.caller, { defaultProjectId: project });
  const who = { organizationId: acme.id, agentId: made.id };
  return { project, folder, made, who, tools: await client(made.caller) };
}

const isGone = (disk: ProjectBed, id: string) => !existsSync(join(disk.dataDir, 'work', id));

let run: Runner['run'] = async () => done;

onBothBeds(
  'work tasks with a runner',
  (bed, _replica, once) => {
    const disk = disks.at(-1)!;

    test('check 44: a second one waits; the branch stays, the worktree goes', async () => {
      const { tools, folder, made, who } = await worker(bed(), disk);
      const [held, began] = [Promise.withResolvers<void>(), Promise.withResolvers<RunRequest>()];
      run = async (request) => {
        began.resolve(request);
        await held.promise;
        writeFileSync(join(request.cwd!, 'made.txt'), request.prompt);
        return done;
      };
      const first = await tools.call(CREATE, { description: 'Mend: the "door"; now' });
      const second = await tools.call(CREATE, { description: 'Paint it' });
      expect(first.queue_position).toBe(0);
      expect(second).toMatchObject({ status: 'pending', branch: null, queue_position: 1 });
      const { cwd, ...request } = await began.promise;
      expect(request).toMatchObject({
        kind: 'work_task',
        agent: { id: made.id, organizationId: who.organizationId },
        prompt: 'Mend: the "door"; now',
        depth: 1,
        unattended: false,
      });
      expect(cwd).toBe(join(disk.dataDir, 'work', first.task_id));
      expect(existsSync(join(cwd!, 'README.md'))).toBe(true);
      expect((await bed().services.work!.get(who, second.task_id))?.status).toBe('pending');
      held.resolve();
      const ended = await settled(bed(), who, first.task_id);
      expect(ended).toMatchObject({ status: 'completed', iterations: 1, reply: 'Done.', error: null });
      expect(ended.branch).toMatch(/^agent\/agent-\d+\/mend-the-door-now-[a-z0-9]+-[a-z0-9]{6}$/);
      expect(gitIn(folder, 'show', `${ended.branch}:made.txt`)).toBe('Mend: the "door"; now');
      expect(gitIn(folder, 'log', '-1', '--format=%an <%ae>', ended.branch!)).toBe(
        `${made.name} <${made.id}@agents.invalid>`,
      );
      expect(isGone(disk, first.task_id)).toBe(true);
      const other = await settled(bed(), who, second.task_id);
      expect(other.status).toBe('completed');
      expect(isGone(disk, second.task_id)).toBe(true);
      expect(gitIn(folder, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
      expect(gitIn(folder, 'symbolic-ref', '--short', 'HEAD')).toBe('main');
    });

    once('the check decides, for three rounds, and says to the next one what failed', async () => {
      const { tools, who, folder } = await worker(bed(), disk, {
        check: 'echo said; cat rounds && test -e ok',
      });
      const prompts: string[] = [];
      run = async ({ cwd, prompt }) => {
        prompts.push(prompt);
        writeFileSync(join(cwd!, 'rounds'), `${prompts.length}`);
        if (prompts.length === 3) writeFileSync(join(cwd!, 'ok'), '');
        return done;
      };
      const { task_id } = await tools.call(CREATE, { description: 'Try' });
      expect(await settled(bed(), who, task_id)).toMatchObject({ status: 'completed', iterations: 3 });
      expect(prompts[0]).toBe('Try');
      expect(prompts[1]).toContain('The check failed: said\n1');
      run = async ({ cwd }) => {
        writeFileSync(join(cwd!, 'rounds'), 'never');
        return done;
      };
      const failing = await tools.call(CREATE, { description: 'Fail' });
      const failed = await settled(bed(), who, failing.task_id);
      expect(failed).toMatchObject({ status: 'failed', iterations: 3 });
      expect(failed.error).toContain('said\nnever');
      expect(gitIn(folder, 'show', `${failed.branch}:rounds`)).toBe('never');
      expect(isGone(disk, failing.task_id)).toBe(true);
    });

    once(
      'commands get what they need of the environment and no secret; dependencies bring no scripts',
      async () => {
        process.env['PARLEY_SECRET_KEY_OF_A_TEST'] = 'hush';
        const { tools, who } = await worker(bed(), disk, {
          install: 'test "$npm_config_ignore_scripts" = true && touch installed',
          check: 'env; test ! -e installed',
        });
        run = async () => done;
        const { task_id } = await tools.call(CREATE, { description: 'Look' });
        const { error } = await settled(bed(), who, task_id);
        expect(error).toContain('PATH=');
        expect(error).not.toMatch(/PARLEY|hush|npm_config/);
      },
    );

    once('a runner that fails ends the work, a cancel ends the runner, and the next one begins', async () => {
      const { tools, who } = await worker(bed(), disk);
      run = async () => ({ status: 'timeout', text: 'slow' });
      const late = await tools.call(CREATE, { description: 'Late' });
      expect((await settled(bed(), who, late.task_id)).error).toBe(
        'The runner did not finish (timeout): slow',
      );
      const began = Promise.withResolvers<void>();
      run = ({ signal }) =>
        new Promise((_resolve, reject) => {
          began.resolve();
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      const held = await tools.call(CREATE, { description: 'Held' });
      await began.promise;
      run = async () => done;
      const next = await tools.call(CREATE, { description: 'Next' });
      expect(next.queue_position).toBe(1);
      expect(await bed().services.work!.cancel(who, held.task_id)).toMatchObject({ status: 'cancelled' });
      expect((await settled(bed(), who, next.task_id)).status).toBe('completed');
      await vi.waitFor(() => expect(isGone(disk, held.task_id)).toBe(true), { timeout: 10_000 });
      await expect(bed().services.work!.cancel(who, held.task_id)).rejects.toMatchObject({
        code: 'conflict',
      });
    });

    once('a folder without a repository fails the work and says what to do', async () => {
      const { acme, services } = bed();
      const { tools, who, project } = await worker(bed(), disk);
      const folder = disk.folder(`${project}-plain`);
      await services.projects.setCode(acme.owner.caller, project, { folder });
      const { task_id } = await tools.call(CREATE, { description: 'x' });
      expect((await settled(bed(), who, task_id)).error).toContain('not the top of a git repository');
    });

    test('check 44: the 101st of a UTC day is daily_cap, and the next day has its own', async () => {
      const { store, clock } = bed();
      const { tools, who, project } = await worker(bed(), disk);
      run = async () => done;
      const one = await tools.call(CREATE, { description: 'One' });
      await settled(bed(), who, one.task_id);
      const row = await store
        .db<WorkTables>()
        .selectFrom('work_tasks')
        .selectAll()
        .where('id', '=', one.task_id)
        .executeTakeFirstOrThrow();
      const more = Array.from({ length: 98 }, (_, at): WorkTaskRow => ({ ...row, id: `${row.id}_${at}` }));
      await store.db<WorkTables>().insertInto('work_tasks').values(more).execute();
      const results = await Promise.all([
        tools.attempt(CREATE, { description: 'The 100th' }),
        tools.attempt(CREATE, { description: 'The 101st' }),
      ]);
      expect(results.map((result) => (result.ok ? 'ok' : result.code)).toSorted()).toEqual([
        'daily_cap',
        'ok',
      ]);
      clock.nowMs += 24 * 3_600_000;
      expect((await tools.call(CREATE, { description: 'Tomorrow' })).task_id).toMatch(/^work_/);
      expect(project).toBeDefined();
    });

    test('a project out of reach is forbidden, whoever has it; without one there is no_project', async () => {
      const { acme, rival, agent, client } = bed();
      const { tools } = await worker(bed(), disk);
      const answers = new Set<string>();
      for (const project_id of [disk.project(acme.id), disk.project(rival.id), 'proj_random'])
        answers.add(JSON.stringify(await tools.attempt(CREATE, { description: 'x', project_id })));
      expect([...answers]).toHaveLength(1);
      expect([...answers][0]).toContain('"code":"forbidden"');
      const bare = await client((await agent(acme.owner.caller)).caller);
      const unset = await client(
        (await agent(acme.owner.caller, { defaultProjectId: disk.project(acme.id) })).caller,
      );
      for (const one of [bare, unset])
        await expect(one.call(CREATE, { description: 'x' })).rejects.toMatchObject({ code: 'no_project' });
      await expect(tools.call(CREATE, { description: ' ' })).rejects.toThrow('description');
      // Whoever asks for work by a message is told of the one that would do it.
      const lazy = await agent(acme.owner.caller);
      const asked = { to_agent: lazy.id, message: '[WORK] Mend it.' };
      expect(await tools.attempt('corvid_send_message', asked)).toMatchObject({
        code: 'no_project',
        message: `${lazy.name} has no default project with code. Its owner sets one.`,
      });
    });
  },
  () => {
    const disk = newDisk();
    return { parts: disk.parts, events: {}, services: { runner: { run: (request) => run(request) } } };
  },
);

onBothBeds(
  'work tasks without a runner',
  (bed) => {
    const disk = disks.at(-1)!;

    const offeredTo = async (who: { organizationId: string; agentId: string }) => {
      await vi.waitFor(
        async () => {
          expect(await bed().services.work!.offered(who)).toHaveLength(1);
        },
        { timeout: 20_000, interval: 20 },
      );
      return (await bed().services.work!.offered(who))[0]!;
    };

    test('work is offered, claimed for a minute, offered again, and answered once', async () => {
      const { services, clock, acme, agent } = bed();
      const work = services.work!;
      const { tools, who, folder } = await worker(bed(), disk, { check: 'test -e ok' });
      const { task_id } = await tools.call(CREATE, { description: 'By hand' });
      expect(await offeredTo(who)).toMatchObject({ id: task_id, status: 'running' });
      const read = async () => {
        const { contents } = await tools.raw.readResource({ uri: 'agent://work' });
        return JSON.parse((contents[0] as { text: string }).text) as { tasks: { task_id: string }[] };
      };
      expect((await read()).tasks.map(({ task_id: id }) => id)).toEqual([task_id]);
      const other = { ...who, agentId: (await agent(acme.owner.caller)).id };
      const unknown = { code: 'not_found', message: 'Work task not found' };
      for (const [whose, id] of [
        [other, task_id],
        [{ ...who, organizationId: 'org_other' }, task_id],
        [who, 'work_random'],
      ] as const)
        await expect(work.claim(whose, id)).rejects.toMatchObject(unknown);
      const first = await work.claim(who, task_id);
      expect(first).toMatchObject({ prompt: 'By hand', leaseUntil: clock.nowMs + 60_000 });
      expect((await read()).tasks).toEqual([]);
      await expect(work.claim(who, task_id)).rejects.toMatchObject({ code: 'conflict' });
      await expect(work.claim(who, task_id, 'made-up')).rejects.toMatchObject({ code: 'conflict' });
      clock.nowMs += 30_000;
      expect((await work.claim(who, task_id, first.claim)).leaseUntil).toBe(clock.nowMs + 60_000);
      clock.nowMs += 60_001;
      expect((await read()).tasks).toHaveLength(1);
      const second = await work.claim(who, task_id);
      await expect(work.reply(who, task_id, first.claim, 'Late.')).rejects.toMatchObject({
        code: 'conflict',
      });
      await work.reply(who, task_id, second.claim, 'Not yet right.');
      await expect(work.reply(who, task_id, second.claim, 'Twice.')).rejects.toMatchObject({
        code: 'conflict',
      });
      const again = await offeredTo(who);
      expect(again).toMatchObject({ iterations: 1, error: expect.stringContaining('The check failed') });
      const third = await work.claim(who, task_id);
      expect(third.prompt).toContain('The check failed');
      writeFileSync(join(third.folder, 'ok'), '');
      await work.reply(who, task_id, third.claim, 'Right.');
      const ended = await settled(bed(), who, task_id);
      expect(ended).toMatchObject({ status: 'completed', iterations: 2, reply: 'Right.' });
      expect(gitIn(folder, 'ls-tree', '--name-only', ended.branch!)).toContain('ok');
      expect(isGone(disk, task_id)).toBe(true);
    });

    test('work that is given up or cancelled keeps what was done and lets the next one begin', async () => {
      const work = bed().services.work!;
      const { tools, who, folder } = await worker(bed(), disk);
      const given = await tools.call(CREATE, { description: 'Given up' });
      const next = await tools.call(CREATE, { description: 'Next' });
      await offeredTo(who);
      const { claim, folder: cwd } = await work.claim(who, given.task_id);
      writeFileSync(join(cwd, 'half'), 'done');
      const failed = await work.fail(who, given.task_id, claim, 'Too hard.');
      expect(failed).toMatchObject({ status: 'failed', error: 'Too hard.' });
      expect(gitIn(folder, 'show', `${failed.branch}:half`)).toBe('done');
      expect(isGone(disk, given.task_id)).toBe(true);
      expect((await offeredTo(who)).id).toBe(next.task_id);
      expect((await work.cancel(who, next.task_id)).status).toBe('cancelled');
      expect(isGone(disk, next.task_id)).toBe(true);
    });

    test('a start removes what a crash left, and goes on with what it held up', async () => {
      const { services, store } = bed();
      const work = services.work!;
      const { tools, who, folder } = await worker(bed(), disk);
      const { task_id } = await tools.call(CREATE, { description: 'Crashed' });
      await offeredTo(who);
      const waiting = await tools.call(CREATE, { description: 'Waiting' });
      // As if the server had ended between the end of the work and that of its folder.
      await store
        .db<WorkTables>()
        .updateTable('work_tasks')
        .set({ status: 'completed' })
        .where('id', '=', task_id)
        .execute();
      const unknown = join(disk.dataDir, 'work', 'work_unknown');
      mkdirSync(unknown);
      const open = (await services.work!.list(who)).find(({ id }) => id === waiting.task_id);
      expect(open?.status).toBe('pending');
      await work.recover();
      expect(isGone(disk, task_id)).toBe(true);
      expect(existsSync(unknown)).toBe(false);
      expect((await offeredTo(who)).id).toBe(waiting.task_id);
      const left = join(disk.dataDir, 'work', waiting.task_id);
      expect(readdirSync(left)).toContain('README.md');
      rmSync(left, { recursive: true });
      mkdirSync(left);
      expect(readdirSync((await work.claim(who, waiting.task_id)).folder)).toContain('README.md');
      expect(gitIn(folder, 'branch', '--list', 'agent/*').split('\n')).toHaveLength(2);
    });
  },
  () => {
    const disk = newDisk();
    return { parts: disk.parts, events: {} };
  },
);

onBothBeds(
  'work tasks and code that are switched off',
  (bed) => {
    test('their tools are not there', async () => {
      const { acme, agent, client } = bed();
      const tools = await client((await agent(acme.owner.caller)).caller);
      const names = await tools.toolNames();
      expect(names).toContain('corvid_list_projects');
      for (const name of [CREATE, 'corvid_code_symbols', 'corvid_find_references']) {
        expect(names).not.toContain(name);
        await expect(tools.raw.callTool({ name, arguments: {} })).rejects.toThrow(/unknown tool/i);
      }
    });
  },
  () => {
    const disk = newDisk();
    const settings = { ...disk.parts.settings, workTasks: 'off', codeIndex: 'off' };
    return { parts: { ...disk.parts, settings } };
  },
);
