/** Verification: every hash, link and signature is computed again, and so is what was signed and is still stored. */
import type { Queryable, SecretBox } from '@parley/store';
import { hashOf, isForgotten, isSigned, NO_HASH } from './entry.ts';
import type { Head } from './head.ts';
import { brokenEnd, headOf } from './head.ts';
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

/** Rows of an agent whose entries have numbers above `after`, the lowest first; all of the lowest at 0. */
export type SignedRows = (
  from: Queryable,
  agentId: string,
  { after, limit }: { after: number; limit: number },
) => Promise<Signed[]>;

/** How a verification ended. */
export type ChainCheck =
  | { readonly isWhole: true; readonly entries: number }
  | { readonly isWhole: false; readonly brokenAt: number };

/** For each row, whether it is as it was signed last. */
export async function areSigned(
  from: Queryable,
  agentId: string,
  rows: readonly Signed[],
): Promise<readonly boolean[]> {
  const newest = await newestEntries(from, agentId, rows.map(subjectOf));
  const keys = publicKeys(await keyRows(from, agentId));
  return Promise.all(
    rows.map(async (row) => {
      const entry = newest.get(row.subjectId);
      return entry !== undefined && isOf(row, entry) && isSigned(entry, keys);
    }),
  );
}

const subjectOf = ({ subjectId }: Signed) => subjectId;

/** The last entry about each subject: an older one stands for what was replaced since. */
async function newestEntries(
  from: Queryable,
  agentId: string,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, ChainRow>> {
  if (subjects.length === 0) return new Map();
  const entries = await from
    .db<ChainTables>()
    .selectFrom('agent_chain')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('seq', 'in', (of) =>
      of
        .selectFrom('agent_chain')
        .select(({ fn }) => fn.max('seq').as('seq'))
        .where('agent_id', '=', agentId)
        .where('subject_id', 'in', subjects)
        .groupBy('subject_id'),
    )
    .execute();
  return new Map(entries.map((entry) => [entry.subject_id, entry]));
}

function isOf(row: Signed, entry: ChainRow): boolean {
  return (
    row.seq === entry.seq &&
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
  { sources, secrets }: { readonly sources: readonly SignedRows[]; readonly secrets: SecretBox },
): Promise<ChainCheck> {
  const walk = await beginWalk(from, agentId);
  let brokenAt = Infinity;
  for (let seq = 0; ; seq += PAGE) {
    const entries = await page(from, agentId, seq);
    const isLast = entries.length < PAGE;
    const brokenEntry = await walk.broken(entries);
    const brokenRow = await brokenAmong(from, agentId, { sources, entries, isLast, after: seq });
    brokenAt = Math.min(brokenAt, brokenEntry ?? Infinity, brokenRow ?? Infinity);
    if (isLast && brokenEntry === undefined) {
      const head = await headOf(from, agentId, secrets);
      brokenAt = Math.min(brokenAt, brokenEnd(head, walk.last()) ?? Infinity);
    }
    // What a row breaks may be further on, and something else may be broken before it.
    if (brokenAt <= seq + PAGE || (isLast && brokenAt !== Infinity)) return { isWhole: false, brokenAt };
    if (isLast) return { isWhole: true, entries: seq + entries.length };
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

interface Page {
  readonly sources: readonly SignedRows[];
  readonly entries: readonly ChainRow[];
  readonly isLast: boolean;
  readonly after: number;
}

/** The first of the last entries whose stored row is not as it was signed, or is gone; a row may name an entry that is gone. */
async function brokenAmong(
  from: Queryable,
  agentId: string,
  { sources, entries, isLast, after }: Page,
): Promise<number | undefined> {
  const broken: number[] = [];
  const stored = new Set<string>();
  for (const rowsOf of sources) {
    // One more than there are numbers: of rows that share one, two are seen.
    const found = await rowsOf(from, agentId, { after, limit: PAGE + 1 });
    const rows = found.filter(({ seq }) => isLast || seq <= after + PAGE);
    const newest = await newestEntries(from, agentId, rows.map(subjectOf));
    for (const row of rows) {
      const entry = newest.get(row.subjectId);
      stored.add(row.subjectId);
      if (entry === undefined || !isOf(row, entry)) broken.push(Math.max(entry?.seq ?? 0, row.seq));
    }
  }
  // What is not stored was replaced since, or was removed by an entry that says so.
  const rowless = entries.filter((entry) => entry.kind !== 'key' && !stored.has(entry.subject_id));
  const wanted = rowless.filter((entry) => !isForgotten(entry));
  const newest = await newestEntries(
    from,
    agentId,
    wanted.map(({ subject_id }) => subject_id),
  );
  const last = wanted.filter(({ subject_id, seq }) => newest.get(subject_id)?.seq === seq);
  broken.push(...last.map(({ seq }) => seq));
  return broken.length === 0 ? undefined : Math.min(...broken);
}

interface Walk {
  broken(entries: readonly ChainRow[]): Promise<number | undefined>;
  /** The last entry that holds. */
  last(): Head;
}

/** Follows the links, and which key has to sign. */
async function beginWalk(from: Queryable, agentId: string): Promise<Walk> {
  const rows = await keyRows(from, agentId);
  const keys = publicKeys(rows);
  let signer = await firstKey(from, agentId, rows);
  let last: Head = { seq: 0, hash: NO_HASH };
  return {
    last: () => last,
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
