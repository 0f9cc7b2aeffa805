/** What annotation tools do not have because they are for agents: looking through notes, and what a person does with one. */
import { Annotation, annotationsToolset, overlayTag, Session, toMarkdown } from '@parley/annotations';
import { HttpRefusal } from '@parley/http';
import { created, limitUpTo, one, ownAnswer, page, timeOrder, whole } from '@parley/http/rest';
import type { Caller } from '@parley/kit';
import * as z from 'zod';
import type { ConsoleScope } from '../scope.ts';
import { defineRoute } from '../scope.ts';

const STATUSES = ['pending', 'acknowledged', 'diff_proposed', 'resolved', 'dismissed'] as const;

const Note = z.object({ annotation: Annotation, session: Session });

const Page = z.object({ session: Session, counts: z.record(z.string(), z.int()).describe('By status') });

const PageToken = z.object({
  id: z.string(),
  state: z.enum(['valid', 'revoked']),
  origins: z.array(z.string()),
  pages: z.int(),
  createdAt: z.string(),
  revokedAt: z.string().optional(),
});

const Tag = z.object({
  tag: z.string().describe('Goes into a page'),
  vite: z.string().describe('Goes into vite.config'),
  token: z.string(),
});

const words = z.string().max(10_000);
const LOOK = ['annotations:get_session'];

const servicesIn = ({ host }: Pick<ConsoleScope, 'host'>) => host.servicesOf(annotationsToolset);
const teammate = ({ organizationId, name }: Caller) => ({ organizationId, name });

const statuses = z
  .string()
  .max(100)
  .transform((text) => text.split(',').filter((word) => word !== ''))
  .pipe(z.array(z.enum(STATUSES)))
  .optional()
  .meta({ type: 'string', description: 'With commas' });

const MOST = 100;
const USUAL = 50;

const ADDRESS_OF = ({ config, exchange }: Pick<ConsoleScope, 'config' | 'exchange'>) =>
  config.web.publicUrl ?? `http://${exchange.req.headers.host ?? 'localhost'}`;

export const annotationRoutes = [
  defineRoute({
    method: 'GET',
    path: '/annotations',
    summary: 'Annotations of all pages, newest first',
    who: 'team',
    grants: LOOK,
    query: z.strictObject({
      status: statuses,
      session: z.string().max(64).optional(),
      project: z.string().max(64).optional(),
      url: z.string().max(4000).optional().describe('Of their page'),
      text: z.string().max(200).optional().describe('Part of what the person wrote'),
      limit: limitUpTo(MOST, USUAL),
      cursor: z.string().max(200).optional(),
      order: timeOrder,
    }),
    answer: page('Note', Note),
    async run(scope) {
      const { caller, query } = scope;
      const { notes, nextCursor, total } = await servicesIn(scope).notes.browse({
        organizationId: caller.organizationId,
        statuses: query.status,
        sessionId: query.session,
        projectId: query.project,
        url: query.url,
        text: query.text,
        limit: query.limit,
        cursor: query.cursor,
        oldestFirst: query.order === 'asc',
      });
      const items = notes.map(({ annotation, session }) => ({
        annotation: { ...annotation },
        session: { ...session },
      }));
      return { items, cursor: nextCursor, hasMore: nextCursor !== null, total };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/annotations/pages',
    summary: 'Pages that were annotated, the one seen last first, with how many notes of which status',
    who: 'team',
    grants: ['annotations:list_sessions'],
    answer: whole('AnnotatedPage', Page),
    run: async (scope) =>
      (await servicesIn(scope).notes.pages(scope.caller.organizationId)).map(({ session, counts }) => ({
        session: { ...session },
        counts: { ...counts },
      })),
  }),
  defineRoute({
    method: 'GET',
    path: '/annotations/:id',
    summary: 'One annotation with its whole thread, and the same as markdown',
    who: 'team',
    grants: LOOK,
    answer: one('NoteInFull', Note.extend({ markdown: z.string() })),
    async run(scope) {
      const { notes, sessions } = servicesIn(scope);
      const { organizationId } = scope.caller;
      const annotation = await notes.get(organizationId, scope.params.id);
      const session = await sessions.get(organizationId, annotation.sessionId);
      const markdown = toMarkdown([annotation], { level: 'detailed' });
      return { annotation: { ...annotation }, session: { ...session }, markdown };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/annotations/:id/picture',
    summary: 'The picture of an annotation',
    who: 'team',
    grants: LOOK,
    answer: ownAnswer,
    async run(scope) {
      const { caller, params, exchange } = scope;
      const found = await servicesIn(scope).screenshots.ofNote(caller.organizationId, params.id);
      if (found === undefined) throw new HttpRefusal('NOT_FOUND', `There is no picture of ${params.id}.`);
      const bytes = Buffer.from(found.data, 'base64');
      exchange.res
        .writeHead(200, {
          'content-type': found.mimeType,
          'content-length': bytes.length,
          'cache-control': 'private, max-age=86400',
          'content-security-policy': "default-src 'none'; sandbox",
          'x-content-type-options': 'nosniff',
        })
        .end(bytes);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/annotations/:id/replies',
    summary: 'Say something to whoever works on it',
    who: 'team',
    grants: ['annotations:reply'],
    body: z.strictObject({ message: words.trim().min(1), reopen: z.boolean().optional() }),
    answer: one('Annotation', Annotation),
    async run(scope) {
      const { caller, params, body } = scope;
      const { message, reopen = false } = body;
      return { ...(await servicesIn(scope).team.reply(teammate(caller), params.id, message, { reopen })) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/annotations/:id/resolve',
    summary: 'Close it as done',
    who: 'team',
    grants: ['annotations:resolve'],
    effect: 'update',
    body: z.strictObject({ summary: words.optional() }),
    answer: one('Annotation', Annotation),
    run: async (scope) => ({
      ...(await servicesIn(scope).team.resolve(teammate(scope.caller), scope.params.id, scope.body.summary)),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/annotations/:id/dismiss',
    summary: 'Close it as not to be done',
    who: 'team',
    grants: ['annotations:dismiss'],
    effect: 'update',
    body: z.strictObject({ reason: words.optional() }),
    answer: one('Annotation', Annotation),
    run: async (scope) => ({
      ...(await servicesIn(scope).team.dismiss(teammate(scope.caller), scope.params.id, scope.body.reason)),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/annotations/:id/reopen',
    summary: 'Let it wait again for somebody to take it up',
    who: 'team',
    grants: ['annotations:resolve'],
    effect: 'update',
    answer: one('Annotation', Annotation),
    run: async (scope) => ({
      ...(await servicesIn(scope).team.reopen(teammate(scope.caller), scope.params.id)),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/annotations/:id/diff',
    summary: 'Approve or reject the diff that an agent proposes',
    who: 'team',
    grants: ['annotations:resolve'],
    effect: 'update',
    body: z.strictObject({
      response: z.enum(['approved', 'rejected']),
      revision: z.int().min(0).describe('diffRevision of the annotation, so that no newer diff is meant'),
      message: words.optional(),
    }),
    answer: one('Annotation', Annotation),
    async run(scope) {
      const { caller, params, body } = scope;
      const verdict = { id: params.id, revision: body.revision, message: body.message };
      return { ...(await servicesIn(scope).team.answerDiff(teammate(caller), body.response, verdict)) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/annotations/page-tokens',
    summary: 'The tokens that pages connect with, without their text',
    who: 'team',
    grants: ['annotations:list_page_tokens'],
    answer: whole('PageToken', PageToken),
    async run(scope) {
      const { pageTokens, limits } = servicesIn(scope);
      return pageTokens.list(scope.caller.organizationId, limits.listItems);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/annotations/page-tokens/tag',
    summary: 'The script tag and the line for Vite, with the token that is valid now',
    who: 'team',
    grants: ['annotations:list_page_tokens'],
    hasSecret: true,
    answer: one('PageTag', Tag),
    async run(scope) {
      const token = await servicesIn(scope).pageTokens.show(scope.caller.organizationId);
      const url = ADDRESS_OF(scope);
      return { token, tag: overlayTag(url, token), vite: `parley({ server: '${url}', token: '${token}' })` };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/annotations/page-tokens',
    summary: 'A new token, once the one before is revoked',
    who: 'team',
    grants: ['annotations:update_page_token'],
    hasSecret: true,
    answer: created(
      'NewPageToken',
      Tag.extend({ id: z.string() }),
      ({ id }) => `/annotations/page-tokens/${id}`,
    ),
    async run(scope) {
      const { id, text: token } = await servicesIn(scope).pageTokens.create(scope.caller.organizationId);
      const url = ADDRESS_OF(scope);
      return {
        id,
        token,
        tag: overlayTag(url, token),
        vite: `parley({ server: '${url}', token: '${token}' })`,
      };
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/annotations/page-tokens/:id',
    summary: 'Bind a token to origins; none lifts the binding',
    who: 'team',
    grants: ['annotations:update_page_token'],
    body: z.strictObject({ origins: z.array(z.string().max(300)).max(50) }),
    answer: one('PageToken', PageToken),
    async run(scope) {
      const { caller, params, body } = scope;
      const bad = body.origins.find((text) => !isOrigin(text));
      if (bad !== undefined) throw badOrigin(bad);
      return servicesIn(scope).pageTokens.allow(caller.organizationId, params.id, body.origins);
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/annotations/page-tokens/:id',
    summary: 'End a token and what is connected with it',
    who: 'team',
    grants: ['annotations:revoke_page_token'],
    effect: 'delete',
    answer: one('PageToken', PageToken),
    run: (scope) => servicesIn(scope).pageTokens.revoke(scope.caller.organizationId, scope.params.id),
  }),
];

function isOrigin(text: string): boolean {
  if (text === 'null') return true;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}

function badOrigin(text: string): HttpRefusal {
  const rule = `must be origins such as https://shop.example, without a path (got ${text.slice(0, 100)})`;
  return new HttpRefusal('BAD_REQUEST', `origins: ${rule}`, { details: { errors: { origins: [rule] } } });
}
