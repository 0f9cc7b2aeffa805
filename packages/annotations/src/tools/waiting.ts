/** What every waiting tool does besides waiting: it counts as present and keeps its client connected. */
import { detach } from '@parley/kit';
import type { ToolContext } from './shapes.ts';
import type { Agent } from '../services/holder.ts';

const PROGRESS_EVERY_MS = 10_000;

/** Runs the wait; what the agent holds stays its own, and with a progress token the client hears of it every 10 s. */
export async function whileWatching<T>(ctx: ToolContext, agent: Agent, wait: () => Promise<T>): Promise<T> {
  const { leases } = ctx.services;
  const endWatch = ctx.services.presence.beginWatch(ctx.caller, ctx.request.client);
  const tell = (error: unknown) => ctx.services.onFault(error, 'watch');
  let beats = 0;
  const heartbeat = setInterval(() => {
    beats += 1;
    detach(leases.renew(agent), tell);
    detach(ctx.progress(beats, undefined, 'Still watching'), tell);
  }, PROGRESS_EVERY_MS);
  try {
    return await wait();
  } finally {
    clearInterval(heartbeat);
    endWatch();
  }
}
