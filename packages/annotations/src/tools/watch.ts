/** The tool that waits for annotations. */
import * as z from 'zod';
import { DEFAULT_WATCH_TIMEOUT_MS } from '../limits.ts';
import { sizeOf } from '../lean.ts';
import { withinBytes } from '../services/reading.ts';
import { defineTool, detail, sessionId, shownList, ShownNoteOutput } from './shapes.ts';
import { whileWatching } from './waiting.ts';

const NO_PAGE =
  'No page is connected, so nobody can leave a note. Ask the person to open their page with the Parley overlay. When it is open, this server uses another data folder than the page: start it in the project, or with --data.';

/** Waits until something is pending. */
export const watchAnnotations = defineTool({
  name: 'watch_annotations',
  title: 'Watch for annotations',
  description:
    'Returns what is pending at once, or waits for it; also what you hold when the person replied. Acknowledge, then call it again.',
  effect: 'read',
  input: z.object({
    sessionId: sessionId.optional().describe('Only annotations of this session'),
    timeoutMs: z
      .int()
      .min(0)
      .max(300_000)
      .default(DEFAULT_WATCH_TIMEOUT_MS)
      .describe('How long to wait at most'),
    batchWindowMs: z.int().min(0).max(60_000).default(0).describe('Collect for this long after the first'),
    detail,
  }),
  output: z.object({
    status: z.enum(['annotations', 'timeout']),
    annotations: z.array(ShownNoteOutput).optional(),
    more: z.string().optional(),
    message: z.string().optional(),
  }),
  async run(input, ctx, agent) {
    const { services, caller, signal } = ctx;
    const { organizationId } = caller;
    if (input.sessionId !== undefined) await services.sessions.get(organizationId, input.sessionId);
    const scope = { organizationId, sessionId: input.sessionId };
    const { timeoutMs, batchWindowMs } = input;
    const own = () => services.words.waiting(scope, agent);
    const found = await whileWatching(ctx, agent, () =>
      services.watches.watch(scope, { timeoutMs, batchWindowMs, signal, own }),
    );
    if (found !== undefined) {
      const how = input.detail;
      // Watches share what they read, so the size that this one asked for is looked at here.
      const annotations = withinBytes(found.annotations, { ...services.limits, sizeOf: sizeOf(how) });
      const isTruncated = found.isTruncated || annotations.length < found.annotations.length;
      const rest = 'Take these up, then call again for the rest.';
      const list = await shownList({ ...found, annotations, isTruncated }, ctx, { agent, how, rest });
      return { status: 'annotations' as const, ...list };
    }
    const activeSessions = await services.sessions.active(organizationId);
    ctx.addMeta({ browserConnected: activeSessions > 0, activeSessions });
    return { status: 'timeout' as const, ...(activeSessions === 0 && { message: NO_PAGE }) };
  },
});
