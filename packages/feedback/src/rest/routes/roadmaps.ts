/** Routes of roadmaps and of the posts on them. */
import { created, nothing, one, page, pageFields, whole } from '@parley/http/rest';
import * as z from 'zod';
import { ids } from '../../shapes/fields.ts';
import { CreateRoadmap, PatchRoadmap, Roadmap, RoadmapPost } from '../../shapes/nouns.ts';
import { defineRoute } from '../route.ts';
import { WHO_MAY } from '../../services/who-may.ts';
import { whoFor } from '../../team-surface.ts';

const roadmapNounRoutes = [
  defineRoute({
    method: 'GET',
    path: '/roadmaps',
    summary: 'List roadmaps',
    who: whoFor(WHO_MAY.roadmaps.list),
    grants: ['roadmaps'],
    answer: whole('Roadmap', Roadmap),
    run: ({ services, actor }) => services.roadmaps.list(actor),
  }),
  defineRoute({
    method: 'POST',
    path: '/roadmaps',
    summary: 'Make a roadmap',
    who: whoFor(WHO_MAY.roadmaps.create),
    grants: ['manage_roadmaps'],
    body: CreateRoadmap.strict(),
    answer: created('Roadmap', Roadmap, ({ id }) => `/roadmaps/${id}`),
    run: ({ services, actor, body }) => services.roadmaps.create(actor, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/roadmaps/:id',
    summary: 'Read a roadmap',
    who: whoFor(WHO_MAY.roadmaps.get),
    grants: ['roadmaps'],
    answer: one('Roadmap', Roadmap),
    run: ({ services, actor, params }) => services.roadmaps.get(actor, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/roadmaps/:id',
    summary: 'Change a roadmap',
    who: whoFor(WHO_MAY.roadmaps.update),
    grants: ['manage_roadmaps'],
    body: PatchRoadmap.strict(),
    answer: one('Roadmap', Roadmap),
    run: ({ services, actor, params, body, check }) =>
      services.roadmaps.update(actor, params.id, body, check),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/roadmaps/:id',
    summary: 'Delete a roadmap; its posts stay',
    who: whoFor(WHO_MAY.roadmaps.delete),
    grants: ['manage_roadmaps'],
    answer: nothing,
    run: ({ services, actor, params, check }) => services.roadmaps.delete(actor, params.id, check),
  }),
];

const entryRoutes = [
  defineRoute({
    method: 'GET',
    path: '/roadmaps/:id/posts',
    summary: 'The posts on a roadmap, in order',
    who: whoFor(WHO_MAY.roadmaps.posts),
    grants: ['roadmaps'],
    query: z.strictObject({ statusId: ids.status.optional(), ...pageFields }),
    answer: page('RoadmapPost', RoadmapPost),
    run: ({ services, actor, params, query }) => services.roadmaps.posts(actor, params.id, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/roadmaps/:id/posts',
    summary: 'Put a post at the end of a roadmap',
    who: whoFor(WHO_MAY.roadmaps.addPost),
    grants: ['manage_roadmap_post'],
    body: z.strictObject({ postId: ids.post }),
    answer: created('RoadmapPost', RoadmapPost, (entry, { id = '' }) => `/roadmaps/${id}/posts/${entry.id}`),
    run: ({ services, actor, params, body }) => services.roadmaps.addPost(actor, params.id, body.postId),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/roadmaps/:id/posts/:postId',
    summary: 'Move a post on a roadmap',
    who: whoFor(WHO_MAY.roadmaps.movePost),
    grants: ['manage_roadmap_post'],
    body: z.strictObject({ position: z.int().min(0).describe('Its new place; 0 is the first') }),
    answer: one('RoadmapPost', RoadmapPost),
    run: ({ services, actor, params, body, check }) =>
      services.roadmaps.movePost(actor, params.id, params.postId, body.position, check),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/roadmaps/:id/posts/:postId',
    summary: 'Take a post off a roadmap',
    who: whoFor(WHO_MAY.roadmaps.removePost),
    grants: ['manage_roadmap_post'],
    answer: nothing,
    run: ({ services, actor, params, check }) =>
      services.roadmaps.removePost(actor, params.id, params.postId, check),
  }),
];

export const roadmapRoutes = [...roadmapNounRoutes, ...entryRoutes];
