/** What schedules and workflows may do with the other nouns: no more than the agent that began them. */
import { afterAll, expect, test } from 'vitest';
import { onOneBed } from '../../test/agent-bed.ts';
import { projectBed } from '../../test/project-bed.ts';
import type { GitHub, RepoName } from '../adapters/github/github.ts';
import type { RunRequest, RunResult } from '../adapters/runner/runner.ts';
import { actingOf } from '../session.ts';
import { createActionServices } from './action-services.ts';
import type { WorkTask } from './work/work-tasks.ts';

const code = projectBed();
afterAll(() => code.remove());
const asked: RunRequest[] = [];
let ends: RunResult['status'] = 'completed';
const told: string[] = [];

/** The two acts that schedules know. */
const recordingGitHub = {
  star: async ({ owner, name }: RepoName) => {
    told.push(`star ${owner}/${name}`);
  },
  fork: async ({ owner, name }: RepoName) => {
    told.push(`fork ${owner}/${name}`);
    return { full_name: `me/${name}` };
  },
  // Nothing else of it is asked for.
} as unknown as GitHub;

onOneBed(
  'what runs of schedules and workflows stand on',
  (bed) => {
    test('an agent is run in a project only when it, and whoever asks, reach it', async () => {
      const { acme, agent, services } = bed();
      const { runner } = createActionServices(services);
      const project = code.project(acme.id);
      const inside = await agent(acme.owner.caller, { defaultProjectId: project });
      const outside = await agent(acme.owner.caller);
      const run = async (as: typeof inside, agentId: string, projectId?: string) => {
        const request = { agentId, prompt: 'x', projectId, timeoutMs: 1000 };
        const work = runner?.run(actingOf(as.caller), request, new AbortController().signal);
        return work?.then(
          () => 'ran',
          ({ code: refused }: { code: string }) => refused,
        );
      };
      expect(await run(inside, inside.id, project)).toBe('ran');
      expect(await run(outside, outside.id, project)).toBe('forbidden');
      expect(await run(outside, inside.id, project)).toBe('forbidden');
      expect(await run(inside, outside.id, project)).toBe('forbidden');
      expect(await run(outside, outside.id, 'proj_unknown')).toBe('forbidden');
      expect(await run(outside, outside.id)).toBe('ran');
      expect(asked.map(({ projectId }) => projectId)).toEqual([project, undefined]);
    });

    test('a run that fails, or of an agent that is not there, is a failure with its reason', async () => {
      const { acme, rival, agent, services } = bed();
      const { runner } = createActionServices(services);
      const [own, strange] = [await agent(acme.owner.caller), await agent(rival.owner.caller)];
      const run = (agentId?: string) =>
        runner?.run(
          actingOf(own.caller),
          { agentId, prompt: 'x', projectId: undefined, timeoutMs: 1000 },
          new AbortController().signal,
        );
      ends = 'failed';
      await expect(run()).rejects.toMatchObject({ code: 'runner_failed' });
      ends = 'completed';
      asked.length = 0;
      for (const id of [strange.id, 'nobody'])
        await expect(run(id)).rejects.toMatchObject({ code: 'not_found', message: 'Agent not found' });
      expect(asked).toEqual([]);
    });

    test('GitHub, memories, reputation and work are those of the agent, and refuse what its tools refuse', async () => {
      const { acme, agent, services } = bed();
      const { github, memory, reputation, workTasks } = createActionServices(services);
      const acting = actingOf((await agent(acme.owner.caller)).caller);
      const signal = new AbortController().signal;
      await github?.star(acting, 'octo/hello', signal);
      expect(await github?.fork(acting, 'octo/hello', signal)).toBe('me/hello');
      await expect(github?.star(acting, 'octo/denied', signal)).rejects.toMatchObject({ code: 'forbidden' });
      expect(told).toEqual(['star octo/hello', 'fork octo/hello']);
      expect(await memory?.maintain(acting, signal)).toBe('Archived 0 memories.');
      expect(await reputation?.attest(acting, signal)).toMatch(/^Attested as entry \d+\.$/);
      expect(await reputation?.attest(acting, signal)).toContain('does not count again today');
      await expect(workTasks?.state(acting, 'work_unknown')).rejects.toMatchObject({ code: 'not_found' });
    });

    test('work that failed says why before anything else', async () => {
      const { acme, agent, services } = bed();
      const acting = actingOf((await agent(acme.owner.caller)).caller);
      // Nothing else of a work task is asked for.
      const failed = { status: 'failed', branch: 'agent/x', error: 'Too hard.', reply: null };
      const work = { ...services.work!, get: async () => failed as unknown as WorkTask };
      const { workTasks } = createActionServices({ ...services, work });
      expect(await workTasks?.state(acting, 'work_1')).toMatchObject({
        isCompleted: false,
        text: 'Too hard. (failed on agent/x)',
      });
    });
  },
  () => ({
    parts: { ...code.parts, settings: { ...code.parts.settings, githubDeny: ['octo/denied'] } },
    services: {
      runner: {
        async run(request) {
          asked.push(request);
          return { status: ends, text: 'Done' };
        },
      },
      outside: { github: recordingGitHub },
    },
  }),
);
