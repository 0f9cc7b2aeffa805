/** Sessions and annotations as readable documents. */
import { defineResource } from '@parley/kit';
import { toMarkdown } from './markdown/index.ts';
import type { AnnotationServices } from './services/index.ts';
import { URIS } from './services/resource-notices.ts';

const JSON_TYPE = 'application/json';

const sessions = defineResource<AnnotationServices>({
  name: 'annotation-sessions',
  title: 'Sessions',
  description: 'All browser sessions, the one seen last first.',
  mimeType: JSON_TYPE,
  uri: URIS.sessions,
  async read(_variables, { services, caller }) {
    const { sessions: shown } = await services.sessions.list(caller.organizationId);
    return { text: JSON.stringify(shown) };
  },
});

const session = defineResource<AnnotationServices>({
  name: 'annotation-session',
  title: 'Session',
  description: 'One browser session with its annotations.',
  mimeType: JSON_TYPE,
  uri: URIS.session('{id}'),
  async read({ id = '' }, { services, caller }) {
    const { organizationId } = caller;
    const found = await services.sessions.get(organizationId, id);
    const { annotations } = await services.notes.list({ organizationId, sessionId: id });
    return { text: JSON.stringify({ session: found, annotations }) };
  },
});

const pending = defineResource<AnnotationServices>({
  name: 'pending-annotations',
  title: 'Pending annotations',
  description: 'All annotations that nobody has taken up yet, oldest first.',
  mimeType: JSON_TYPE,
  uri: URIS.pending,
  async read(_variables, { services, caller }) {
    const { annotations } = await services.notes.pending({ organizationId: caller.organizationId });
    return { text: JSON.stringify(annotations) };
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
  async read({ id = '' }, { services, caller }) {
    return { text: JSON.stringify(await services.notes.get(caller.organizationId, id)) };
  },
});

/** All documents. */
export const annotationResources = [sessions, session, pending, screenshot, markdown, note];
