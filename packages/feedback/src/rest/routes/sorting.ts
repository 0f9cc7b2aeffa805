/** Routes of boards, statuses and tags. */
import { created, flag, nothing, one, whole } from '@parley/http/rest';
import * as z from 'zod';
import {
  Board,
  CreateBoard,
  CreateStatus,
  CreateTag,
  PatchBoard,
  PatchStatus,
  PatchTag,
  Status,
  Tag,
} from '../../shapes/nouns.ts';
import { defineRoute } from '../route.ts';
import { WHO_MAY } from '../../services/who-may.ts';
import { whoFor } from '../../team-surface.ts';

const boardRoutes = [
  defineRoute({
    method: 'GET',
    path: '/boards',
    summary: 'List boards',
    who: whoFor(WHO_MAY.boards.list),
    grants: ['boards'],
    answer: whole('Board', Board),
    run: ({ services, actor }) => services.boards.list(actor),
  }),
  defineRoute({
    method: 'POST',
    path: '/boards',
    summary: 'Make a board',
    who: whoFor(WHO_MAY.boards.create),
    grants: ['manage_boards'],
    body: CreateBoard.strict(),
    answer: created('Board', Board, ({ id }) => `/boards/${id}`),
    run: ({ services, actor, body }) => services.boards.create(actor, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/boards/:id',
    summary: 'Read a board',
    who: whoFor(WHO_MAY.boards.get),
    grants: ['boards'],
    answer: one('Board', Board),
    run: ({ services, actor, params }) => services.boards.get(actor, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/boards/:id',
    summary: 'Change a board',
    who: whoFor(WHO_MAY.boards.update),
    grants: ['manage_boards'],
    body: PatchBoard.strict(),
    answer: one('Board', Board),
    run: ({ services, actor, params, body, check }) => services.boards.update(actor, params.id, body, check),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/boards/:id',
    summary: 'Delete a board',
    who: whoFor(WHO_MAY.boards.delete),
    grants: ['manage_boards'],
    query: z.strictObject({ cascade: flag('Deletes its posts too; without it a board with posts stays') }),
    answer: nothing,
    run: ({ services, actor, params, query, check }) =>
      services.boards.delete(actor, params.id, { ...query, check }),
  }),
];

const statusRoutes = [
  defineRoute({
    method: 'GET',
    path: '/statuses',
    summary: 'List statuses',
    who: whoFor(WHO_MAY.statuses.list),
    grants: ['statuses'],
    answer: whole('Status', Status),
    run: ({ services, actor }) => services.statuses.list(actor),
  }),
  defineRoute({
    method: 'POST',
    path: '/statuses',
    summary: 'Make a status',
    who: whoFor(WHO_MAY.statuses.create),
    grants: ['manage_statuses'],
    body: CreateStatus.strict(),
    answer: created('Status', Status, ({ id }) => `/statuses/${id}`),
    run: ({ services, actor, body }) => services.statuses.create(actor, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/statuses/:id',
    summary: 'Read a status',
    who: whoFor(WHO_MAY.statuses.get),
    grants: ['statuses'],
    answer: one('Status', Status),
    run: ({ services, actor, params }) => services.statuses.get(actor, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/statuses/:id',
    summary: 'Change a status',
    who: whoFor(WHO_MAY.statuses.update),
    grants: ['manage_statuses'],
    body: PatchStatus.strict(),
    answer: one('Status', Status),
    run: ({ services, actor, params, body, check }) =>
      services.statuses.update(actor, params.id, body, check),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/statuses/:id',
    summary: 'Delete a status that no post has',
    who: whoFor(WHO_MAY.statuses.delete),
    grants: ['manage_statuses'],
    answer: nothing,
    run: ({ services, actor, params, check }) => services.statuses.delete(actor, params.id, check),
  }),
];

const tagRoutes = [
  defineRoute({
    method: 'GET',
    path: '/tags',
    summary: 'List tags',
    who: whoFor(WHO_MAY.tags.list),
    grants: ['tags'],
    answer: whole('Tag', Tag),
    run: ({ services, actor }) => services.tags.list(actor),
  }),
  defineRoute({
    method: 'POST',
    path: '/tags',
    summary: 'Make a tag',
    who: whoFor(WHO_MAY.tags.create),
    grants: ['manage_tags'],
    body: CreateTag.strict(),
    answer: created('Tag', Tag, ({ id }) => `/tags/${id}`),
    run: ({ services, actor, body }) => services.tags.create(actor, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/tags/:id',
    summary: 'Read a tag',
    who: whoFor(WHO_MAY.tags.get),
    grants: ['tags'],
    answer: one('Tag', Tag),
    run: ({ services, actor, params }) => services.tags.get(actor, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/tags/:id',
    summary: 'Change a tag',
    who: whoFor(WHO_MAY.tags.update),
    grants: ['manage_tags'],
    body: PatchTag.strict(),
    answer: one('Tag', Tag),
    run: ({ services, actor, params, body, check }) => services.tags.update(actor, params.id, body, check),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/tags/:id',
    summary: 'Delete a tag, also from its posts',
    who: whoFor(WHO_MAY.tags.delete),
    grants: ['manage_tags'],
    answer: nothing,
    run: ({ services, actor, params, check }) => services.tags.delete(actor, params.id, check),
  }),
];

export const sortingRoutes = [...boardRoutes, ...statusRoutes, ...tagRoutes];
