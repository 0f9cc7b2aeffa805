/** Results that are longer than an answer may be: the answer carries their beginning, and their caller reads the rest in ranges. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ConnectionTables } from '@parley/connections';
import type { Caller, LongResults, OutsideResource } from '@parley/kit';
import { defineOutsideResource, isGranted, ToolError, typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { inBatches } from '@parley/store';
import { fittedResult } from './fitted-result.ts';
import type { KeptPart } from './shortened-result.ts';
import { boundary, BYTES, RESULT_META, shortened, wholeOf } from './shortened-result.ts';

/** What results are kept with. */
export interface KeptResultOptions {
  readonly store: Store;
  readonly onFault: (error: unknown, where: string) => void;
  readonly now?: () => number;
  /** What one organization may have kept; what is oldest goes first. */
  readonly most?: { readonly results: number; readonly characters: number };
}

/** The tool that a result is of, as grants name it: whoever loses it loses its results. */
export interface ResultOrigin {
  readonly toolset: string;
  readonly tool: string;
}

/** The result and, in it, where the whole of it is. */
export interface KeptResults extends LongResults {
  /** The result as it is when its text has no more characters than the budget; else its beginning, with a link. */
  within(caller: Caller, result: CallToolResult, budget: number, from: ResultOrigin): Promise<CallToolResult>;
  /** What reads them; belongs beside every tool that has a budget. */
  readonly documents: readonly OutsideResource[];
}

const PREFIX = 'parley://results/';
const PLACE = /^parley:\/\/results\/([A-Za-z0-9_-]{1,64})(?:\?from=(\d{1,9})&to=(\d{1,9}))?$/;
const KEPT_MS = 24 * 3_600_000;
const MOST = { results: 1000, characters: 64 * 1024 * 1024 };
/** The most that one read gives: a model that wants more asks again. */
const MOST_AT_ONCE = 200_000;

/** True for the URI of a kept result, or of what reads them. */
export function isKeptResult(uri: string): boolean {
  return uri.startsWith(PREFIX);
}

const BATCH = 100;

/** Forgets results whose time is over, beside those that are made. */
export async function sweepKeptResults(store: Store, now: number, signal?: AbortSignal): Promise<void> {
  await inBatches(
    store,
    async (tx) => {
      const db = tx.db<ConnectionTables>();
      const old = db
        .selectFrom('kept_results')
        .select('id')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(BATCH);
      const gone = await db.deleteFrom('kept_results').where('id', 'in', old).executeTakeFirst();
      return Number(gone.numDeletedRows) === BATCH ? 'more' : 'done';
    },
    signal,
  );
}

/** Creates it over a store. */
export function createKeptResults({
  store,
  onFault,
  now = () => store.now(),
  most = MOST,
}: KeptResultOptions): KeptResults {
  async function keep(caller: Caller, whole: KeptPart, from: ResultOrigin): Promise<string> {
    const { organizationId } = caller;
    const id = typeId('res', now());
    const at = now();
    const row = {
      id,
      organization_id: organizationId,
      caller_id: caller.id,
      ...from,
      size: whole.text.length,
      mime_type: whole.mimeType,
      body: store.secrets.seal(whole.text, { organizationId, rowId: id }),
      created_at: at,
      expires_at: at + KEPT_MS,
    };
    await store.db<ConnectionTables>().insertInto('kept_results').values(row).execute();
    // It is kept, whatever becomes of those that it is one too many for.
    await inBatches(store, (tx) => dropOverflow(tx, organizationId, most)).catch((error: unknown) =>
      onFault(error, 'kept results'),
    );
    return `${PREFIX}${id}`;
  }

  async function rowOf(uri: string, caller: Caller) {
    const [, id = '', from, to] = PLACE.exec(uri) ?? [];
    if (id === '') return undefined;
    const row = await store
      .db<ConnectionTables>()
      .selectFrom('kept_results')
      .selectAll()
      .where('id', '=', id)
      .where('organization_id', '=', caller.organizationId)
      .where('caller_id', '=', caller.id)
      .where('expires_at', '>', now())
      .executeTakeFirst();
    const isTheirs = row !== undefined && isGranted(caller.grants, row.toolset, row.tool);
    return isTheirs ? { row, from, to } : undefined;
  }

  async function read(uri: string, { caller }: { readonly caller: Caller }) {
    const found = await rowOf(uri, caller);
    if (found === undefined)
      throw new ToolError('not_found', 'There is no such result. Results are kept for 24 hours.');
    const { row, from, to } = found;
    const text = store.secrets.open(row.body, { organizationId: caller.organizationId, rowId: row.id });
    // Bytes make no sense in parts.
    if (row.mime_type.endsWith(BYTES))
      return { contents: [{ uri, mimeType: row.mime_type.slice(0, -BYTES.length), blob: text }] };
    const start = boundary(text, Math.min(Number(from ?? 0), text.length));
    const end = boundary(text, Math.min(Number(to ?? text.length), start + MOST_AT_ONCE, text.length));
    return {
      contents: [{ uri, mimeType: row.mime_type, text: text.slice(start, Math.max(start, end)) }],
      _meta: { [RESULT_META]: { size: text.length, from: start, to: Math.max(start, end) } },
    };
  }

  const document = (name: string, uriTemplate: string, description: string) =>
    defineOutsideResource({
      definition: { name, uriTemplate, description },
      // Each is for its own caller, which the read looks at.
      heldBy: () => true,
      read,
    });
  const documents = [
    document('kept-result', `${PREFIX}{id}`, 'A result that was too long for an answer, from its beginning.'),
    document('kept-result-range', `${PREFIX}{id}?from={from}&to={to}`, 'Characters of such a result.'),
  ] as const;

  return {
    async within(caller, result, budget, from) {
      const whole = wholeOf(result, budget);
      if (whole === undefined) return result;
      try {
        return shortened(result, whole, budget, await keep(caller, whole, from));
      } catch (error) {
        // The tool has done its work: its beginning is worth more than a failure.
        onFault(error, 'kept results');
        return shortened(result, whole, budget, undefined);
      }
    },
    async fitted(caller, result, maxBytes, from) {
      // Whoever has the tool otherwise than by a grant could not read what is kept.
      if (!isGranted(caller.grants, from.toolset, from.tool)) return undefined;
      try {
        return await fittedResult(result, maxBytes, (part) => keep(caller, part, from));
      } catch (error) {
        onFault(error, 'kept results');
        return undefined;
      }
    },
    holds: async (caller, uri) => (await rowOf(uri, caller)) !== undefined,
    reader: documents[0],
    documents,
  };
}

/** Deletes some of those that are too many or too much. */
async function dropOverflow(
  tx: StoreTransaction,
  organizationId: string,
  most: { readonly results: number; readonly characters: number },
): Promise<'more' | 'done'> {
  const db = tx.db<ConnectionTables>();
  const all = await db
    .selectFrom('kept_results')
    .select(['id', 'size'])
    .where('organization_id', '=', organizationId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const over = overflowing(all, most).slice(-BATCH);
  if (over.length > 0) await db.deleteFrom('kept_results').where('id', 'in', over).execute();
  return over.length === BATCH ? 'more' : 'done';
}

/** The ids of those that are too many or too much, the oldest; the newest stays whatever its size. */
function overflowing(
  newestFirst: readonly { readonly id: string; readonly size: number }[],
  most: { readonly results: number; readonly characters: number },
): string[] {
  let characters = 0;
  return newestFirst
    .filter(({ size }, index) => {
      characters += size;
      return index > 0 && (index >= most.results || characters > most.characters);
    })
    .map(({ id }) => id);
}
