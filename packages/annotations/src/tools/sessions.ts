/** Tools that look: sessions and what is pending in them. */
import * as z from 'zod';
import { Annotation, Session } from '../shapes.ts';
import { defineTool, NoteListOutput, sessionId, shownNotes, stamp } from './shapes.ts';

/** Lists the pages that are or were connected. */
export const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List sessions',
  description:
    'Lists the browser sessions whose pages can be annotated, the one seen last first. "active" tells whether a page is connected now.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ sessions: z.array(Session).describe('Newest lastSeenAt first') }),
  text: ({ sessions }) => JSON.stringify(sessions),
  async run(_input, ctx) {
    stamp(ctx);
    const { listItems } = ctx.services.limits;
    const { sessions, total } = await ctx.services.sessions.list(ctx.caller.organizationId);
    if (total > listItems) ctx.addMeta({ truncated: true, count: total });
    return { sessions };
  },
});

/** Shows one session with everything in it. */
export const getSession = defineTool({
  name: 'get_session',
  title: 'Get a session',
  description: 'Shows one browser session with its annotations of every status, oldest first.',
  effect: 'read',
  input: z.object({ id: sessionId }),
  output: z.object({ session: Session, annotations: z.array(Annotation).describe('Oldest first') }),
  async run({ id }, ctx) {
    stamp(ctx);
    const { organizationId } = ctx.caller;
    const session = await ctx.services.sessions.get(organizationId, id);
    const list = await ctx.services.notes.list({ organizationId, sessionId: id });
    return { session, annotations: shownNotes(list, ctx) };
  },
});

/** Lists what waits in one session. */
export const getPending = defineTool({
  name: 'get_pending',
  title: 'Get pending annotations of a session',
  description: 'Lists the annotations of one session that nobody has taken up yet, oldest first.',
  effect: 'read',
  input: z.object({ sessionId }),
  output: NoteListOutput,
  text: ({ annotations }) => JSON.stringify(annotations),
  async run(input, ctx) {
    stamp(ctx);
    const { organizationId } = ctx.caller;
    await ctx.services.sessions.get(organizationId, input.sessionId);
    const list = await ctx.services.notes.pending({ organizationId, sessionId: input.sessionId });
    return { annotations: shownNotes(list, ctx) };
  },
});

/** Lists what waits anywhere. */
export const getAllPending = defineTool({
  name: 'get_all_pending',
  title: 'Get all pending annotations',
  description: 'Lists the annotations of all sessions that nobody has taken up yet, oldest first.',
  effect: 'read',
  input: z.object({}),
  output: NoteListOutput,
  text: ({ annotations }) => JSON.stringify(annotations),
  async run(_input, ctx) {
    stamp(ctx);
    const { organizationId } = ctx.caller;
    return { annotations: shownNotes(await ctx.services.notes.pending({ organizationId }), ctx) };
  },
});
