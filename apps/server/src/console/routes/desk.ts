/** Saved views, and the first run. */
import { one, whole } from '@parley/http/rest';
import * as z from 'zod';
import { firstRunOf, keepViews, skipFirstRun, viewsOf } from '../desks.ts';
import { defineRoute, personIn } from '../scope.ts';

const MOST_VIEWS = 200;
// Saved inputs of tools are kept here too.
const LONGEST_SEARCH = 20_000;

const View = z.strictObject({
  name: z.string().trim().min(1).max(100),
  search: z.string().max(LONGEST_SEARCH),
});

const FirstRun = z.object({
  steps: z.object({
    signIn: z.boolean().describe('The person has a password or a passkey'),
    client: z.boolean().describe('A client has connected'),
    call: z
      .object({ id: z.string(), at: z.iso.datetime(), tool: z.string(), client: z.string().nullable() })
      .nullable(),
  }),
  isDone: z.boolean(),
  isSkipped: z.boolean(),
});

const ownerIn = (scope: Parameters<typeof personIn>[0] & { caller: { organizationId: string } }) => ({
  organizationId: scope.caller.organizationId,
  userId: personIn(scope).userId,
});

export const deskRoutes = [
  defineRoute({
    method: 'GET',
    path: '/views/:screen',
    summary: 'One’s saved views of a screen',
    who: 'person',
    isQuiet: true,
    answer: whole('View', View),
    run: async (scope) => [...(await viewsOf(scope.host.store, ownerIn(scope), scope.params.screen))],
  }),
  defineRoute({
    method: 'PUT',
    path: '/views/:screen',
    summary: 'Keep views of a screen in the place of those before',
    who: 'person',
    isQuiet: true,
    body: z.strictObject({ views: z.array(View).max(MOST_VIEWS) }),
    answer: whole('View', View),
    async run(scope) {
      const { views } = scope.body;
      await keepViews(scope.host.store, ownerIn(scope), { screen: scope.params.screen.slice(0, 100), views });
      return views;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/first-run',
    summary: 'How far the first run has come',
    who: 'person',
    isQuiet: true,
    answer: one('FirstRun', FirstRun),
    run: ({ host, caller }) => firstRunOf(host, caller),
  }),
  defineRoute({
    method: 'PUT',
    path: '/first-run',
    summary: 'Leave the first run, or come back to it',
    who: 'person',
    isQuiet: true,
    body: z.strictObject({ isSkipped: z.boolean() }),
    answer: one('FirstRun', FirstRun),
    async run(scope) {
      await skipFirstRun(scope.host.store, ownerIn(scope), scope.body.isSkipped);
      return firstRunOf(scope.host, scope.caller);
    },
  }),
];
