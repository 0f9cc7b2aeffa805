/** What is known of agents, read from everything that their scores are made of. */
import type { Queryable } from '@parley/store';
import type { CreditTables } from '../credits/schema.ts';
import type { AgentCounts } from './counts.ts';
import type { ReputationTables, ViolationKind } from './schema.ts';
import type { Figures } from './score.ts';

export const DAY_MS = 86_400_000;

/** How long conduct counts. */
export const CONDUCT_DAYS = 90;
const ACTIVITY_DAYS = 30;

const VIOLATIONS: readonly ViolationKind[] = [
  'blocked_address',
  'path_escape',
  'self_grant',
  'bad_signature',
];

/** The figures of agents, by their ids. */
export async function figuresOf(
  from: Queryable,
  agentIds: readonly string[],
  { now, counts }: { now: number; counts: AgentCounts },
): Promise<ReadonlyMap<string, Figures>> {
  if (agentIds.length === 0) return new Map();
  const since = now - CONDUCT_DAYS * DAY_MS;
  const work = await counts.workTasks(from, agentIds);
  const sessions = await counts.sessions(from, agentIds, now - ACTIVITY_DAYS * DAY_MS);
  const reviews = await reviewsOf(from, agentIds);
  const paid = await paidDebits(from, agentIds, since);
  const events = await eventsOf(from, agentIds, since);
  return new Map(
    agentIds.map((id) => {
      const own = events.filter(({ agent_id }) => agent_id === id);
      const sum = (kinds: readonly string[]) =>
        own.reduce((whole, { kind, count }) => whole + (kinds.includes(kind) ? Number(count) : 0), 0);
      const review = reviews.get(id);
      return [
        id,
        {
          completedTasks: work.get(id)?.completed ?? 0,
          failedTasks: work.get(id)?.failed ?? 0,
          reviews: Number(review?.count ?? 0),
          meanRating: Number(review?.mean ?? 0),
          paidDebits: paid.get(id) ?? 0,
          refusedDebits: sum(['debit_refused']),
          violations: sum(VIOLATIONS),
          sessions: sessions.get(id) ?? 0,
        },
      ];
    }),
  );
}

async function reviewsOf(from: Queryable, agentIds: readonly string[]) {
  const rows = await from
    .db<ReputationTables>()
    .selectFrom('agent_reviews')
    .select(({ fn }) => ['agent_id', fn.countAll().as('count'), fn.avg('rating').as('mean')])
    .where('agent_id', 'in', agentIds)
    .groupBy('agent_id')
    .execute();
  return new Map(rows.map((row) => [row.agent_id, row]));
}

async function paidDebits(from: Queryable, agentIds: readonly string[], since: number) {
  const rows = await from
    .db<CreditTables>()
    .selectFrom('credit_transactions as moved')
    .innerJoin('credit_accounts as account', 'account.account_id', 'moved.account_id')
    .select(({ fn }) => ['account.agent_id as agentId', fn.countAll().as('count')])
    .where('account.agent_id', 'in', agentIds)
    .where('moved.type', 'in', ['deduction', 'agent_message'])
    .where('moved.created_at', '>=', since)
    .groupBy('account.agent_id')
    .execute();
  return new Map(rows.map(({ agentId, count }) => [agentId, Number(count)]));
}

function eventsOf(from: Queryable, agentIds: readonly string[], since: number) {
  return from
    .db<ReputationTables>()
    .selectFrom('reputation_events')
    .select(({ fn }) => ['agent_id', 'kind', fn.countAll().as('count')])
    .where('agent_id', 'in', agentIds)
    .where('created_at', '>=', since)
    .groupBy(['agent_id', 'kind'])
    .execute();
}
