/** One entry of a chain: how its hashes are made, and whether they and its signature hold. */
import type { KeyObject } from 'node:crypto';
import { hash, verify } from 'node:crypto';
import { promisify } from 'node:util';
import canonicalize from 'canonicalize';
import type { ChainRow } from './schema.ts';

/** What the first entry of a chain stands on. */
export const NO_HASH = '0'.repeat(64);

/** SHA-256, in hex, of a value's canonical JSON (RFC 8785). */
export function hashOf(value: unknown): string {
  return hash('sha256', canonicalize(value) ?? 'null', 'hex');
}

/** A moment as it is signed; what somebody made of it in the database may be none. */
export function momentOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}

/** What is signed when a row is removed; told from the entry alone, since nothing else is left. */
export function forgottenPayload(subjectId: string, at: number): unknown {
  return { subjectId, forgottenAt: momentOf(at) };
}

/** True for an entry that says that its row was removed. */
export function isForgotten(row: Pick<ChainRow, 'subject_id' | 'payload_hash' | 'created_at'>): boolean {
  return row.payload_hash === hashOf(forgottenPayload(row.subject_id, row.created_at));
}

/** The hash that an entry must have. */
export function entryHash(
  row: Pick<
    ChainRow,
    'agent_id' | 'seq' | 'kind' | 'subject_id' | 'payload_hash' | 'prev_hash' | 'created_at'
  >,
): string {
  return hashOf({
    agentId: row.agent_id,
    seq: row.seq,
    kind: row.kind,
    subjectId: row.subject_id,
    payloadHash: row.payload_hash,
    prevHash: row.prev_hash,
    createdAt: momentOf(row.created_at),
  });
}

// Off the main thread: a chain may have very many entries.
const verifyAsync = promisify(
  (data: Buffer, key: KeyObject, signature: Buffer, done: (error: Error | null, isValid: boolean) => void) =>
    verify(null, data, key, signature, done),
);

/** True when the hash of an entry is its own, and the key it names signed it. */
export async function isSigned(row: ChainRow, keys: ReadonlyMap<string, KeyObject>): Promise<boolean> {
  const key = keys.get(row.key_id);
  if (key === undefined || row.hash !== entryHash(row)) return false;
  return verifyAsync(Buffer.from(row.hash, 'hex'), key, Buffer.from(row.signature, 'base64url'));
}
