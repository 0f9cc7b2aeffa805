/** Verification: every hash, link and signature is computed again, and so is what was signed and is still stored. */
import type { Queryable } from '@parley/store';
import { hashOf, isSigned, NO_HASH } from './entry.ts';
import { keyPayload, keyRows, publicKeys } from './keys.ts';
import type { ChainRow, ChainTables, EntryKind, SigningKeyRow } from './schema.ts';

/** A stored row that an entry was made for. */
export interface Signed {
  readonly seq: number;
  readonly kind: EntryKind;
  readonly subjectId: string;
  /** The hash of the entry, as the row says. */
  readonly hash: string;
  readonly payload: unknown;
}

/** Rows of an agent whose entries have numbers above `after`, the lowest first. */
export type SignedRows = (
  from: Queryable,
  agentId: string,
  { after, limit }: { after: number; limit: number },
) => Promise<Signed[]>;

/** How a verification ended. */
export type ChainCheck =
  | { readonly isWhole: true; readonly entries: number }
  | { readonly isWhole: false; readonly brokenAt: number };

/** The numbers of those rows that are as they were signed. */
export async function validSeqs(
  from: Queryable,
  agentId: string,
  rows: readonly Signed[],
): Promise<ReadonlySet<number>> {
  if (rows.length === 0) return new Set();
  const seqs = rows.map(({ seq }) => seq);
  const entries = await from
    .db<ChainTables>()
    .selectFrom('agent_chain')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('seq', 'in', seqs)
    .execute();
  const keys = publicKeys(await keyRows(from, agentId));
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
  const checks = rows.map(async (row) => {
    const entry = bySeq.get(row.seq);
    return entry !== undefined && isOf(row, entry) && (await isSigned(entry, keys)) ? row.seq : undefined;
  });
  return new Set((await Promise.all(checks)).filter((seq) => seq !== undefined));
}

function isOf(row: Signed, entry: ChainRow): boolean {
  return (
    row.kind === entry.kind &&
    row.subjectId === entry.subject_id &&
    row.hash === entry.hash &&
    hashOf(row.payload) === entry.payload_hash
  );
}

// Small enough that a page of the longest memories is no burden.
const PAGE = 100;

/** Walks the chain from its beginning; names the first entry that does not hold. */
export async function checkChain(
  from: Queryable,
  agentId: string,
  sources: readonly SignedRows[],
): Promise<ChainCheck> {
  const walk = await beginWalk(from, agentId);
  for (let seq = 0; ; seq += PAGE) {
    const entries = await page(from, agentId, seq);
    const brokenEntry = await walk.broken(entries);
    const brokenRow = await brokenAmong(from, agentId, { sources, entries, after: seq });
    const brokenAt = Math.min(brokenEntry ?? Infinity, brokenRow ?? Infinity);
    if (brokenAt !== Infinity) return { isWhole: false, brokenAt };
    if (entries.length < PAGE) return { isWhole: true, entries: seq + entries.length };
  }
}

function page(from: Queryable, agentId: string, after: number): Promise<ChainRow[]> {
  return from
    .db<ChainTables>()
    .selectFrom('agent_chain')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(PAGE)
    .execute();
}

/** The first stored row of a page that is not as it was signed, or that no entry stands for. */
async function brokenAmong(
  from: Queryable,
  agentId: string,
  {
    sources,
    entries,
    after,
  }: { sources: readonly SignedRows[]; entries: readonly ChainRow[]; after: number },
): Promise<number | undefined> {
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
  const isLast = entries.length < PAGE;
  const broken: number[] = [];
  for (const rowsOf of sources) {
    const rows = await rowsOf(from, agentId, { after, limit: PAGE });
    for (const row of rows) {
      if (row.seq > after + PAGE && !isLast) break;
      const entry = bySeq.get(row.seq);
      if (entry === undefined || !isOf(row, entry)) broken.push(row.seq);
    }
  }
  return broken.length === 0 ? undefined : Math.min(...broken);
}

interface Walk {
  broken(entries: readonly ChainRow[]): Promise<number | undefined>;
}

/** Follows the links, and which key has to sign. */
async function beginWalk(from: Queryable, agentId: string): Promise<Walk> {
  const rows = await keyRows(from, agentId);
  const keys = publicKeys(rows);
  let signer = await firstKey(from, agentId, rows);
  let last = { seq: 0, hash: NO_HASH };
  return {
    async broken(entries) {
      const signed = await Promise.all(entries.map((entry) => isSigned(entry, keys)));
      for (const [index, entry] of entries.entries()) {
        const isNext = entry.seq === last.seq + 1 && entry.prev_hash === last.hash;
        const isBy = entry.key_id === signer && signed[index] === true;
        if (!isNext || !isBy || !isKeyEntry(entry, rows)) return Math.min(entry.seq, last.seq + 1);
        if (entry.kind === 'key') signer = entry.subject_id;
        last = entry;
      }
      return undefined;
    },
  };
}

/** True for an entry about a key that is the key it names, and for every other entry. */
function isKeyEntry(entry: ChainRow, rows: readonly SigningKeyRow[]): boolean {
  if (entry.kind !== 'key') return true;
  const key = rows.find(({ key_id }) => key_id === entry.subject_id);
  return key !== undefined && hashOf(keyPayload(key)) === entry.payload_hash;
}

/** The key that the agent was made with: the one that no entry brought in. */
async function firstKey(
  from: Queryable,
  agentId: string,
  rows: readonly SigningKeyRow[],
): Promise<string | undefined> {
  const later = await from
    .db<ChainTables>()
    .selectFrom('agent_chain')
    .select('subject_id')
    .where('agent_id', '=', agentId)
    .where('kind', '=', 'key')
    .execute();
  const broughtIn = new Set(later.map(({ subject_id }) => subject_id));
  const first = rows.filter(({ key_id }) => !broughtIn.has(key_id));
  return first.length === 1 ? first[0]?.key_id : undefined;
}
