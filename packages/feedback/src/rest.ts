/** REST at `/api/v1`: one table of routes over the services. How routes are served: `packages/http`. */
import type { RouteSet } from '@parley/http';
import type { RestOptions } from '@parley/http/rest';
import { defineRoutes, ERROR_STATUS } from '@parley/http/rest';
import { feedbackResources } from './resources.ts';
import type { FeedbackServices } from './services/index.ts';
import { NOUNS } from './services/write.ts';
import { feedbackTools } from './tools/index.ts';

export type { RestOptions };

/** The table of routes, loaded by whoever needs it first. */
export async function restRoutes() {
  return (await import('./rest/routes/index.ts')).ROUTES;
}

/** The set of routes with its documents. */
export const feedbackApi = defineRoutes({
  prefix: '/api/v1',
  toolset: 'feedback',
  title: 'Parley feedback API',
  version: '1',
  description: 'Boards, posts, votes, comments, statuses, tags, roadmaps and the changelog.',
  heading: 'Feedback API',
  note: 'Boards, statuses, tags, roadmaps and members are taken by id, slug or name.',
  routes: restRoutes,
  guards: [...feedbackTools, ...feedbackResources],
  // The second tier is about what a model has to choose from, not about power: decision 012.
  byName: 'wildcard',
  notices: { nouns: NOUNS, people: 'members' },
});

/** The codes of errors with their status, for documents about them. */
export const restErrors: Readonly<Record<string, number>> = ERROR_STATUS;

export function createRestRoutes(services: FeedbackServices, options: RestOptions): RouteSet[] {
  const { store, identity, now, onFault } = services;
  return [
    feedbackApi.serve({
      ...options,
      store,
      identity,
      now,
      onFault,
      toolServices: services,
      async scope(caller) {
        const actor = await services.actor(caller);
        return (onChange) => ({ services, actor: onChange === undefined ? actor : { ...actor, onChange } });
      },
    }),
  ];
}
