/** The tool that waits for annotations. */
import * as z from 'zod';
import { DEFAULT_WATCH_TIMEOUT_MS } from '../limits.ts';
import { Annotation } from '../shapes.ts';
import { whileWatching } from './waiting.ts';
import { defineTool, sessionId, shownNotes } from './shapes.ts';

/** Waits until something is pending. */
export const watchAnnotations = defineTool({
  name: 'watch_annotations',
  title: 'Watch for annotations',
  description:
    'Returns pending annotations at once, or waits until there are some. It returns what is pending, not what is new: take notes up with acknowledge, then call it again.',
  effect: 'read',
  input: z.object({
    sessionId: sessionId.optional().describe('Only annotations of this session'),
    timeoutMs: z
      .int()
      .min(0)
      .max(300_000)
      .default(DEFAULT_WATCH_TIMEOUT_MS)
      .describe('How long to wait at most'),
    batchWindowMs: z
      .int()
      .min(0)
      .max(60_000)
      .default(0)
      .describe('After the first arrival, collect more for this long'),
  }),
  output: z.object({
    status: z.enum(['annotations', 'timeout']),
    annotations: z.array(Annotation).optional().describe('Everything that is pending, oldest first'),
  }),
  async run(input, ctx) {
    const { services, caller, signal } = ctx;
    const { organizationId } = caller;
    if (input.sessionId !== undefined) await services.sessions.get(organizationId, input.sessionId);
    const scope = { organizationId, sessionId: input.sessionId };
    const { timeoutMs, batchWindowMs } = input;
    const found = await whileWatching(ctx, () =>
      services.watches.watch(scope, { timeoutMs, batchWindowMs, signal }),
    );
    if (found !== undefined) return { status: 'annotations' as const, annotations: shownNotes(found, ctx) };
    const activeSessions = await services.sessions.active(organizationId);
    ctx.addMeta({ browserConnected: activeSessions > 0, activeSessions });
    return { status: 'timeout' as const };
  },
});
