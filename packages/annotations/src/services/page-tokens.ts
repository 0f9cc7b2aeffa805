/** Page tokens: what lets the pages of one project speak the browser link, and nothing else. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ToolError, typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { fromJson, isUniqueViolation, toJson } from '@parley/store';
import type { AnnotationTables, PageTokenRow } from '../schema.ts';
import { isoTime } from './rows.ts';
import type { ActionParts } from './transitions.ts';

/** The project that every organization has. */
export const DEFAULT_PROJECT = 'default';

/** A valid token. */
export interface PageToken {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
}

/** A token as its administrators see it; its text is no part of it. */
export interface PageTokenInfo {
  readonly id: string;
  readonly state: 'valid' | 'revoked';
  /** Empty: loopback pages and the origins that the server allows. */
  readonly origins: string[];
  /** Pages that are connected with it now. */
  readonly pages: number;
  readonly createdAt: string;
  readonly revokedAt?: string;
}

export interface PageTokens {
  /** The token's text, made on first use; for the owner's own start command. */
  show(organizationId: string): Promise<string>;
  /** A new token and its text; a conflict while there is a valid one. */
  create(organizationId: string): Promise<{ id: string; text: string }>;
  /** All tokens, newest first, at most `limit`. */
  list(organizationId: string, limit: number): Promise<PageTokenInfo[]>;
  /** The token, when it is valid now for pages of this origin. */
  find(text: string, origin: string): Promise<PageToken | undefined>;
  /** Tells whether pages of this origin may still use the token. */
  isValid(id: string, origin: string): Promise<boolean>;
  /** From now on it opens nothing, and what is connected with it is closed in every process. */
  revoke(organizationId: string, id: string): Promise<PageTokenInfo>;
  /** Binds the token to these origins; none means loopback pages and what the server allows. */
  allow(organizationId: string, id: string, origins: readonly string[]): Promise<PageTokenInfo>;
}

/** A secret of 256 bits. */
export function newSecret(prefix: 'parley_page' | 'parley_tab'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** What is stored of a secret. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares two hashes in constant time. */
export function isSameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The origin that a text names, as browsers write it; undefined when it names none. `null` stands for file pages. */
export function originOf(text: string): string | undefined {
  if (text === 'null') return text;
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/` ? origin : undefined;
}

export function createPageTokens({ store, changes, now }: ActionParts): PageTokens {
  const db = () => store.db<AnnotationTables>();
  const valid = (organizationId: string) =>
    db()
      .selectFrom('annotation_page_tokens')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('project_id', '=', DEFAULT_PROJECT)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
  const open = (row: PageTokenRow) =>
    store.secrets.open(row.sealed, { organizationId: row.organization_id, rowId: row.id });
  // Only a valid token changes, by one statement, so that binding never brings back what is revoked meanwhile.
  const change = (
    organizationId: string,
    id: string,
    set: Partial<PageTokenRow>,
    otherwise: (revoked: PageTokenRow) => PageTokenRow,
  ): Promise<PageTokenInfo> =>
    store.transaction(async (tx) => {
      const tokens = tx.db<AnnotationTables>();
      const changed = await tokens
        .updateTable('annotation_page_tokens')
        .set(set)
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      const row =
        changed ??
        otherwise(
          await tokens
            .selectFrom('annotation_page_tokens')
            .selectAll()
            .where('organization_id', '=', organizationId)
            .where('id', '=', id)
            .executeTakeFirstOrThrow(() => new ToolError('not_found', `Page token not found: ${id}`)),
        );
      await changes.announce(tx, { kind: 'page-token', organizationId, pageTokenId: id });
      return infoOf(row, await connectedPages(tx, [id], now()));
    });
  return {
    async show(organizationId) {
      const row = await valid(organizationId);
      if (row !== undefined) return open(row);
      try {
        return (await insertToken(store, organizationId, now())).text;
      } catch (error) {
        const other = isUniqueViolation(error) ? await valid(organizationId) : undefined;
        if (other === undefined) throw error;
        return open(other);
      }
    },
    async create(organizationId) {
      try {
        return await insertToken(store, organizationId, now());
      } catch (error) {
        const other = isUniqueViolation(error) ? await valid(organizationId) : undefined;
        if (other === undefined) throw error;
        throw new ToolError(
          'conflict',
          `There is a valid page token: ${other.id}. "parley start" prints it; revoke it to make another.`,
        );
      }
    },
    async list(organizationId, limit) {
      const rows = await db()
        .selectFrom('annotation_page_tokens')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      const pages = await connectedPages(
        store,
        rows.map(({ id }) => id),
        now(),
      );
      return rows.map((row) => infoOf(row, pages));
    },
    async find(text, origin) {
      const hash = hashOf(text);
      const row = await db()
        .selectFrom('annotation_page_tokens')
        .selectAll()
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (row === undefined || !isSameHash(row.hash, hash) || !isUsable(row, origin)) return undefined;
      return { id: row.id, organizationId: row.organization_id, projectId: row.project_id };
    },
    async isValid(id, origin) {
      const row = await db()
        .selectFrom('annotation_page_tokens')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row !== undefined && isUsable(row, origin);
    },
    revoke: (organizationId, id) => change(organizationId, id, { revoked_at: now() }, (revoked) => revoked),
    allow: (organizationId, id, origins) =>
      change(
        organizationId,
        id,
        { allowed_origins: toJson([...new Set(origins.map((origin) => originOf(origin) ?? origin))]) },
        () => {
          throw new ToolError('conflict', `Page token ${id} is revoked; bind the valid one instead.`);
        },
      ),
  };
}

function isUsable(row: PageTokenRow, origin: string): boolean {
  const origins = fromJson<string[]>(row.allowed_origins);
  return row.revoked_at === null && (origins.length === 0 || origins.includes(origin));
}

function infoOf(row: PageTokenRow, pages: ReadonlyMap<string, number>): PageTokenInfo {
  return {
    id: row.id,
    state: row.revoked_at === null ? 'valid' : 'revoked',
    origins: fromJson<string[]>(row.allowed_origins),
    pages: pages.get(row.id) ?? 0,
    createdAt: isoTime(row.created_at),
    ...(row.revoked_at !== null && { revokedAt: isoTime(row.revoked_at) }),
  };
}

/** How many live sessions each token has. */
async function connectedPages(
  reader: Pick<Store, 'db'> | StoreTransaction,
  ids: readonly string[],
  now: number,
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await reader
    .db<AnnotationTables>()
    .selectFrom('annotation_sessions')
    .select((each) => ['page_token_id', each.fn.countAll<number | string>().as('pages')])
    .where('page_token_id', 'in', ids)
    .where('live_until', '>', now)
    .groupBy('page_token_id')
    .execute();
  return new Map(rows.map(({ page_token_id: id, pages }) => [id, Number(pages)]));
}

async function insertToken(
  store: Store,
  organizationId: string,
  now: number,
): Promise<{ id: string; text: string }> {
  const text = newSecret('parley_page');
  const id = typeId('ptk', now);
  await store
    .db<AnnotationTables>()
    .insertInto('annotation_page_tokens')
    .values({
      id,
      organization_id: organizationId,
      project_id: DEFAULT_PROJECT,
      hash: hashOf(text),
      sealed: store.secrets.seal(text, { organizationId, rowId: id }),
      allowed_origins: toJson([]),
      revoked_at: null,
      created_at: now,
    })
    .execute();
  return { id, text };
}
