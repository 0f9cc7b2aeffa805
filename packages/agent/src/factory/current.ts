/** Which session a call belongs to, for services that all sessions on a store share. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { McpToolContext } from './context.ts';

const sessions = new AsyncLocalStorage<McpToolContext>();

/** Runs work, and all that it starts, as part of a session. */
export function inSession<T>(ctx: McpToolContext, work: () => T): T {
  return sessions.run(ctx, work);
}

/** The session of the work under way; undefined outside of one. */
export function currentSession(): McpToolContext | undefined {
  return sessions.getStore();
}

/** The time as the session has it. */
export function sessionNow(): number {
  return currentSession()?.clock?.() ?? Date.now();
}
