/** Agents in other situations than with their own key: deeper, unattended, in a session. */
import type { Caller } from '@parley/kit';

interface Situation {
  readonly depth?: number;
  readonly sessionId?: string;
}

/** The caller in a session of its own, or deeper. */
export function inSession(caller: Caller, situation: Situation): Caller {
  if (caller.agent === undefined) throw new Error('This caller is no agent.');
  return { ...caller, agent: { ...caller.agent, ...situation } };
}

/** The caller while nobody watches. */
export function unwatched(caller: Caller): Caller {
  return { ...caller, unattended: true };
}
