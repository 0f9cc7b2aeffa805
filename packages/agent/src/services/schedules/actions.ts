/** What schedules can do: one entry for each type of action, over the services of the toolset. */
import type { Caller } from '@parley/kit';
import { hiddenByPower, ToolError } from '@parley/kit';
import { REPO } from '../../adapters/github/github.ts';
import { AGENT } from '../../name.ts';
import type { Acting } from '../../session.ts';
import type { ActionType, ScheduleAction, Snapshot } from './schema.ts';

/** What is asked of an agent that a runner runs. */
export interface RunnerRequest {
  /** Who runs; the acting agent by default. */
  readonly agentId?: string | undefined;
  readonly prompt: string;
  readonly projectId?: string | undefined;
  readonly timeoutMs: number;
}

/** How a work task stands. */
export interface WorkTaskState {
  readonly status: string;
  readonly isOver: boolean;
  readonly isCompleted: boolean;
  /** What came of it, in a sentence. */
  readonly text: string;
}

/**
 * What actions and nodes of workflows stand on; a part that is absent makes what needs it `unavailable`. Each call
 * that changes something has a key: the same key again means the same deed, after a crash.
 */
export interface ActionServices {
  readonly github?:
    | {
        star(acting: Acting, repo: string, signal: AbortSignal): Promise<void>;
        /** The full name of the fork. */
        fork(acting: Acting, repo: string, signal: AbortSignal): Promise<string>;
      }
    | undefined;
  readonly workTasks?:
    | {
        create(
          acting: Acting,
          work: {
            readonly description: string;
            readonly projectId?: string | undefined;
            readonly key: string;
          },
          signal: AbortSignal,
        ): Promise<{ readonly id: string }>;
        state(acting: Acting, id: string): Promise<WorkTaskState>;
      }
    | undefined;
  readonly messages?:
    | {
        send(
          acting: Acting,
          message: {
            readonly to: string;
            readonly text: string;
            readonly thread?: string | undefined;
            readonly key: string;
          },
          signal: AbortSignal,
        ): Promise<{ readonly thread: string; readonly status: string; readonly reply?: string | undefined }>;
      }
    | undefined;
  readonly runner?:
    | {
        run(
          acting: Acting,
          request: RunnerRequest,
          signal: AbortSignal,
        ): Promise<{ readonly text: string; readonly sessionId?: string | undefined }>;
      }
    | undefined;
  /** Says what was done. */
  readonly memory?: { maintain(acting: Acting, signal: AbortSignal): Promise<string> } | undefined;
  /** Says what was attested. */
  readonly reputation?: { attest(acting: Acting, signal: AbortSignal): Promise<string> } | undefined;
}

/** What to do about a part that is absent; short, since a history shows the first 100 characters of a result. */
const WITHOUT: Readonly<Record<keyof ActionServices, string>> = {
  github: 'There is no GitHub here. Set PARLEY_GITHUB_TOKEN.',
  workTasks: 'Work tasks are off. Set PARLEY_WORK_TASKS=on.',
  messages: 'Messages are switched off here.',
  runner: 'There is no runner. Set PARLEY_RUNNER=command and PARLEY_RUNNER_COMMAND.',
  memory: 'Memory is switched off here.',
  reputation: 'Reputation is switched off here.',
};

/** The part of a name. */
export function partOf<Part extends keyof ActionServices>(
  services: ActionServices,
  part: Part,
): NonNullable<ActionServices[Part]> {
  const found = services[part];
  if (found === undefined) throw new ToolError('unavailable', WITHOUT[part]);
  return found;
}

/** One deed of an execution. */
export interface Deed {
  readonly acting: Acting;
  readonly action: ScheduleAction;
  readonly snapshot: Snapshot;
  readonly key: string;
  readonly signal: AbortSignal;
}

interface ActionParts {
  readonly services: ActionServices;
  /** The ids of the other agents of the organization. */
  readonly others: (acting: Acting) => Promise<string[]>;
  /** Whether there is a tool of this name. */
  readonly isRegistered: (name: string) => boolean;
}

type Field = 'repos' | 'description' | 'to_agent_id' | 'message' | 'prompt';

interface ActionKind {
  readonly needs: readonly Field[];
  /** What it stands on. */
  readonly part: keyof ActionServices;
  /** The tool whose holder may do the same. */
  readonly tool?: string;
  run(deed: Deed, parts: ActionParts): Promise<string>;
}

/** How long one run of an agent may take. */
const RUN_MS = 30 * 60_000;
const COUNCIL = { least: 2, most: 10 };

/** A type whose work is a prompt for the agent itself. */
const prompting = (
  words: (action: ScheduleAction) => string,
  { needs = [], tool }: { needs?: readonly Field[]; tool?: string } = {},
): ActionKind => ({
  needs,
  part: 'runner',
  ...(tool !== undefined && { tool }),
  async run({ acting, action, snapshot, signal }, { services }) {
    const asked = [words(action), action.prompt, action.description, wokenBy(snapshot)];
    const prompt = [...new Set(asked.filter((text) => text !== undefined))].join('\n\n');
    const request = { prompt, projectId: action.project_id, timeoutMs: RUN_MS };
    const { text } = await partOf(services, 'runner').run(acting, request, signal);
    return text;
  },
});

const reposOf = ({ repos = [] }: ScheduleAction) => repos.join(', ');

/** Every type of action. */
const ACTIONS: Readonly<Record<ActionType, ActionKind>> = {
  star_repo: {
    needs: ['repos'],
    part: 'github',
    tool: 'corvid_github_star_repo',
    async run({ acting, action, signal }, { services }) {
      const github = partOf(services, 'github');
      for (const repo of action.repos ?? []) await github.star(acting, repo, signal);
      return `starred ${reposOf(action)}`;
    },
  },
  fork_repo: {
    needs: ['repos'],
    part: 'github',
    tool: 'corvid_github_fork_repo',
    async run({ acting, action, signal }, { services }) {
      const github = partOf(services, 'github');
      const forks: string[] = [];
      for (const repo of action.repos ?? []) forks.push(await github.fork(acting, repo, signal));
      return `forked to ${forks.join(', ')}`;
    },
  },
  review_prs: prompting((action) => `Review the open pull requests of ${reposOf(action)}.`, {
    needs: ['repos'],
    tool: 'corvid_github_review_pr',
  }),
  work_task: {
    needs: ['description'],
    part: 'workTasks',
    tool: 'corvid_create_work_task',
    async run({ acting, action, snapshot, key, signal }, { services }) {
      const description = [action.description, wokenBy(snapshot)].filter(Boolean).join('\n\n');
      const work = { description, projectId: action.project_id, key };
      const { id } = await partOf(services, 'workTasks').create(acting, work, signal);
      return `created ${id}`;
    },
  },
  council_launch: {
    needs: ['message'],
    part: 'messages',
    tool: 'corvid_send_message',
    async run(deed, parts) {
      const messages = partOf(parts.services, 'messages');
      const council = (await parts.others(deed.acting)).slice(0, COUNCIL.most);
      if (council.length < COUNCIL.least)
        throw new ToolError('unavailable', `A council needs ${COUNCIL.least} other agents. Make more first.`);
      const { acting, action, key, signal } = deed;
      const said: string[] = [];
      let thread: string | undefined;
      for (const [index, to] of council.entries()) {
        const message = { to, text: action.message ?? '', thread, key: `${key}:${index}` };
        const sent = await messages.send(acting, message, signal);
        thread = sent.thread;
        said.push(`${to}: ${sent.reply ?? sent.status}`);
      }
      return said.join('\n');
    },
  },
  send_message: {
    needs: ['to_agent_id', 'message'],
    part: 'messages',
    tool: 'corvid_send_message',
    async run({ acting, action, key, signal }, { services }) {
      const message = { to: action.to_agent_id ?? '', text: action.message ?? '', key };
      const { reply, status } = await partOf(services, 'messages').send(acting, message, signal);
      return reply ?? status;
    },
  },
  github_suggest: prompting((action) => `Suggest improvements for ${reposOf(action)}.`, { needs: ['repos'] }),
  codebase_review: prompting(() => 'Review the code of the project and report what you find.'),
  dependency_audit: prompting(
    () => 'Look through the dependencies of the project for what is outdated or unsafe.',
  ),
  improvement_loop: prompting(() => 'Find the improvement of the project that is worth most, and make it.'),
  memory_maintenance: {
    needs: [],
    part: 'memory',
    tool: 'corvid_save_memory',
    run: ({ acting, signal }, { services }) => partOf(services, 'memory').maintain(acting, signal),
  },
  reputation_attestation: {
    needs: [],
    part: 'reputation',
    tool: 'corvid_publish_attestation',
    run: ({ acting, signal }, { services }) => partOf(services, 'reputation').attest(acting, signal),
  },
  custom: prompting(({ prompt = '' }) => prompt, { needs: ['prompt'] }),
};

/** What the event is about, never what it carries: the agent may not be one who reads it. */
function wokenBy({ event }: Snapshot): string | undefined {
  if (event === undefined) return undefined;
  return `Woken by the event ${event.type}${event.subject === undefined ? '' : ` about ${event.subject}`}.`;
}

/** Refuses actions that lack what their type needs. */
export function checkActions(actions: readonly ScheduleAction[]): void {
  for (const [index, action] of actions.entries())
    for (const field of ACTIONS[action.type].needs)
      if (action[field] === undefined || action[field].length === 0)
        throw new ToolError(
          'invalid',
          `schedule_actions.${index}.${field}: a ${action.type} action needs ${field === 'repos' ? field : `a ${field}`}`,
        );
}

/** Does one action; returns what came of it. */
export type Perform = (deed: Deed) => Promise<string>;

/** Nobody gets by a schedule what the agent's own tools would not give: not its list, that is; a person's approval stands for one who watches. */
export function createPerform(parts: ActionParts): Perform {
  return async (deed) => {
    const { tool, run } = ACTIONS[deed.action.type];
    if (tool !== undefined) requireTool(deed.acting.caller, tool, parts.isRegistered);
    refuseOddRepos(deed.action);
    return run(deed, parts);
  };
}

/** Why actions would fail if they were done now, in the words that they would fail with. */
export type Foresee = (caller: Caller, actions: readonly ScheduleAction[]) => string[];

/** `hasOwnParts`: false in a process that leaves the work to another, whose parts it does not know. */
export function createForesee(parts: ActionParts, hasOwnParts: boolean): Foresee {
  const check = (caller: Caller, { type }: ScheduleAction) => {
    const { tool, part } = ACTIONS[type];
    if (tool !== undefined) requireTool(caller, tool, parts.isRegistered);
    if (hasOwnParts) partOf(parts.services, part);
  };
  return (caller, actions) =>
    actions.flatMap((action, index) => {
      try {
        check(caller, action);
        return [];
      } catch (error) {
        if (error instanceof ToolError) return [`schedule_actions.${index}: ${error.message}`];
        throw error;
      }
    });
}

/** What was stored may be older than the rule, and a repository with two names would pass by the deny list. */
function refuseOddRepos({ repos = [] }: ScheduleAction): void {
  const odd = repos.find((repo) => !REPO.test(repo));
  if (odd !== undefined)
    throw new ToolError('invalid', `repos: must be owner/name, without .git: ${odd}. Update the schedule.`);
}

/** Refuses what the agent's list does not hold. */
export function requireTool(caller: Caller, name: string, isRegistered: (name: string) => boolean): void {
  // Of a tool that is not there the absent part tells.
  if (!isRegistered(name) || hiddenByPower({ name, toolset: AGENT }, caller) === undefined) return;
  throw new ToolError('forbidden', `The agent does not have ${name}. Give it the tool first.`);
}

/** The same where nobody's approval stands for one who watches. */
export function requireWatchedTool(
  { caller, unattended }: Acting,
  name: string,
  isRegistered: (name: string) => boolean,
): void {
  requireTool(caller, name, isRegistered);
  if (unattended)
    throw new ToolError(
      'forbidden',
      `${name} is not there while nobody watches. Do it in a watched session.`,
    );
}
