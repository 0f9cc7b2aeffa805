/** Routes of the changelog. */
import { created, flag, nothing, one, page, pageFields, timeOrder } from '@parley/http/rest';
import * as z from 'zod';
import { ChangelogEntry, CreateChangelog, PatchChangelog } from '../../shapes/nouns.ts';
import { defineRoute } from '../route.ts';
import { WHO_MAY } from '../../services/who-may.ts';
import { whoFor } from '../../team-surface.ts';

export const changelogRoutes = [
  defineRoute({
    method: 'GET',
    path: '/changelog',
    summary: 'List changelog entries, newest first',
    who: whoFor(WHO_MAY.changelog.list),
    grants: ['find_feedback'],
    query: z.strictObject({
      published: flag('true: only published ones; false: only drafts and scheduled ones'),
      search: z.string().min(1).max(200).optional().describe('A part of the title or the text'),
      order: timeOrder,
      ...pageFields,
    }),
    answer: page('ChangelogEntry', ChangelogEntry),
    run: ({ services, actor, query }) => services.changelog.list(actor, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/changelog',
    summary: 'Write a changelog entry',
    who: whoFor(WHO_MAY.changelog.create),
    grants: ['create_changelog'],
    body: CreateChangelog.strict(),
    answer: created('ChangelogEntry', ChangelogEntry, ({ id }) => `/changelog/${id}`),
    run: ({ services, actor, body }) => services.changelog.create(actor, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/changelog/:id',
    summary: 'Read a changelog entry',
    who: whoFor(WHO_MAY.changelog.get),
    grants: ['find_feedback'],
    answer: one('ChangelogEntry', ChangelogEntry),
    run: ({ services, actor, params }) => services.changelog.get(actor, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/changelog/:id',
    summary: 'Change a changelog entry',
    who: whoFor(WHO_MAY.changelog.update),
    grants: ['update_changelog'],
    body: PatchChangelog.strict(),
    answer: one('ChangelogEntry', ChangelogEntry),
    run: ({ services, actor, params, body, check }) =>
      services.changelog.update(actor, params.id, body, check),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/changelog/:id',
    summary: 'Delete a changelog entry',
    who: whoFor(WHO_MAY.changelog.delete),
    grants: ['delete_changelog'],
    answer: nothing,
    run: ({ services, actor, params, check }) => services.changelog.delete(actor, params.id, check),
  }),
];
