/** Routes of what agents signed with, and of what people think of them. */
import { created, one } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import { TRUST_LEVELS } from '../services/reputation/score.ts';
import { agentOf } from './agent-of.ts';
import { defineRoute } from './route.ts';

const Key = z.object({
  key_id: z.string(),
  public_key: z.string().describe('Ed25519, 32 bytes in base64url'),
  active: z.boolean(),
  created_at: z.string(),
  retired_at: z.string().nullable(),
});

const Review = z.strictObject({ rating: z.int().min(1).max(5) });

const Standing = z.object({
  overall: z.number(),
  trust_level: z.enum(TRUST_LEVELS),
  components: z.object({
    task: z.number(),
    peer: z.number(),
    credit: z.number(),
    security: z.number(),
    activity: z.number(),
  }),
  computed_at: z.string(),
  events: z.array(z.object({ kind: z.string(), detail: z.string(), at: z.string() })),
  reviews: z.int().describe('How many people rated it'),
  own_rating: z.int().nullable().describe('What you said'),
});
const Checked = z.object({
  chain_ok: z.boolean(),
  entries: z.int().nullable().describe('How many there are, when all of them hold'),
  broken_at: z.int().nullable().describe('The first entry that does not hold'),
  level: z.enum(TRUST_LEVELS).describe('What its attestations are worth'),
  days: z.int().describe('How many days were attested'),
  attestations: z.array(
    z.object({ hash: z.string(), computed_at: z.string(), overall: z.number(), valid: z.boolean() }),
  ),
});

export const conductRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:id/reputation',
    summary: 'The score of an agent, its parts, and what happened lately',
    who: 'team',
    grants: ['agents_read'],
    answer: one('AgentReputation', Standing),
    async run(asked) {
      const { services, caller, params } = asked;
      const { overall, trustLevel, components, computedAt, events } = await services.reputation.check(
        await agentOf(asked),
      );
      const { count, own } = await services.reputation.reviews(caller, params.id);
      return {
        overall,
        trust_level: trustLevel,
        components,
        computed_at: new Date(computedAt).toISOString(),
        events,
        reviews: count,
        own_rating: own,
      };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:id/chain',
    summary: 'Check everything that an agent signed, and what its attestations are worth',
    who: 'team',
    grants: ['agents_read'],
    answer: one('ChainCheck', Checked),
    async run(asked) {
      const { services } = asked;
      const { check, level, count, attestations } = await services.reputation.verify(await agentOf(asked));
      return {
        chain_ok: check.isWhole,
        entries: check.isWhole ? check.entries : null,
        broken_at: check.isWhole ? null : check.brokenAt,
        level,
        days: count,
        attestations,
      };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/attestations',
    summary: 'Let an agent sign its score of now',
    who: 'team',
    grants: ['agents_manage'],
    answer: one('Attestation', z.object({ hash: z.string(), seq: z.int(), counted: z.boolean() })),
    async run(asked) {
      const { hash, seq, counted } = await asked.services.reputation.publish({
        ...(await agentOf(asked)),
        source: 'web',
      });
      return { hash, seq, counted };
    },
  }),
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
