/** Runs of agents: a session with a timer, a key to act with, and the runner that does it. */
import type { Identity } from '@parley/identity';
import { detach, ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import type { RunKey } from '../adapters/runner/command.ts';
import type { RunRequest, RunResult, Runner, SessionRequest } from '../adapters/runner/runner.ts';
import { AGENT } from '../name.ts';
import { givenBundles, promptOf } from '../permissions/given-bundles.ts';
import type { AgentCallers } from '../permissions/lookup.ts';
import type { Sessions } from './sessions/sessions.ts';

export interface Runs {
  /** Who runs an agent; undefined: nobody, its inbox is all it has. */
  readonly runner: Runner | undefined;
  /** Runs an agent to its end, or to the end of its time; `latestAt` is a bound that no extension passes. */
  run(
    request: RunRequest & { readonly latestAt?: number },
  ): Promise<RunResult & { readonly sessionId: string }>;
  /** Ends whatever runs. */
  close(): Promise<void>;
}

export interface RunParts {
  readonly store: Store;
  /** Asked for every run, since sessions of one process may have runners of their own. */
  readonly runner: () => Runner | undefined;
  readonly sessions: Sessions;
  readonly onFault: (error: unknown, where: string) => void;
}

// A program is ended by force within a second; whoever takes longer is not waited for.
const GRACE_MS = 5000;

export function createRuns({ store, runner: runnerNow, sessions, onFault }: RunParts): Runs {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const start = async (request: Parameters<Runs['run']>[0]) => {
    const runner = runnerNow();
    if (runner === undefined)
      throw new ToolError('unavailable', 'Nobody runs agents here. The operator has to set PARLEY_RUNNER.');
    const { agent, projectId, depth, unattended, timeoutMs, latestAt } = request;
    const { organizationId, id: agentId } = agent;
    const instructions = promptOf(await givenBundles(store, { organizationId, agentId, projectId }));
    const session = await sessions.begin({
      organizationId,
      agentId,
      source: 'agent',
      projectId,
      depth: depth + 1,
      unattended,
      timeoutMs,
      latestAt,
    });
    const signal = AbortSignal.any([request.signal, session.signal, closing.signal]);
    try {
      const work = runner.run({
        ...request,
        instructions,
        signal,
        sessionId: session.id,
        latestAt: session.latestAt,
      });
      const { status, text } = await untilCutOff(work, signal, onFault);
      if (!signal.aborted) return { status, text, sessionId: session.id };
      return {
        status: session.signal.aborted ? 'timeout' : 'cancelled',
        text,
        sessionId: session.id,
      } as const;
    } finally {
      await session.end();
    }
  };
  return {
    get runner() {
      return runnerNow();
    },
    run(request) {
      const work = start(request);
      running.add(work);
      const forget = () => running.delete(work);
      // Whoever asked for the run gets its fault.
      detach(work.then(forget), forget);
      return work;
    },
    async close() {
      closing.abort();
      await Promise.allSettled(running);
    },
  };
}

/** The result; a runner that ignores its signal is left to itself after the grace time. */
async function untilCutOff(
  work: Promise<RunResult>,
  signal: AbortSignal,
  onFault: RunParts['onFault'],
): Promise<RunResult> {
  let timer: NodeJS.Timeout | undefined;
  const cut = Promise.withResolvers<RunResult>();
  const onAbort = () => {
    timer = setTimeout(() => cut.resolve({ status: 'cancelled', text: '' }), GRACE_MS);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, cut.promise]);
  } catch (error) {
    // What a runner throws when it is stopped says nothing of the runner.
    if (signal.aborted) return { status: 'cancelled', text: '' };
    if (error instanceof ToolError) throw error;
    onFault(error, 'runner');
    return { status: 'failed', text: '' };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // After the cut nobody listens to it any more.
    detach(work, () => undefined);
  }
}

export interface RunKeyParts {
  readonly identity: Pick<Identity, 'createKey' | 'renewAgentKey' | 'revokeKey'>;
  readonly callers: Pick<AgentCallers, 'acting'>;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
  readonly leaseMs?: number;
}

// How long a key is worth something after its server was killed.
const KEY_LEASE_MS = 60_000;

/** Keys with which a program acts as the agent that it runs, for as long as it and the server do. */
export function createRunKeys({ identity, callers, now, onFault, leaseMs = KEY_LEASE_MS }: RunKeyParts) {
  return async (request: SessionRequest): Promise<RunKey | undefined> => {
    const { agent, depth, unattended, sessionId, projectId, latestAt } = request;
    const how = { source: 'agent', sessionSource: 'agent', depth: depth + 1, unattended, projectId } as const;
    const { id: agentId, organizationId } = agent;
    const caller = await callers.acting({ organizationId, agentId, ...how });
    if (caller === undefined) return undefined;
    const grants = { [AGENT]: caller.grants[AGENT] ?? [] };
    const binding = {
      agentId,
      source: 'agent',
      depth: depth + 1,
      unattended,
      sessionId,
      ...(projectId !== undefined && { projectId }),
    } as const;
    const expiresAt = () => Math.min(latestAt, now() + leaseMs);
    const { info, text } = await identity.createKey(caller, {
      name: `Run of ${agent.name}`,
      grants,
      expiresAt: expiresAt(),
      agent: binding,
    });
    const renew = () =>
      detach(identity.renewAgentKey(info.id, expiresAt()), (error) => onFault(error, 'key of a run'));
    const timer = setInterval(renew, leaseMs / 3).unref();
    return {
      text,
      async end() {
        clearInterval(timer);
        await identity.revokeKey(caller, info.id);
      },
    };
  };
}
