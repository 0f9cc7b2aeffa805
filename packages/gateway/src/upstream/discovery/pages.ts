/** One list of an upstream, all pages of it: a list that cannot be read to its end is none. */
import * as z from 'zod';
import { MAX_CATALOG_BYTES, MAX_ITEMS, MAX_PAGES } from '../limits.ts';
import { UpstreamFault } from '../link.ts';

/** Asks for a page. */
export type AskPage = (
  method: string,
  params: Readonly<Record<string, unknown>>,
) => Promise<Readonly<Record<string, unknown>>>;

const Items = z.array(z.unknown());
const Cursor = z.string().max(4096).nullish();
/** What a document of a service has that could not become a tool; our own translation says it with the list. */
const cut = z.string().transform((text) => text.slice(0, 300));
const LeftOut = z.array(z.object({ what: cut, reason: cut })).max(1000);
/** Which request each of its tools stands for; it says this too. */
const Requests = z.record(z.string(), z.string().max(100));

export interface WholeList {
  readonly items: readonly unknown[];
  /** The shortest time that a page says it holds; null: none says. */
  readonly ttlMs: number | null;
  /** What the server says that it left out, and why. */
  readonly leftOut: readonly { readonly what: string; readonly reason: string }[];
  /** Digests of the requests behind its tools, by name. */
  readonly requests: Readonly<Record<string, string>>;
}

/** Follows every page. */
export async function wholeList(
  ask: AskPage,
  { method, field }: { readonly method: string; readonly field: string },
): Promise<WholeList> {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  const ttls: number[] = [];
  const leftOut: z.infer<typeof LeftOut> = [];
  const requests = new Map<string, string>();
  let sizeBytes = 0;
  let cursor: string | undefined;
  for (;;) {
    const page = await ask(method, cursor === undefined ? {} : { cursor });
    const found = Items.safeParse(page[field]).data;
    const next = Cursor.safeParse(page['nextCursor']);
    if (found === undefined || !next.success) throw broken(`The answer to ${method} is no list.`);
    if (items.length + found.length > MAX_ITEMS)
      throw broken(`${method} gives more than ${MAX_ITEMS} items.`);
    for (const item of found) {
      sizeBytes += Buffer.byteLength(JSON.stringify(item) ?? '');
      items.push(item);
    }
    if (sizeBytes > MAX_CATALOG_BYTES) throw broken(`${method} gives more than ${MAX_CATALOG_BYTES} bytes.`);
    if (typeof page['ttlMs'] === 'number' && page['ttlMs'] > 0) ttls.push(page['ttlMs']);
    const { 'parley/left-out': left, 'parley/requests': behind } = metaOf(page);
    leftOut.push(...(LeftOut.safeParse(left).data ?? []));
    for (const entry of Object.entries(Requests.safeParse(behind).data ?? {})) requests.set(...entry);
    // An empty one is how some servers say that there is no more.
    cursor = next.data || undefined;
    const ttlMs = ttls.length === 0 ? null : Math.min(...ttls);
    if (cursor === undefined) return { items, ttlMs, leftOut, requests: Object.fromEntries(requests) };
    if (cursors.has(cursor)) throw broken(`${method} gives the same cursor twice.`);
    cursors.add(cursor);
    if (cursors.size >= MAX_PAGES) throw broken(`${method} has more than ${MAX_PAGES} pages.`);
  }
}

function metaOf({ _meta: meta }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof meta === 'object' && meta !== null ? { ...meta } : {};
}

function broken(message: string): UpstreamFault {
  return new UpstreamFault('invalid_result', message);
}
