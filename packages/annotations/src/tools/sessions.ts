/** Tools that look: sessions, what is pending in them, and what the caller holds. */
import * as z from 'zod';
import { shownAs } from '../lean.ts';
import { arrayContent, cutNotice, defineTool, detail, NoteListOutput } from './shapes.ts';
import { sessionId, shownList, ShownNoteOutput } from './shapes.ts';

const ShownSession = z.looseObject({ id: z.string(), url: z.string(), active: z.boolean() });
const TAKE_UP = 'Take these up to see the rest.';

/** Lists the pages that are or were connected. */
export const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List sessions',
  description:
    'Lists the browser sessions of annotated pages, the one seen last first. "active": a page is connected now.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ sessions: z.array(ShownSession), more: z.string().optional() }),
  content: ({ sessions, more }) => arrayContent(sessions, more),
  async run(_input, ctx) {
    const { sessions, total } = await ctx.services.sessions.list(ctx.caller.organizationId);
    if (total <= sessions.length) return { sessions };
    ctx.addMeta({ truncated: true, count: total });
    return { sessions, more: cutNotice(sessions.length, total, 'The others were seen earlier.') };
  },
});

/** Shows one session with everything in it. */
export const getSession = defineTool({
  name: 'get_session',
  title: 'Get a session',
  description:
    'Shows one browser session with its annotations: open ones first, then the newest. More at nextCursor.',
  effect: 'read',
  input: z.object({
    id: sessionId,
    cursor: z.string().max(20).optional().describe('nextCursor of the page before'),
    detail,
  }),
  output: z.object({
    session: ShownSession,
    annotations: z.array(ShownNoteOutput),
    more: z.string().optional(),
    nextCursor: z.string().optional(),
  }),
  async run({ id, cursor, detail: how }, ctx, agent) {
    const { organizationId } = ctx.caller;
    const session = await ctx.services.sessions.get(organizationId, id);
    const shown = { cursor, ...shownAs(how) };
    const page = await ctx.services.notes.list({ organizationId, sessionId: id }, shown);
    const rest = 'Call get_session with this nextCursor for the rest.';
    const list = await shownList(page, ctx, { agent, how, rest });
    return { session, ...list, ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }) };
  },
});

/** Lists what waits in one session. */
export const getPending = defineTool({
  name: 'get_pending',
  title: 'Get pending annotations of a session',
  description: 'Lists the annotations of one session that nobody has taken up, oldest first.',
  effect: 'read',
  input: z.object({ sessionId, detail }),
  output: NoteListOutput,
  content: ({ annotations, more }) => arrayContent(annotations, more),
  async run(input, ctx, agent) {
    const { organizationId } = ctx.caller;
    await ctx.services.sessions.get(organizationId, input.sessionId);
    const scope = { organizationId, sessionId: input.sessionId };
    const list = await ctx.services.notes.pending(scope, shownAs(input.detail));
    return shownList(list, ctx, { agent, how: input.detail, rest: TAKE_UP });
  },
});

/** Lists what waits anywhere. */
export const getAllPending = defineTool({
  name: 'get_all_pending',
  title: 'Get all pending annotations',
  description: 'Lists the annotations of all sessions that nobody has taken up, oldest first.',
  effect: 'read',
  input: z.object({ detail }),
  output: NoteListOutput,
  content: ({ annotations, more }) => arrayContent(annotations, more),
  async run({ detail: how }, ctx, agent) {
    const { organizationId } = ctx.caller;
    const list = await ctx.services.notes.pending({ organizationId }, shownAs(how));
    return shownList(list, ctx, { agent, how, rest: TAKE_UP });
  },
});

/** Lists what the caller has taken up. */
export const getMine = defineTool({
  name: 'get_mine',
  title: 'Get the annotations you hold',
  description:
    'Lists what you have acknowledged and not closed, oldest first. "elsewhere": another connection of your key and client holds it; take it over if that is gone.',
  effect: 'read',
  input: z.object({ detail }),
  output: NoteListOutput,
  content: ({ annotations, more }) => arrayContent(annotations, more),
  async run({ detail: how }, ctx, agent) {
    const mine = await ctx.services.notes.mine(agent, shownAs(how));
    const rest = 'Close some of these to see the rest.';
    const { annotations, ...list } = await shownList(mine, ctx, { agent, how, rest });
    const marked = annotations.map((note) =>
      mine.elsewhere.has(note.id) ? { ...note, elsewhere: true } : note,
    );
    return { annotations: marked, ...list };
  },
});
