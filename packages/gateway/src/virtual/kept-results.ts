/** Results that are longer than an answer may be: the answer carries their beginning, and their caller reads the rest in ranges. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ConnectionTables } from '@parley/connections';
import type { Caller, OutsideResource } from '@parley/kit';
import { defineOutsideResource, isGranted, ToolError, typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { inBatches } from '@parley/store';

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
export interface KeptResults {
  /** The result as it is when its text has no more characters than the budget; else its beginning, with a link. */
  within(caller: Caller, result: CallToolResult, budget: number, from: ResultOrigin): Promise<CallToolResult>;
  /** What reads them; belongs beside every tool that has a budget. */
  readonly documents: readonly OutsideResource[];
}

/** Where an answer tells what was kept of it. */
export const RESULT_META = 'parley/result';

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
  async function keep(caller: Caller, whole: Whole, from: ResultOrigin): Promise<string> {
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
    return id;
  }

  async function read(uri: string, { caller }: { readonly caller: Caller }) {
    const [, id = '', from, to] = PLACE.exec(uri) ?? [];
    const { organizationId } = caller;
    const row = await store
      .db<ConnectionTables>()
      .selectFrom('kept_results')
      .selectAll()
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .where('caller_id', '=', caller.id)
      .where('expires_at', '>', now())
      .executeTakeFirst();
    if (row === undefined || !isGranted(caller.grants, row.toolset, row.tool))
      throw new ToolError('not_found', 'There is no such result. Results are kept for 24 hours.');
    const text = store.secrets.open(row.body, { organizationId, rowId: id });
    const start = boundary(text, Math.min(Number(from ?? 0), text.length));
    const end = boundary(text, Math.min(Number(to ?? text.length), start + MOST_AT_ONCE, text.length));
    return {
      contents: [{ uri, mimeType: row.mime_type, text: text.slice(start, Math.max(start, end)) }],
      _meta: { [RESULT_META]: { size: text.length, from: start, to: Math.max(start, end) } },
    };
  }

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
    documents: [
      ['kept-result', `${PREFIX}{id}`, 'A result that was too long for an answer, from its beginning.'],
      ['kept-result-range', `${PREFIX}{id}?from={from}&to={to}`, 'Characters of such a result.'],
    ].map(([name = '', uriTemplate = '', description = '']) =>
      defineOutsideResource({
        definition: { name, uriTemplate, description },
        // Each is for its own caller, which the read looks at.
        heldBy: () => true,
        read,
      }),
    ),
  };
}

interface Whole {
  readonly text: string;
  readonly mimeType: string;
  /** True: the structure of the result is over the budget, so that it cannot stay. */
  readonly isStructureLong: boolean;
}

/** The text of a result that is over the budget, or its structure where only that is; undefined: neither is. */
function wholeOf({ content, structuredContent }: CallToolResult, budget: number): Whole | undefined {
  const text = content.flatMap((block) => textOf(block) ?? []).join('\n\n');
  const structure = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  if (text.length <= budget && structure.length <= budget) return undefined;
  const isStructureLong = structure.length > budget;
  return text.length > budget
    ? { text: text.toWellFormed(), mimeType: 'text/plain', isStructureLong }
    : { text: structure.toWellFormed(), mimeType: 'application/json', isStructureLong };
}

function textOf(block: CallToolResult['content'][number]): string | undefined {
  if (block.type === 'text') return block.text;
  return block.type === 'resource' && 'text' in block.resource ? block.resource.text : undefined;
}

function shortened(
  { structuredContent, ...result }: CallToolResult,
  { text, mimeType, isStructureLong }: Whole,
  budget: number,
  id: string | undefined,
): CallToolResult {
  const shown = boundary(text, budget);
  const uri = id === undefined ? undefined : `${PREFIX}${id}`;
  const rest =
    uri === undefined
      ? 'The rest could not be kept; ask for less.'
      : `Read the rest from ${uri}?from=${shown}&to=${Math.min(text.length, shown + budget)} and on; it is kept for 24 hours.`;
  const note = `[The first ${shown} of ${text.length} characters. ${rest}]`;
  const others = result.content.filter((block) => textOf(block) === undefined);
  return {
    ...result,
    ...(structuredContent !== undefined && !isStructureLong && { structuredContent }),
    content: [
      { type: 'text', text: `${text.slice(0, shown)}\n\n${note}` },
      ...others,
      ...(uri === undefined
        ? []
        : [
            {
              type: 'resource_link' as const,
              uri,
              name: 'kept-result',
              description: 'The whole result.',
              mimeType,
              size: Buffer.byteLength(text),
            },
          ]),
    ],
    _meta: {
      ...result._meta,
      [RESULT_META]: { size: text.length, shown, ...(uri !== undefined && { uri }) },
    },
  };
}

/** The place, or the one before it where a character of two halves would be cut. */
function boundary(text: string, at: number): number {
  const code = at > 0 && at < text.length ? text.charCodeAt(at) : 0;
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
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
