/** The kinds of calls: what many records have in common is stored once, and a record only names it. */
import { createHash } from 'node:crypto';
import type { NewCallRecord } from './record-table.ts';

/** The columns of a kind, in the order of `kindValues`. */
export const KIND_COLUMNS = [
  'organization_id',
  'caller_id',
  'user_id',
  'source',
  'toolset',
  'tool',
  'method',
  'effect',
  'outcome',
  'code',
  'era',
  'client',
  'virtual_mcp_id',
] as const;

const MINUTE_MS = 60_000;
// Records come a little out of order: a kind outlives the last record of it for so long.
const SPARE_MINUTES = 5;
// A kind that was told to be in use so many minutes ago need not be told again: well within the spare ones.
const FRESH_MINUTES = 3;
const MOST_KNOWN = 131_072;

/** The values of a record that its kind holds. */
export function kindValues(record: NewCallRecord): (string | null)[] {
  const { organizationId, callerId, userId, source, toolset, tool, method, effect, outcome } = record;
  const { code, era, client, virtualMcpId = null } = record;
  const who = [organizationId, callerId, userId, source];
  return [...who, toolset, tool, method, effect, outcome, code, era, client, virtualMcpId];
}

/** The minute in which a kind was used last; it goes when all records are younger. */
export function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS);
}

/** Kinds that were last used before this minute have no record any more. */
export function lastMinuteWithout(oldestAt: number): number {
  return minuteOf(oldestAt) - SPARE_MINUTES;
}

/** The same for the same kind, whatever its texts; a text of any length makes a key of this one. */
export function storedKey(record: NewCallRecord): string {
  return createHash('sha256')
    .update(JSON.stringify(kindValues(record)))
    .digest('base64url');
}

/** The ids of the kinds that this process has used. */
export class KnownKinds {
  readonly #ids = new Map<string, { readonly id: number; readonly minute: number }>();

  /** The id, unless it is not known or was not used for some minutes before the record. */
  idOf(record: NewCallRecord): number | undefined {
    const known = this.#ids.get(memoryKey(record));
    return known !== undefined && known.minute + FRESH_MINUTES >= minuteOf(record.at) ? known.id : undefined;
  }

  learn(record: NewCallRecord, id: number): void {
    const key = memoryKey(record);
    this.#ids.delete(key);
    const oldest = this.#ids.size >= MOST_KNOWN ? this.#ids.keys().next().value : undefined;
    if (oldest !== undefined) this.#ids.delete(oldest);
    this.#ids.set(key, { id, minute: minuteOf(record.at) });
  }

  /** After a rollback nothing that was learned need be there. */
  forget(): void {
    this.#ids.clear();
  }
}

// Tool and client may be words of a stranger: with their lengths in front no other record has the same key.
function memoryKey(record: NewCallRecord): string {
  const { organizationId, callerId, userId, source, toolset, tool, method, effect, outcome } = record;
  const { code, era, client, virtualMcpId } = record;
  return `${tool.length} ${client?.length} ${callerId}\n${tool}\n${client}\n${outcome}\n${code}\n${toolset}\n${method}\n${era}\n${source}\n${organizationId}\n${userId}\n${effect}\n${virtualMcpId}`;
}
