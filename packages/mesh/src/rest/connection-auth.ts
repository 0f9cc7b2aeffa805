/** Routes of credentials: how somebody stands with the server behind a connection, and what they do about it. */
import { nothing, one } from '@parley/http/rest';
import * as z from 'zod';
import { CONNECTION_AUTH } from '../connection-auth.ts';
import { defineRoute } from './route.ts';

const grants = [CONNECTION_AUTH];

/** How somebody stands with the server of a connection. */
export const AuthState = z.object({
  kind: z.enum(['none', 'personal_token', 'oauth']).describe('What a call of yours needs'),
  state: z.enum(['ok', 'expiring', 'needs_reauth', 'never']),
  isShared: z.boolean().describe('One authorization serves everybody'),
  expiresAt: z.string().nullable(),
  scope: z.string().nullable(),
});

const Step = z.object({
  step: z.enum(['asked', 'metadata', 'server', 'client', 'sent', 'returned', 'token', 'catalog']),
  state: z.enum(['done', 'waiting', 'failed']),
  text: z.string(),
  at: z.string(),
});

export const connectionAuthRoutes = [
  defineRoute({
    method: 'POST',
    path: '/:id/authorize',
    summary: 'Begin to authorise a connection; the answer has the address for your browser',
    who: 'team',
    grants,
    effect: 'run',
    hasSecret: true,
    answer: one('Authorization', z.object({ url: z.string(), steps: z.array(Step) })),
    async run({ connectionAuth, caller, params }) {
      const { url, steps } = await connectionAuth.authorize(caller, params.id);
      return { url, steps: [...steps] };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:id/auth',
    summary: 'How you stand with the server of a connection',
    who: 'team',
    grants,
    answer: one(
      'AuthStanding',
      AuthState.extend({ steps: z.array(Step).describe('How your last authorization went') }),
    ),
    async run({ connectionAuth, caller, params }) {
      const { expiresAt, ...state } = await connectionAuth.state(caller, params.id);
      const steps = await connectionAuth.steps(caller, params.id);
      return {
        ...state,
        expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
        steps: [...steps],
      };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/:id/auth',
    summary: 'Take your authorization of a connection back',
    who: 'team',
    grants,
    answer: nothing,
    run: ({ connectionAuth, caller, params }) => connectionAuth.revoke(caller, params.id),
  }),
  defineRoute({
    method: 'PUT',
    path: '/:id/token',
    summary: 'Bring a token of your own for a connection',
    who: 'team',
    grants,
    body: z.strictObject({ token: z.string().min(1).max(8192).meta({ writeOnly: true }) }),
    answer: nothing,
    run: ({ connectionAuth, caller, params, body }) => connectionAuth.setToken(caller, params.id, body.token),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/:id/token',
    summary: 'Take your token for a connection away',
    who: 'team',
    grants,
    answer: nothing,
    run: ({ connectionAuth, caller, params }) => connectionAuth.removeToken(caller, params.id),
  }),
];
