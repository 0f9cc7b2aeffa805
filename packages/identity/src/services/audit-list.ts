/** Reads the audit log of one organization: pages with the newest first, and what came after an entry in its order. */
import type { Queryable, Store } from '@parley/store';
import { fromJson } from '@parley/store';
import { sql } from 'kysely';
import type { AuditRow, IdentityTables } from '../schema.ts';
import type { AgentBinding } from './agent-keys.ts';

/** Which entries are wanted; all that are given must fit. */
export interface AuditFilter {
  /** This entry alone. */
  readonly id?: string | undefined;
  /** The id of a key, of a person, or of an agent, which stands for its keys too. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly outcome?: AuditRow['outcome'] | undefined;
  /** A part of the act, of what it was done to or changed, or of the name of who did it. */
  readonly text?: string | undefined;
  /** Earliest time, included. */
  readonly since?: number | undefined;
  /** Latest time, included. */
  readonly until?: number | undefined;
}

/** Where a page ended: by time, and by the chain for entries of the same moment. */
export type AuditPlace = Pick<AuditItem, 'at' | 'seq'>;

export interface AuditQuery extends AuditFilter {
  readonly limit: number;
  /** The last entry of the page before. */
  readonly before?: AuditPlace | undefined;
  /** True: the same index, read from its other end. */
  readonly oldestFirst?: boolean | undefined;
}

/** An entry as it is read; the hashes that chain it are for `check`. */
export interface AuditItem {
  /** Its place in the chain, counted from 1. */
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  readonly callerId: string;
  readonly userId: string | null;
  readonly source: string;
  readonly requestId: string | null;
  readonly action: string;
  readonly target: string;
  readonly outcome: AuditRow['outcome'];
  readonly changed: Readonly<Record<string, unknown>>;
}

// Every run of an agent makes a key, and each is a part of the question.
const MOST_KEYS = 100;
const KEYS_LOOKED_AT = 1000;

/** One page, newest first unless it is said otherwise. */
export async function listAudit(
  store: Store,
  organizationId: string,
  { limit, before, oldestFirst = false, ...filter }: AuditQuery,
): Promise<AuditItem[]> {
  const db = store.db<IdentityTables>();
  const [order, beyond] = oldestFirst ? (['asc', '>'] as const) : (['desc', '<'] as const);
  const pageOf = (by?: readonly ['caller_id' | 'user_id', string]) => {
    let query = fitting(entriesOf(store, organizationId), filter);
    if (by !== undefined) query = query.where(by[0], '=', by[1]);
    if (before !== undefined)
      query = query
        .where('at', oldestFirst ? '>=' : '<=', before.at)
        .where((entry) => entry.or([entry('at', beyond, before.at), entry('seq', beyond, before.seq)]));
    return query.orderBy('at', order).orderBy('seq', order).limit(limit);
  };
  if (filter.actor === undefined) return (await pageOf().execute()).map(itemOf);
  // A page for each id, so that each walks its index and none looks at all entries.
  const callers = await callerIdsOf(store, organizationId, filter.actor);
  const pages = [pageOf(['user_id', filter.actor]), ...callers.map((id) => pageOf(['caller_id', id]))].map(
    (page) => db.selectFrom(page.as('page')).selectAll(),
  );
  const [first, ...others] = pages;
  if (first === undefined) return [];
  const rows = await others.reduce((all, page) => all.unionAll(page), first).execute();
  return [...new Map(rows.map((row) => [row.seq, row])).values()]
    .toSorted((a, b) => (b.at - a.at || b.seq - a.seq) * (oldestFirst ? -1 : 1))
    .slice(0, limit)
    .map(itemOf);
}

/** What came after an entry, oldest first, and up to where was looked; without an entry only where the log ends now. */
export async function auditAfter(
  store: Store,
  organizationId: string,
  { after, limit, ...filter }: AuditFilter & { readonly after?: number | undefined; readonly limit: number },
): Promise<{ entries: AuditItem[]; last: number }> {
  const head = await store
    .db<IdentityTables>()
    .selectFrom('audit_heads')
    .select('seq')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  // Entries of an organization take turns, so that whatever is up to the end is committed.
  const end = head?.seq ?? 0;
  if (after === undefined) return { entries: [], last: end };
  const { actor } = filter;
  let query = fitting(entriesOf(store, organizationId), filter).where('seq', '>', after);
  if (actor !== undefined) {
    const callers = await callerIdsOf(store, organizationId, actor);
    query = query.where((entry) =>
      entry.or([entry('user_id', '=', actor), entry('caller_id', 'in', callers)]),
    );
  }
  const rows = await query.where('seq', '<=', end).orderBy('seq').limit(limit).execute();
  const last = rows.length === limit ? rows.at(-1)?.seq : undefined;
  return { entries: rows.map(itemOf), last: last ?? Math.max(after, end) };
}

const entriesOf = (from: Queryable, organizationId: string) =>
  from.db<IdentityTables>().selectFrom('audit_log').selectAll().where('organization_id', '=', organizationId);

type Entries = ReturnType<typeof entriesOf>;

const EQUAL = ['id', 'action', 'target', 'outcome'] as const;

/** The entries that fit all but the actor. */
function fitting(query: Entries, { since, until, text, ...filter }: AuditFilter): Entries {
  let fits = text === undefined ? query : saying(query, text);
  for (const column of EQUAL) {
    const wanted = filter[column];
    if (wanted !== undefined) fits = fits.where(column, '=', wanted);
  }
  if (since !== undefined) fits = fits.where('at', '>=', since);
  if (until !== undefined) fits = fits.where('at', '<=', until);
  return fits;
}

/** The entries with a text in what is shown of them. */
function saying(query: Entries, text: string): Entries {
  const like = `%${text.toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`;
  return query.where(
    sql<boolean>`(lower(action) like ${like} escape '!' or lower(target) like ${like} escape '!'
      or lower(changed) like ${like} escape '!'
      or user_id in (select users.id from users where lower(users.name) like ${like} escape '!')
      or caller_id in (select api_keys.id from api_keys
        where api_keys.organization_id = audit_log.organization_id and lower(api_keys.name) like ${like} escape '!'))`,
  );
}

/** The ids that an actor calls by: its own and, for an agent, those of its keys that are still there. */
async function callerIdsOf(from: Queryable, organizationId: string, actor: string): Promise<string[]> {
  const keys = await from
    .db<IdentityTables>()
    .selectFrom('api_keys')
    .select(['id', 'agent'])
    .where('organization_id', '=', organizationId)
    .where('agent', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(KEYS_LOOKED_AT)
    .execute();
  const own = keys.filter(({ agent }) => agent !== null && fromJson<AgentBinding>(agent).agentId === actor);
  return [actor, ...own.slice(0, MOST_KEYS).map(({ id }) => id)];
}

function itemOf(row: AuditRow): AuditItem {
  const { seq, id, at, source, action, target, outcome } = row;
  return {
    seq,
    id,
    at,
    callerId: row.caller_id,
    userId: row.user_id,
    source,
    requestId: row.request_id,
    action,
    target,
    outcome,
    changed: fromJson<AuditItem['changed']>(row.changed),
  };
}
