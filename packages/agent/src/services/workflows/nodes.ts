/** What each type of node does, inside the durable task of its run. */
import { ToolError } from '@parley/kit';
import type { TaskRun } from '@parley/tasks';
import type { Acting } from '../../session.ts';
import type { ActionServices } from '../schedules/actions.ts';
import { partOf, requireTool, requireWatchedTool } from '../schedules/actions.ts';
import { withinTime } from '../schedules/within-time.ts';
import type { RunData } from './data.ts';
import { holds, render } from './data.ts';
import type { GraphNode, NodeType } from './graph.ts';

/** One run of a node. */
export interface NodeWork<Type extends NodeType = NodeType> {
  readonly node: Extract<GraphNode, { type: Type }>;
  /** Unique in the run, and the same when the run is entered again. */
  readonly key: string;
  readonly data: RunData;
  readonly io: TaskRun['io'];
  /** Fires when the run is stopped, or is over without this node. */
  readonly signal: AbortSignal;
  readonly services: ActionServices;
  readonly isRegistered: (name: string) => boolean;
  readonly now: () => number;
  /** The agent whose workflow it is, as it is now. */
  acting(): Promise<Acting>;
  /** Where the node acts when it does not say. */
  readonly projectId: string | undefined;
}

/** What a node puts out, and the session of an agent that it had. */
export interface NodeResult {
  readonly output: unknown;
  readonly sessionId?: string | undefined;
}

/**
 * A node that only computes or calls has `run`; one that waits has `before`, which is done once, and `wait`, which
 * may leave the task and come again.
 */
export interface NodeKind<Type extends NodeType, Begun = unknown> {
  before?(work: NodeWork<Type>): Promise<Begun>;
  wait?(work: NodeWork<Type>, begun: Begun): Promise<void>;
  run(work: NodeWork<Type>, begun: Begun): Promise<NodeResult> | NodeResult;
}

const MS_PER_TURN = 30_000;
const MAX_DEPTH = 3;
const POLL_MS = { first: 10_000, most: 60_000 };

const passes = { run: (): NodeResult => ({ output: {} }) };

const delay: NodeKind<'delay', number> = {
  before: async ({ node, now }) => now() + node.config.seconds * 1000,
  wait: ({ io, key }, until) => io.sleep(`${key} sleep`, new Date(until)),
  run: ({ node }) => ({ output: { seconds: node.config.seconds } }),
};

const agentSession: NodeKind<'agent_session'> = {
  async run(work) {
    const { node, data, services, signal, projectId } = work;
    const { agent_id: agentId, prompt, project_id = projectId, max_turns } = node.config;
    const runner = partOf(services, 'runner');
    const acting = await work.acting();
    // To have another agent do something is to speak to it.
    if (agentId !== undefined && agentId !== acting.agentId)
      requireWatchedTool(acting, 'corvid_send_message', work.isRegistered);
    if (acting.depth + 1 > MAX_DEPTH)
      throw new ToolError('depth_exceeded', `Agents may call each other ${MAX_DEPTH} deep at most.`);
    const timeoutMs = max_turns * MS_PER_TURN;
    const { text, sessionId } = await withinTime(timeoutMs, signal, (time) =>
      runner.run(acting, { agentId, prompt: render(prompt, data), projectId: project_id, timeoutMs }, time),
    );
    return { output: { text, session_id: sessionId ?? null }, sessionId };
  },
};

const workTask: NodeKind<'work_task', { readonly id: string }> = {
  async before(work) {
    const { node, key, data, services, signal, projectId } = work;
    const workTasks = partOf(services, 'workTasks');
    const acting = await work.acting();
    requireTool(acting.caller, 'corvid_create_work_task', work.isRegistered);
    const description = render(node.config.description, data);
    return workTasks.create(
      acting,
      { description, projectId: node.config.project_id ?? projectId, key },
      signal,
    );
  },
  async wait(work, { id }) {
    const { io, key, services } = work;
    let pauseMs = POLL_MS.first;
    for (let look = 1; ; look += 1) {
      const isOver = await io.step(`${key} look ${look}`, async () => {
        const { isOver: over } = await partOf(services, 'workTasks').state(await work.acting(), id);
        return over;
      });
      if (isOver) return;
      await io.sleep(`${key} pause ${look}`, pauseMs);
      pauseMs = Math.min(pauseMs * 2, POLL_MS.most);
    }
  },
  async run(work, { id }) {
    const state = await partOf(work.services, 'workTasks').state(await work.acting(), id);
    if (!state.isCompleted) throw new ToolError('work_task_failed', `${state.text} [${id}]`);
    return { output: { task_id: id, status: state.status, text: state.text } };
  },
};

/** Every type of node. */
// `before` of an entry makes what its own `wait` and `run` are given.
export const NODES: { readonly [Type in NodeType]: NodeKind<Type> } = {
  start: { run: ({ data }) => ({ output: data.input }) },
  agent_session: agentSession,
  work_task: workTask,
  condition: { run: ({ node, data }) => ({ output: { result: holds(node.config, data) } }) },
  delay,
  transform: { run: ({ node, data }) => ({ output: { text: render(node.config.template, data) } }) },
  parallel: passes,
  join: passes,
  end: {
    run({ node, data }) {
      const { output } = node.config;
      return { output: output === undefined ? null : { text: render(output, data) } };
    },
  },
};
