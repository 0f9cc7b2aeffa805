/** Routes of what agents signed with, and of what people think of them. */
import { created, one } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import { defineRoute } from './route.ts';

const Key = z.object({
  key_id: z.string(),
  public_key: z.string().describe('Ed25519, 32 bytes in base64url'),
  active: z.boolean(),
  created_at: z.string(),
  retired_at: z.string().nullable(),
});

const Review = z.strictObject({ rating: z.int().min(1).max(5) });

export const conductRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:id/keys',
    summary: 'The public keys that an agent signs with, oldest first',
    who: 'team',
    grants: ['agents_read'],
    answer: one('SigningKeyList', z.object({ keys: z.array(Key) })),
    async run({ services, caller, params }) {
      const keys = await services.chain.keys(caller.organizationId, params.id);
      if (keys.length === 0) throw new ToolError('not_found', 'Agent not found');
      return { keys };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/keys/rotate',
    summary: 'Give an agent a new key to sign with; the old one signs the change',
    isSensitive: true,
    who: 'team',
    grants: ['agents_manage'],
    answer: created('SigningKey', Key, (_, { id }) => `/${id}/keys`),
    run: ({ services, caller, params }) => services.chain.changeKey(caller, params.id),
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/reviews',
    summary: 'Rate an agent; your rating replaces the one you gave before',
    who: 'team',
    grants: ['agents_review'],
    body: Review,
    answer: one('Review', Review.extend({ agent_id: z.string() })),
    async run({ services, caller, params, body: { rating } }) {
      await services.reputation.review(caller, params.id, rating);
      return { agent_id: params.id, rating };
    },
  }),
];
