/** How much of remote agents one session may use. */
import { ToolError } from '@parley/kit';
import type { Acting } from '../../session.ts';
import type { RecentUse, Uses } from './uses.ts';

const MAX_CALLS = 10;
const MAX_AGENTS = 3;
const APART_MS = 5000;
/** As long as a session can last; a key without one is given a new budget then. */
const SESSION_MS = 2 * 3_600_000;

/** Notes one call of a remote agent, or throws `budget_exceeded`. */
export async function requireBudget(uses: Uses, acting: Acting, base: string): Promise<void> {
  const { organizationId, agentId, sessionId, caller } = acting;
  const subject = `${agentId} ${sessionId ?? caller.id}`;
  await uses.admit({ organizationId, kind: 'remote', subject }, SESSION_MS, (recent, at) => {
    check(recent, base, at);
    return [base];
  });
}

function check(recent: readonly RecentUse[], base: string, at: number): void {
  if (recent.length >= MAX_CALLS)
    throw exceeded(`A session may call remote agents ${MAX_CALLS} times, which it has done.`);
  const known = new Set(recent.map(({ target }) => target));
  if (!known.has(base) && known.size >= MAX_AGENTS)
    throw exceeded(`A session may call ${MAX_AGENTS} different remote agents. Go on with one of them.`);
  const waitMs = APART_MS - (at - (recent[0]?.created_at ?? -Infinity));
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw exceeded(`Calls of remote agents have to be 5 seconds apart. Try again in ${seconds} seconds.`, {
    retry_after: seconds,
  });
}

function exceeded(message: string, data?: unknown): ToolError {
  return new ToolError('budget_exceeded', message, data);
}
