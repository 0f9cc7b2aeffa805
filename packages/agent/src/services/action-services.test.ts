/** What schedules and workflows may do with the other nouns: no more than the agent that began them. */
import { afterAll, expect, test } from 'vitest';
import { onOneBed } from '../../test/agent-bed.ts';
import { projectBed } from '../../test/project-bed.ts';
import type { RunRequest } from '../adapters/runner/runner.ts';
import { actingOf } from '../session.ts';
import { createActionServices } from './action-services.ts';

const code = projectBed();
afterAll(() => code.remove());
const asked: RunRequest[] = [];

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
  },
  () => ({
    parts: code.parts,
    services: {
      runner: {
        async run(request) {
          asked.push(request);
          return { status: 'completed', text: 'Done' };
        },
      },
    },
  }),
);
