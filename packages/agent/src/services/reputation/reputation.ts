/** Reputation of agents: what they did and how they behaved, as a score, signed where it is to last. */
import { ToolError, typeId } from '@parley/kit';
import type { Caller } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import { agentRow } from '../../permissions/lookup.ts';
import type { AgentRow, AgentTables } from '../../schema.ts';
import type { Acting } from '../../session.ts';
import type { Chain } from '../chain/chain.ts';
import { hashOf, momentOf } from '../chain/entry.ts';
import type { ChainCheck } from '../chain/verify.ts';
import type { TimedScore, Verified } from './attestations.ts';
import { attest, scorePayload, weigh } from './attestations.ts';
import type { AgentCounts } from './counts.ts';
import { CONDUCT_DAYS, DAY_MS, figuresOf } from './figures.ts';
import type { ReputationEventRow, ReputationTables, ViolationKind } from './schema.ts';
import type { Components, TrustLevel } from './score.ts';
import { levelOf, scoreOf } from './score.ts';

/** The score of an agent, and what happened lately. */
export interface Standing extends TimedScore {
  /** Of what an attestation of it would sign. */
  readonly hash: string;
  readonly events: { kind: string; detail: string; at: string }[];
}

/** An attestation as it was signed. */
export interface Published {
  readonly attestation_id: string;
  readonly hash: string;
  readonly prev_hash: string;
  readonly seq: number;
  readonly signature: string;
  readonly key_id: string;
  readonly counted: boolean;
}

type Whose = Pick<Acting, 'organizationId' | 'agentId'>;

export interface Reputation {
  /** Of an agent of the organization; absent: the one that acts. */
  check(acting: Whose, agentId?: string): Promise<Standing>;
  /** The levels of all agents of an organization, by their ids. */
  levels(organizationId: string): Promise<ReadonlyMap<string, TrustLevel>>;
  /** Signs a score; of another agent only for people in the console. */
  publish(acting: Whose & Pick<Acting, 'source'>, agentId?: string): Promise<Published>;
  /** Of the agent that an account belongs to; absent: the one that acts. */
  verify(acting: Whose, accountId?: string): Promise<Verified & { check: ChainCheck }>;
  /** A person's rating, in place of the one they gave before. */
  review(by: Caller, agentId: string, rating: number): Promise<void>;
  /** How many people rated an agent, and what this one said. */
  reviews(by: Caller, agentId: string): Promise<{ readonly count: number; readonly own: number | null }>;
  /** Writes down what counts against an agent; of one that is gone nothing is kept. */
  recordViolation(tx: StoreTransaction, agentId: string, kind: ViolationKind, detail: string): Promise<void>;
  /** The same for a debit that was refused. */
  recordRefusedDebit(tx: StoreTransaction, agentId: string, detail: string): Promise<void>;
}

export interface ReputationParts {
  readonly store: Store;
  readonly chain: Chain;
  readonly counts: AgentCounts;
  readonly now: () => number;
}

const FRESH_MS = 5 * 60_000;
const SHOWN_EVENTS = 10;
const MAX_DETAIL = 500;

export function createReputation({ store, chain, counts, now }: ReputationParts): Reputation {
  const computed = async (from: Queryable, agentId: string): Promise<TimedScore> => {
    const kept = await keptScore(from, agentId, now() - FRESH_MS);
    if (kept !== undefined) return kept;
    const figures = (await figuresOf(from, [agentId], { now: now(), counts })).get(agentId);
    if (figures === undefined) throw noAgent();
    return { ...scoreOf(figures), computedAt: now() };
  };
  const record = (tx: StoreTransaction, event: Pick<ReputationEventRow, 'agent_id' | 'kind' | 'detail'>) =>
    recordEvent(tx, event, now());
  return {
    async check({ organizationId, agentId: own }, agentId = own) {
      await existing(store, organizationId, agentId);
      const score = await computed(store, agentId);
      const events = await lastEvents(store, agentId);
      return { ...score, hash: hashOf(scorePayload(agentId, score)), events };
    },
    async levels(organizationId) {
      const agents = await store
        .db<AgentTables>()
        .selectFrom('agents')
        .select('id')
        .where('organization_id', '=', organizationId)
        .execute();
      const ids = agents.map(({ id }) => id);
      const figures = await figuresOf(store, ids, { now: now(), counts });
      return new Map([...figures].map(([id, known]) => [id, scoreOf(known).trustLevel]));
    },
    publish({ organizationId, agentId: own, source }, agentId = own) {
      if (agentId !== own && source !== 'web')
        throw new ToolError('forbidden', 'agent_id: an agent attests only itself. Leave it out.');
      return store.transaction(async (tx) => {
        await existing(tx, organizationId, agentId);
        const score = await computed(tx, agentId);
        const at = now();
        await keepScore(tx, { organizationId, agentId }, { score, at });
        const { id, entry, isCounted } = await attest(tx, { organizationId, agentId }, { score, chain, at });
        const { hash, prev_hash, seq, signature, key_id } = entry;
        return { attestation_id: id, hash, prev_hash, seq, signature, key_id, counted: isCounted };
      });
    },
    async verify({ organizationId, agentId }, accountId) {
      const { id } =
        accountId === undefined
          ? await existing(store, organizationId, agentId)
          : await ofAccount(store, organizationId, accountId);
      return store.snapshot(async (from) => {
        const check = await chain.check(from, id);
        return { ...(await weigh(from, id, { chain, check })), check };
      });
    },
    async review({ organizationId, userId }, agentId, rating) {
      if (userId === null) throw new ToolError('forbidden', 'This caller has no user to review as.');
      await existing(store, organizationId, agentId);
      const at = now();
      await store
        .db<ReputationTables>()
        .insertInto('agent_reviews')
        .values({
          organization_id: organizationId,
          agent_id: agentId,
          reviewer: userId,
          rating,
          created_at: at,
          updated_at: at,
        })
        .onConflict((conflict) =>
          conflict.columns(['agent_id', 'reviewer']).doUpdateSet({ rating, updated_at: at }),
        )
        .execute();
    },
    async reviews({ organizationId, userId }, agentId) {
      const rows = await store
        .db<ReputationTables>()
        .selectFrom('agent_reviews')
        .select(['reviewer', 'rating'])
        .where('organization_id', '=', organizationId)
        .where('agent_id', '=', agentId)
        .execute();
      const own = rows.find(({ reviewer }) => reviewer === userId)?.rating ?? null;
      return { count: rows.length, own };
    },
    recordViolation: (tx, agentId, kind, detail) => record(tx, { agent_id: agentId, kind, detail }),
    recordRefusedDebit: (tx, agentId, detail) =>
      record(tx, { agent_id: agentId, kind: 'debit_refused', detail }),
  };
}

async function existing(from: Queryable, organizationId: string, agentId: string): Promise<AgentRow> {
  const row = await agentRow(from, organizationId, agentId);
  if (row === undefined) throw noAgent();
  return row;
}

async function ofAccount(from: Queryable, organizationId: string, accountId: string): Promise<AgentRow> {
  const row = await from
    .db<AgentTables>()
    .selectFrom('agents')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (row === undefined)
    throw new ToolError('not_found', 'Account not found. corvid_list_agents has the account ids.');
  return row;
}

function noAgent(): ToolError {
  return new ToolError('not_found', 'Agent not found');
}

/** The score that was attested last, unless it is older than that. */
async function keptScore(from: Queryable, agentId: string, sinceMs: number): Promise<TimedScore | undefined> {
  const row = await from
    .db<ReputationTables>()
    .selectFrom('agent_reputation')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('computed_at', '>=', sinceMs)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { overall, computed_at: computedAt } = row;
  return {
    overall,
    trustLevel: levelOf(overall),
    components: fromJson<Components>(row.components),
    computedAt,
  };
}

async function keepScore(
  tx: StoreTransaction,
  { organizationId, agentId }: { organizationId: string; agentId: string },
  { score, at }: { score: TimedScore; at: number },
): Promise<void> {
  const { overall, components, computedAt } = score;
  const kept = { overall, components: toJson(components), computed_at: computedAt, updated_at: at };
  await tx
    .db<ReputationTables>()
    .insertInto('agent_reputation')
    .values({ ...kept, organization_id: organizationId, agent_id: agentId, created_at: at })
    .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(kept))
    .execute();
}

async function lastEvents(from: Queryable, agentId: string): Promise<Standing['events']> {
  const rows = await from
    .db<ReputationTables>()
    .selectFrom('reputation_events')
    .select(['kind', 'detail', 'created_at'])
    .where('agent_id', '=', agentId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(SHOWN_EVENTS)
    .execute();
  return rows.map(({ kind, detail, created_at }) => ({ kind, detail, at: momentOf(created_at) }));
}

async function recordEvent(
  tx: StoreTransaction,
  { agent_id, kind, detail }: Pick<ReputationEventRow, 'agent_id' | 'kind' | 'detail'>,
  at: number,
): Promise<void> {
  const db = tx.db<AgentTables & ReputationTables>();
  const agent = await db
    .selectFrom('agents')
    .select('organization_id')
    .where('id', '=', agent_id)
    .executeTakeFirst();
  if (agent === undefined) return;
  // What no longer counts is let go of, so that nobody fills the table by misbehaving.
  await db
    .deleteFrom('reputation_events')
    .where('agent_id', '=', agent_id)
    .where('created_at', '<', at - CONDUCT_DAYS * DAY_MS)
    .execute();
  await db
    .insertInto('reputation_events')
    .values({
      organization_id: agent.organization_id,
      agent_id,
      id: typeId('rev', at),
      kind,
      // PostgreSQL takes no zero character, and a detail may be what an agent wrote.
      detail: detail.slice(0, MAX_DETAIL).replaceAll('\0', '').toWellFormed(),
      created_at: at,
      updated_at: at,
    })
    .execute();
}
