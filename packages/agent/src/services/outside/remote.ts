/** Agents of other servers, as agents of this one find and call them. */
import type { Context } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { AgentCard } from '../../adapters/remote-agents/card.ts';
import type { RemoteAgents, RemoteTask } from '../../adapters/remote-agents/remote-agents.ts';
import type { Acting } from '../../session.ts';
import { createCards } from './cards.ts';
import { requireBudget } from './remote-budget.ts';
import type { Uses } from './uses.ts';

export const TRUST_LEVELS = ['untrusted', 'low', 'medium', 'high', 'verified'] as const;

export type TrustLevel = (typeof TRUST_LEVELS)[number];

/** Something that an agent tried and must not. */
export interface Violation {
  readonly organizationId: string;
  readonly agentId: string;
  readonly kind: 'blocked_address';
  readonly detail: string;
}

export interface RemoteParts {
  /** Undefined: switched off. */
  readonly agents: RemoteAgents | undefined;
  readonly uses: Uses;
  readonly now: () => number;
  readonly recordViolation: (violation: Violation) => Promise<void>;
  readonly pollMs: number;
}

export interface Invocation {
  readonly url: string;
  readonly message: string;
  readonly skill?: string | undefined;
  readonly timeoutMs: number;
  readonly minTrust?: TrustLevel | undefined;
}

export interface Invoked {
  readonly task_id: string;
  readonly state: string;
  readonly reply: string;
  readonly elapsed_ms: number;
}

/** What a call that may be a task works with. */
export type Working = Pick<Context, 'signal' | 'step' | 'sleep'>;

export interface RemoteDesk {
  discover(acting: Acting, url: string, signal: AbortSignal): Promise<AgentCard | undefined>;
  invoke(acting: Acting, invocation: Invocation, work: Working): Promise<Invoked>;
}

/** How many agents may call one another; the last may call no further. */
export const MAX_DEPTH = 3;

const MAX_FAILED_POLLS = 5;
const FAILED = new Set(['failed', 'canceled', 'cancelled', 'rejected']);

export function createRemoteDesk(parts: RemoteParts): RemoteDesk {
  const { uses, now, pollMs } = parts;
  const cards = createCards(now);
  const switchedOn = (): RemoteAgents => {
    if (parts.agents !== undefined) return parts.agents;
    const message = 'Remote agents are switched off. Ask the operator to set PARLEY_REMOTE_AGENTS=on.';
    throw new ToolError('unavailable', message);
  };
  const watched = <T>(acting: Acting, base: string, work: () => Promise<T>) =>
    work().catch((error: unknown) => blamed(error, acting, base));
  const blamed = async (error: unknown, { organizationId, agentId }: Acting, base: string) => {
    if (!(error instanceof ToolError) || error.code !== 'blocked_address') throw error;
    // Plain http is refused as well, and no offence where the same over https would pass.
    if (await isOnlyPlain(switchedOn(), base)) throw new ToolError('blocked_address', ONLY_HTTPS);
    const detail = new URL(base).host;
    await parts.recordViolation({ organizationId, agentId, kind: 'blocked_address', detail });
    throw error;
  };
  return {
    async discover(acting, url, signal) {
      const agents = switchedOn();
      const base = baseOf(url);
      return cards.get(base, () => watched(acting, base, () => agents.card(base, signal)));
    },
    async invoke(acting, { url, minTrust, ...rest }, work) {
      const agents = switchedOn();
      if (acting.depth > MAX_DEPTH)
        throw new ToolError('depth_exceeded', `Agents call one another at most ${MAX_DEPTH} deep.`);
      const base = baseOf(url);
      await watched(acting, base, () => agents.check(base));
      if (minTrust !== undefined) throw untrusted();
      const message = { ...rest, depth: acting.depth + 1 };
      const send = async () => {
        await requireBudget(uses, acting, base);
        const startedAt = now();
        const task = await watched(acting, base, () => agents.send(base, message, work.signal));
        return { startedAt, task };
      };
      // Sent once: nobody knows what a second one would do.
      const { startedAt, task } = await work.step('send', send, { retry: { attempts: 1 } });
      const deadline = startedAt + rest.timeoutMs;
      const follow = () => watched(acting, base, () => agents.poll(base, task.id, work.signal));
      const reply = await replyTo(task, { follow, work, deadline, now, pollMs });
      return { task_id: task.id, state: 'completed', reply, elapsed_ms: now() - startedAt };
    },
  };
}

interface Following {
  readonly follow: () => Promise<RemoteTask>;
  readonly work: Working;
  readonly deadline: number;
  readonly now: () => number;
  readonly pollMs: number;
}

/** Looks at the task until it ends, or until its time is over. */
async function replyTo(first: RemoteTask, following: Following): Promise<string> {
  const { follow, work, deadline, now, pollMs } = following;
  let task = first;
  for (let polls = 1, failures = 0; ; polls += 1) {
    if (task.state === 'completed') return task.reply ?? '';
    if (FAILED.has(task.state)) throw failed(task);
    const leftMs = deadline - now();
    if (leftMs <= 0)
      throw new ToolError('timeout', 'The remote agent did not finish in time.', { task_id: first.id });
    await work.sleep(`wait-${polls}`, Math.min(pollMs, leftMs));
    try {
      task = await follow();
      failures = 0;
    } catch (error) {
      if (!(error instanceof ToolError) || error.code === 'blocked_address') throw error;
      failures += 1;
      if (failures >= MAX_FAILED_POLLS)
        throw new ToolError('remote_failed', error.message, { task_id: first.id });
    }
  }
}

function failed({ id, reply }: RemoteTask): ToolError {
  const said = reply === null || reply === '' ? 'It gave no reason.' : `It said: ${reply}`;
  return new ToolError('remote_failed', `The remote agent failed. ${said}`, { task_id: id });
}

const ONLY_HTTPS = 'Only https is allowed. Use the https address of the agent.';

/** True for an address that only lacks https; one that passes itself was blocked for where it led. */
async function isOnlyPlain(agents: RemoteAgents, base: string): Promise<boolean> {
  const passes = (address: string) =>
    agents.check(address).then(
      () => true,
      () => false,
    );
  if (!base.startsWith('http:') || (await passes(base))) return false;
  return passes(base.replace('http:', 'https:'));
}

/** The address without the slashes that it may end with, and without what a base has no use for. */
function baseOf(url: string): string {
  if (!URL.canParse(url))
    throw new ToolError('invalid', 'url: must be an address like https://agent.example');
  const parsed = new URL(url);
  parsed.search = '';
  parsed.hash = '';
  let { href } = parsed;
  while (href.endsWith('/')) href = href.slice(0, -1);
  return href;
}

/** Reputation is of agents here; of those elsewhere it tells nothing, and what is not known is not enough. */
function untrusted(): ToolError {
  return new ToolError(
    'untrusted',
    'Nobody here knows how far an agent of another server can be trusted, so min_trust refuses all of them. Leave it out to call this one all the same.',
  );
}
