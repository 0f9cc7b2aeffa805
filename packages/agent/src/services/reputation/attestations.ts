/** Attestations: scores that an agent signed, and what they say of it together. */
import { typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import { sql } from 'kysely';
import type { Chain } from '../chain/chain.ts';
import { momentOf } from '../chain/entry.ts';
import type { ChainRow, ChainTables } from '../chain/schema.ts';
import type { ChainCheck, Signed, SignedRows } from '../chain/verify.ts';
import { DAY_MS } from './figures.ts';
import type { AttestationRow, ReputationTables } from './schema.ts';
import type { Components, Score, TrustLevel } from './score.ts';
import { levelOfCount, lowerOf, TRUST_LEVELS } from './score.ts';

/** A score with the moment it was computed at. */
export interface TimedScore extends Score {
  readonly computedAt: number;
}

/** What is signed of a score. */
export function scorePayload(agentId: string, score: TimedScore): unknown {
  return {
    agentId,
    overallScore: score.overall,
    trustLevel: score.trustLevel,
    components: score.components,
    computedAt: momentOf(score.computedAt),
  };
}

/** Signs a score; the first one of a day in UTC is counted. */
export async function attest(
  tx: StoreTransaction,
  { organizationId, agentId }: { organizationId: string; agentId: string },
  { score, chain, at }: { score: TimedScore; chain: Chain; at: number },
): Promise<{ id: string; entry: ChainRow; isCounted: boolean }> {
  await chain.hold(tx, agentId);
  const id = typeId('att', at);
  const payload = scorePayload(agentId, score);
  const entry = await chain.append(tx, {
    organizationId,
    agentId,
    kind: 'attestation',
    subjectId: id,
    payload,
  });
  const isCounted = !(await hasCounted(tx, agentId, at));
  await tx
    .db<ReputationTables>()
    .insertInto('reputation_attestations')
    .values({
      organization_id: organizationId,
      agent_id: agentId,
      id,
      overall: score.overall,
      level: score.trustLevel,
      components: toJson(score.components),
      computed_at: score.computedAt,
      counted: isCounted ? 1 : 0,
      hash: entry.hash,
      seq: entry.seq,
      created_at: at,
      updated_at: at,
    })
    .execute();
  return { id, entry, isCounted };
}

async function hasCounted(tx: StoreTransaction, agentId: string, at: number): Promise<boolean> {
  const day = at - (at % DAY_MS);
  const row = await tx
    .db<ReputationTables>()
    .selectFrom('reputation_attestations')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('counted', '=', 1)
    .where('created_at', '>=', day)
    .where('created_at', '<', day + DAY_MS)
    .executeTakeFirst();
  return row !== undefined;
}

/** The attestations that a chain speaks of. */
export const signedAttestations: SignedRows = async (from, agentId, { after, limit }) => {
  const rows = await from
    .db<ReputationTables>()
    .selectFrom('reputation_attestations')
    .selectAll()
    .where('agent_id', '=', agentId)
    .$if(after > 0, (later) => later.where('seq', '>', after))
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(signedOf);
};

function signedOf(row: AttestationRow): Signed {
  const score = {
    overall: row.overall,
    // Written from a level, and the signature says whether it still is one.
    trustLevel: row.level as TrustLevel,
    components: componentsOf(row.components),
    computedAt: row.computed_at,
  };
  const payload = score.components && scorePayload(row.agent_id, { ...score, components: score.components });
  return { seq: row.seq, kind: 'attestation', subjectId: row.id, hash: row.hash, payload };
}

/** Undefined for a text that is no JSON any more. */
function componentsOf(text: string): Components | undefined {
  try {
    return fromJson<Components>(text);
  } catch {
    return undefined; // whoever changed the row is told by the signature
  }
}

/** What the attestations of an agent say of it. */
export interface Verified {
  readonly level: TrustLevel;
  readonly count: number;
  readonly attestations: { hash: string; computed_at: string; overall: number; valid: boolean }[];
}

const SHOWN = 10;

/** Weighs the attestations of an agent, the newest first; those of a broken chain are worth nothing. */
export async function weigh(
  from: Queryable,
  agentId: string,
  { chain, check }: { chain: Chain; check: ChainCheck },
): Promise<Verified> {
  const rows = await from
    .db<ReputationTables>()
    .selectFrom('reputation_attestations')
    .selectAll()
    .where('agent_id', '=', agentId)
    .orderBy('seq', 'desc')
    .limit(SHOWN)
    .execute();
  const valid = check.isWhole
    ? rows.map(() => true)
    : await chain.areSigned(from, agentId, rows.map(signedOf));
  const count = check.isWhole ? await countedOf(from, agentId) : 0;
  const newest = TRUST_LEVELS.find((level) => level === rows[0]?.level);
  return {
    level: newest === undefined ? 'untrusted' : lowerOf(levelOfCount(count), newest),
    count,
    attestations: rows.map(({ hash, computed_at, overall }, at) => ({
      hash,
      computed_at: momentOf(computed_at),
      overall,
      valid: valid[at] === true,
    })),
  };
}

/** How many days were attested, by what was signed: a mark in a row is easily changed. */
async function countedOf(from: Queryable, agentId: string): Promise<number> {
  const day = sql`entry.created_at / ${sql.lit(DAY_MS)}`;
  const { count } = await from
    .db<ChainTables & ReputationTables>()
    .selectFrom('agent_chain as entry')
    .innerJoin('reputation_attestations as stored', (join) =>
      join.onRef('stored.agent_id', '=', 'entry.agent_id').onRef('stored.seq', '=', 'entry.seq'),
    )
    .select(sql<number>`count(distinct ${day})`.as('count'))
    .where('entry.agent_id', '=', agentId)
    .executeTakeFirstOrThrow();
  return count;
}
