/** Routes of the health of projects. */
import { created } from '@parley/http/rest';
import * as z from 'zod';
import type { Metric } from '../services/health/schema.ts';
import { METRICS } from '../services/health/schema.ts';
import { defineRoute } from './route.ts';

const MOST = 1_000_000_000;
const count = z.int().min(0).max(MOST).nullable();
// One for each metric.
const counts = Object.fromEntries(METRICS.map((metric) => [metric, count])) as Record<Metric, typeof count>;

const Snapshot = z.object({
  ...counts,
  id: z.string(),
  project_id: z.string(),
  agent_id: z.string().nullable(),
  created_at: z.string(),
});

export const healthRoutes = [
  defineRoute({
    method: 'POST',
    path: '/:id/health-snapshots',
    summary: 'Report how healthy a project is; what is left out is counted in its files, or not known',
    who: 'team',
    grants: ['health_report'],
    body: z.strictObject({ ...counts, agent_id: z.string().max(128).describe('Whose work it is') }).partial(),
    // Nothing has an address for one of them: agents see the trend.
    answer: { ...created('HealthSnapshot', Snapshot, () => ''), locationOf: () => undefined },
    run: ({ services, caller, params, body: { agent_id: agentId, ...values } }) =>
      services.health.report(caller.organizationId, params.id, { ...values, agentId }),
  }),
];
