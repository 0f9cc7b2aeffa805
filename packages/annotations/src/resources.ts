/** Sessions and annotations as readable documents. */
import { defineResource } from '@parley/kit';
import { leanNote, shownAs } from './lean.ts';
import { toMarkdown } from './markdown/index.ts';
import type { AnnotationServices } from './services/index.ts';
import { URIS } from './services/resource-notices.ts';
import { agentOf, cutNotice } from './tools/shapes.ts';

const JSON_TYPE = 'application/json';
const LEAN = shownAs('lean');

const sessions = defineResource<AnnotationServices>({
  name: 'annotation-sessions',
  title: 'Sessions',
  description: 'All browser sessions, the one seen last first.',
  mimeType: JSON_TYPE,
  uri: URIS.sessions,
  async read(_variables, { services, caller }) {
    const { sessions: shown, total } = await services.sessions.list(caller.organizationId);
    return { text: arrayText(shown, total, 'The others were seen earlier.') };
  },
});

const session = defineResource<AnnotationServices>({
  name: 'annotation-session',
  title: 'Session',
  description: 'One browser session with its annotations, open ones first, then the newest.',
  mimeType: JSON_TYPE,
  uri: URIS.session('{id}'),
  async read({ id = '' }, ctx) {
    const { services, caller } = ctx;
    const { organizationId } = caller;
    const found = await services.sessions.get(organizationId, id);
    const list = await services.notes.list({ organizationId, sessionId: id }, LEAN);
    const { total, isTruncated, nextCursor } = list;
    const annotations = list.annotations.map(leanNote);
    await services.words.show(agentOf(ctx), annotations);
    const more = isTruncated && {
      more: cutNotice(annotations.length, total, 'The tool get_session with this nextCursor shows the rest.'),
      nextCursor,
    };
    return { text: JSON.stringify({ session: found, annotations, ...more }) };
  },
});

const pending = defineResource<AnnotationServices>({
  name: 'pending-annotations',
  title: 'Pending annotations',
  description: 'All annotations that nobody has taken up yet, oldest first.',
  mimeType: JSON_TYPE,
  uri: URIS.pending,
  async read(_variables, { services, caller }) {
    const { organizationId } = caller;
    const { annotations, total } = await services.notes.pending({ organizationId }, LEAN);
    return { text: arrayText(annotations.map(leanNote), total, 'Take these up to see the rest.') };
  },
});

const screenshot = defineResource<AnnotationServices>({
  name: 'annotation-screenshot',
  title: 'Screenshot of an annotation',
  description: 'The picture that came with an annotation, when there is one.',
  uri: `${URIS.note('{id}')}/screenshot`,
  async read({ id = '' }, ctx) {
    const picture = await ctx.services.screenshots.ofNote(ctx.caller.organizationId, id);
    if (picture === undefined) throw ctx.error('not_found', `Screenshot not found: ${id}`);
    return { blob: picture.data, mimeType: picture.mimeType };
  },
});

const markdown = defineResource<AnnotationServices>({
  name: 'annotation-markdown',
  title: 'Annotation as markdown',
  description: 'One annotation as markdown, detailed.',
  mimeType: 'text/markdown',
  uri: URIS.markdown('{id}'),
  async read({ id = '' }, { services, caller }) {
    const note = await services.notes.get(caller.organizationId, id);
    return { text: toMarkdown([note], { level: 'detailed' }) };
  },
});

const note = defineResource<AnnotationServices>({
  name: 'annotation',
  title: 'Annotation',
  description: 'One annotation with its replies.',
  mimeType: JSON_TYPE,
  uri: URIS.note('{id}'),
  async read({ id = '' }, ctx) {
    const found = await ctx.services.notes.get(ctx.caller.organizationId, id);
    await ctx.services.words.show(agentOf(ctx), [found]);
    return { text: JSON.stringify(found) };
  },
});

/** The bare array; the last item of one that was cut says so. */
function arrayText(items: readonly object[], total: number, rest: string): string {
  return JSON.stringify(
    items.length < total ? [...items, { more: cutNotice(items.length, total, rest) }] : items,
  );
}

export const annotationResources = [sessions, session, pending, screenshot, markdown, note];
