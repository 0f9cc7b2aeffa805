/** Page tokens: what lets the pages of one project speak the browser link, and nothing else. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { typeId } from '@parley/kit';
import type { Store } from '@parley/store';
import { fromJson, isUniqueViolation, toJson } from '@parley/store';
import type { AnnotationTables, PageTokenRow } from '../schema.ts';

/** The project that every organization has. */
export const DEFAULT_PROJECT = 'default';

/** A valid token. */
export interface PageToken {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly allowedOrigins: readonly string[];
}

/** The page tokens of a store. */
export interface PageTokens {
  /** The token's text, made on first use; for the owner's own start command. */
  show(organizationId: string): Promise<string>;
  /** The token, when it is valid now. */
  find(text: string): Promise<PageToken | undefined>;
  isValid(id: string): Promise<boolean>;
  revoke(organizationId: string, id: string): Promise<void>;
  /** Binds the token to these origins; none means loopback pages and what the server allows. */
  allow(organizationId: string, id: string, origins: readonly string[]): Promise<void>;
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

/** Creates the service. */
export function createPageTokens(store: Store, now: () => number): PageTokens {
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
  return {
    async show(organizationId) {
      const row = await valid(organizationId);
      if (row !== undefined) return open(row);
      try {
        return await insertToken(store, organizationId, now());
      } catch (error) {
        const other = isUniqueViolation(error) ? await valid(organizationId) : undefined;
        if (other === undefined) throw error;
        return open(other);
      }
    },
    async find(text) {
      const hash = hashOf(text);
      const row = await db()
        .selectFrom('annotation_page_tokens')
        .selectAll()
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (row === undefined || row.revoked_at !== null || !isSameHash(row.hash, hash)) return undefined;
      return {
        id: row.id,
        organizationId: row.organization_id,
        projectId: row.project_id,
        allowedOrigins: fromJson<string[]>(row.allowed_origins),
      };
    },
    async isValid(id) {
      const row = await db()
        .selectFrom('annotation_page_tokens')
        .select('id')
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },
    async revoke(organizationId, id) {
      await db()
        .updateTable('annotation_page_tokens')
        .set({ revoked_at: now() })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute();
    },
    async allow(organizationId, id, origins) {
      await db()
        .updateTable('annotation_page_tokens')
        .set({ allowed_origins: toJson(origins) })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .execute();
    },
  };
}

async function insertToken(store: Store, organizationId: string, now: number): Promise<string> {
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
  return text;
}
