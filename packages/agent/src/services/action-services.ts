/** What schedules and workflows do their work with: the other nouns of this toolset, in the words of actions. */
import { ToolError } from '@parley/kit';
import { repoName } from '../tools/github-shapes.ts';
import type { Agents } from './agents.ts';
import type { Memories } from './memories/memories.ts';
import type { Messages } from './messages/messages.ts';
import type { Outside } from './outside/index.ts';
import type { Projects, Reaching } from './projects/projects.ts';
import type { Reputation } from './reputation/reputation.ts';
import type { Runs } from './runs.ts';
import type { ActionServices } from './schedules/actions.ts';
import type { WorkTask, WorkTasks } from './work/work-tasks.ts';

export interface ActionParts {
  readonly agents: Pick<Agents, 'get'>;
  readonly memories: Memories;
  readonly messages: Messages;
  readonly outside: Pick<Outside, 'github'>;
  readonly projects: Pick<Projects, 'reachedBy'>;
  readonly reputation: Reputation;
  readonly runs: Runs;
  /** Undefined: work tasks are switched off. */
  readonly work: WorkTasks | undefined;
}

export function createActionServices(parts: ActionParts): ActionServices {
  const { agents, memories, messages, outside, projects, reputation, runs, work } = parts;
  const reaches = async (who: Reaching, projectId: string) =>
    (await projects.reachedBy(who)).some(({ id }) => id === projectId);
  return {
    github: {
      async star(acting, repo, signal) {
        const name = repoName(repo);
        await (await outside.github.writing(acting, name)).star(name, signal);
      },
      async fork(acting, repo, signal) {
        const name = repoName(repo);
        return (await (await outside.github.writing(acting, name)).fork(name, undefined, signal)).full_name;
      },
    },
    workTasks: work && {
      create: (acting, wanted) => work.create(acting, wanted),
      async state(acting, id) {
        const task = await work.get(acting, id);
        if (task === undefined) throw new ToolError('not_found', 'Work task not found');
        return stateOf(task);
      },
    },
    messages: {
      async send(acting, { to, text, thread, key }, signal) {
        // An execution begins when everybody agreed whose word its actions need.
        const sent = await messages.send(acting, { to, text, thread, callId: key, isApproved: true });
        return messages.follow(acting, sent, signal);
      },
    },
    runner: runs.runner && {
      async run(acting, { agentId = acting.agentId, prompt, projectId, timeoutMs }, signal) {
        const { organizationId } = acting;
        const agent = await agents.get(organizationId, agentId);
        if (agent === undefined) throw new ToolError('not_found', 'Agent not found');
        // A session in a project has its bundles, so both who asks and who is run must reach it.
        for (const id of new Set([acting.agentId, agentId]))
          if (projectId !== undefined && !(await reaches({ organizationId, agentId: id }, projectId)))
            throw new ToolError('forbidden', 'project_id: the agent does not reach this project');
        const { status, text, sessionId } = await runs.run({
          kind: 'schedule',
          agent: { id: agent.id, name: agent.name, organizationId: acting.organizationId },
          prompt,
          history: [],
          projectId,
          depth: acting.depth,
          unattended: acting.unattended,
          timeoutMs,
          signal,
        });
        if (status !== 'completed') throw new ToolError('runner_failed', `The run ended: ${status}`);
        return { text, sessionId };
      },
    },
    memory: {
      async maintain(acting) {
        return `Archived ${await memories.maintain(acting)} memories.`;
      },
    },
    reputation: {
      async attest(acting) {
        const { seq, counted } = await reputation.publish(acting);
        return `Attested as entry ${seq}${counted ? '' : ', which does not count again today'}.`;
      },
    },
  };
}

const OVER: ReadonlySet<string> = new Set<WorkTask['status']>(['completed', 'failed', 'cancelled']);

function stateOf({ status, branch, error, reply }: WorkTask) {
  const where = branch === null ? status : `${status} on ${branch}`;
  return {
    status,
    isOver: OVER.has(status),
    isCompleted: status === 'completed',
    // The reason comes first: what shows it may cut the end.
    text: `${error === null ? where : `${error} (${where})`}${reply === null ? '' : `. ${reply}`}`,
  };
}
