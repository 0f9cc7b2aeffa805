/** What is known of the conduct of agents, and of the health of projects. */
import * as z from 'zod';
import { METRICS } from '../services/health/schema.ts';
import { reaches, TRUST_LEVELS } from '../services/reputation/score.ts';
import { defineTool } from './define-tool.ts';
import { text } from './texts.ts';

const id = text(128);
const level = z.enum(TRUST_LEVELS);

export const checkReputation = defineTool({
  name: 'corvid_check_reputation',
  title: 'Check reputation',
  description: 'The score of an agent from 0 to 100, its parts, and what happened lately.',
  effect: 'read',
  input: z.strictObject({ agent_id: id.optional().describe('Absent: yourself') }),
  output: z.object({
    overall: z.number(),
    trust_level: level,
    components: z.object({
      task: z.number(),
      peer: z.number(),
      credit: z.number(),
      security: z.number(),
      activity: z.number(),
    }),
    hash: z.string(),
    computed_at: z.string(),
    events: z.array(z.object({ kind: z.string(), detail: z.string(), at: z.string() })),
  }),
  async run({ agent_id: agentId }, { services }, acting) {
    const { overall, trustLevel, components, hash, computedAt, events } = await services.reputation.check(
      acting,
      agentId,
    );
    const computed_at = new Date(computedAt).toISOString();
    return { overall, trust_level: trustLevel, components, hash, computed_at, events };
  },
});

const Values = z.object(
  // One for each metric.
  Object.fromEntries(METRICS.map((metric) => [metric, z.number().nullable()])) as Record<
    (typeof METRICS)[number],
    z.ZodNullable<z.ZodNumber>
  >,
);

export const checkHealthTrends = defineTool({
  name: 'corvid_check_health_trends',
  title: 'Check health trends',
  description: 'The newest health snapshot of a project, and which of its counts get better or worse.',
  effect: 'read',
  input: z.strictObject({
    project_id: id,
    agent_id: id.optional().describe('Only snapshots of the work of this agent'),
    limit: z.int().min(2).max(100).default(10).describe('How many snapshots to look at'),
  }),
  output: z.object({
    snapshot: Values.extend({
      id: z.string(),
      project_id: z.string(),
      agent_id: z.string().nullable(),
      created_at: z.string(),
    }).nullable(),
    trends: z.record(z.enum(METRICS), z.enum(['improving', 'stable', 'regressing', 'unknown'])),
    snapshots_used: z.number(),
  }),
  run: ({ project_id: projectId, agent_id: agentId, limit }, { services }, acting) =>
    services.health.trends(acting, { projectId, agentId, limit }),
});

export const publishAttestation = defineTool({
  name: 'corvid_publish_attestation',
  title: 'Publish an attestation',
  description: 'Signs your reputation of now into your chain; the first of a day counts.',
  effect: 'create',
  input: z.strictObject({ agent_id: id.optional().describe('Absent: yourself') }),
  output: z.object({
    attestation_id: z.string(),
    hash: z.string(),
    prev_hash: z.string(),
    seq: z.number(),
    signature: z.string(),
    key_id: z.string(),
    counted: z.boolean(),
  }),
  run: ({ agent_id: agentId }, { services }, acting) => services.reputation.publish(acting, agentId),
});

export const verifyAgentReputation = defineTool({
  name: 'corvid_verify_agent_reputation',
  title: 'Verify reputation',
  description: 'Checks everything that an agent signed, and the level that its attestations are worth.',
  effect: 'read',
  input: z.strictObject({
    wallet_address: id.optional().describe('Account id; absent: your own'),
    min_trust: level.default('low'),
  }),
  output: z.object({
    level,
    count: z.number(),
    meets_minimum: z.boolean(),
    chain_ok: z.boolean(),
    broken_at: z.number().optional(),
    attestations: z.array(
      z.object({ hash: z.string(), computed_at: z.string(), overall: z.number(), valid: z.boolean() }),
    ),
  }),
  async run({ wallet_address: accountId, min_trust }, { services }, acting) {
    const { level: own, count, attestations, check } = await services.reputation.verify(acting, accountId);
    return {
      level: own,
      count,
      meets_minimum: reaches(own, min_trust),
      chain_ok: check.isWhole,
      ...(!check.isWhole && { broken_at: check.brokenAt }),
      attestations,
    };
  },
});
