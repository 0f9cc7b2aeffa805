/** Browser sessions: one per tab, held by live connections, resumed by their own token. */
import { ToolError, typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { toJson } from '@parley/store';
import type { AnnotationLimits } from '../limits.ts';
import type { ClientPayload } from '../link/messages.ts';
import type { AnnotationTables, SessionRow } from '../schema.ts';
import { strike } from '../secrets.ts';
import type { Session } from '../shapes.ts';
import type { PageToken } from './page-tokens.ts';
import { hashOf, isSameHash, newSecret } from './page-tokens.ts';
import { toSession } from './rows.ts';
import type { ActionParts } from './transitions.ts';

/** What a page says of itself when it connects. */
export type Hello = Omit<ClientPayload<'hello'>, 'token' | 'protocol'>;

/** A session that a page has opened or resumed. */
export interface OpenedSession {
  readonly row: SessionRow;
  readonly sessionToken: string;
}

export interface Sessions {
  /** Resumes the session of the token, or begins a new one when the token opens none. */
  open(page: PageToken, origin: string, hello: Hello): Promise<OpenedSession>;
  /** The session behind a session token. */
  find(sessionToken: string): Promise<SessionRow | undefined>;
  /** A sign of life, with what changed on the page. */
  touch(id: string, change?: ClientPayload<'session:update'>): Promise<void>;
  /** The last connection of this process is gone; the session ends soon unless another holds it. */
  release(id: string): Promise<void>;
  /** The sessions seen last, and how many there are. */
  list(organizationId: string): Promise<{ sessions: Session[]; total: number }>;
  get(organizationId: string, id: string): Promise<Session>;
  active(organizationId: string): Promise<number>;
}

/** The answer for a session that does not exist, or that belongs to somebody else: the same for both. */
export function sessionNotFound(id: string): ToolError {
  return new ToolError('not_found', `Session not found: ${id}`);
}

export function createSessions(parts: ActionParts, limits: AnnotationLimits): Sessions {
  const { store, now } = parts;
  const db = () => store.db<AnnotationTables>();
  const liveUntil = () => now() + limits.pingMs + limits.graceMs;

  const find = async (sessionToken: string): Promise<SessionRow | undefined> => {
    const hash = hashOf(sessionToken);
    const row = await db()
      .selectFrom('annotation_sessions')
      .selectAll()
      .where('token_hash', '=', hash)
      .executeTakeFirst();
    return row !== undefined && isSameHash(row.token_hash, hash) ? row : undefined;
  };

  return {
    find,
    async open(page, origin, hello) {
      const known = hello.sessionToken === undefined ? undefined : await find(hello.sessionToken);
      const isOwn = known?.page_token_id === page.id && known.origin === origin;
      const fields = {
        ...strike({ url: hello.url, title: hello.title }),
        viewport: toJson(hello.viewport),
        user_agent: hello.userAgent,
        framework: hello.framework,
        last_seen_at: now(),
        live_until: liveUntil(),
      };
      const row = await store.transaction((tx) =>
        known !== undefined && isOwn
          ? resume(parts, tx, known, fields)
          : begin(parts, tx, limits, page, { ...fields, origin }),
      );
      return { row: row.row, sessionToken: row.token ?? hello.sessionToken ?? '' };
    },

    touch: (id, said = {}) =>
      store.transaction(async (tx) => {
        const change = strike(said);
        const set = {
          ...(change.url !== undefined && { url: change.url }),
          ...(change.title !== undefined && { title: change.title }),
          ...(change.viewport !== undefined && { viewport: toJson(change.viewport) }),
          ...(change.autoApprove !== undefined && { auto_approve: change.autoApprove ? 1 : 0 }),
        };
        const row = await tx
          .db<AnnotationTables>()
          .updateTable('annotation_sessions')
          .set({ ...set, last_seen_at: now(), live_until: liveUntil() })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        if (row !== undefined && Object.keys(set).length > 0) await announce(parts, tx, row, false);
      }),

    release: (id) =>
      store.transaction(async (tx) => {
        const row = await tx
          .db<AnnotationTables>()
          .updateTable('annotation_sessions')
          .set({ live_until: now() + limits.graceMs })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        if (row !== undefined) await announce(parts, tx, row, false);
      }),

    async list(organizationId) {
      const query = db().selectFrom('annotation_sessions').where('organization_id', '=', organizationId);
      const rows = await query
        .selectAll()
        .orderBy('last_seen_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limits.listItems)
        .execute();
      const { total } = await query
        .select((each) => each.fn.countAll<number | string>().as('total'))
        .executeTakeFirstOrThrow();
      return { sessions: rows.map((row) => toSession(row, now())), total: Number(total) };
    },

    async get(organizationId, id) {
      const row = await db()
        .selectFrom('annotation_sessions')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) throw sessionNotFound(id);
      return toSession(row, now());
    },

    async active(organizationId) {
      const { count } = await db()
        .selectFrom('annotation_sessions')
        .select((each) => each.fn.countAll<number | string>().as('count'))
        .where('organization_id', '=', organizationId)
        .where('live_until', '>', now())
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
}

async function resume(
  parts: ActionParts,
  tx: StoreTransaction,
  known: SessionRow,
  fields: Partial<SessionRow>,
): Promise<{ row: SessionRow; token?: string }> {
  const row = await tx
    .db<AnnotationTables>()
    .updateTable('annotation_sessions')
    .set(fields)
    .where('id', '=', known.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await announce(parts, tx, row, false);
  return { row };
}

async function begin(
  parts: ActionParts,
  tx: StoreTransaction,
  limits: AnnotationLimits,
  page: PageToken,
  fields: Omit<
    SessionRow,
    | 'id'
    | 'organization_id'
    | 'project_id'
    | 'page_token_id'
    | 'token_hash'
    | 'auto_approve'
    | 'last_number'
    | 'created_at'
  >,
): Promise<{ row: SessionRow; token: string }> {
  const now = parts.now();
  const { live } = await tx
    .db<AnnotationTables>()
    .selectFrom('annotation_sessions')
    .select((each) => each.fn.countAll<number | string>().as('live'))
    .where('page_token_id', '=', page.id)
    .where('live_until', '>', now)
    .executeTakeFirstOrThrow();
  if (Number(live) >= limits.sessionsPerPageToken) {
    throw new ToolError(
      'rate_limited',
      `${limits.sessionsPerPageToken} pages are connected with this token already. Close some tabs and try again.`,
    );
  }
  const token = newSecret('parley_tab');
  const row: SessionRow = {
    id: typeId('ses', now),
    organization_id: page.organizationId,
    project_id: page.projectId,
    page_token_id: page.id,
    token_hash: hashOf(token),
    auto_approve: 0,
    last_number: 0,
    created_at: now,
    ...fields,
  };
  await tx.db<AnnotationTables>().insertInto('annotation_sessions').values(row).execute();
  await announce(parts, tx, row, true);
  return { row, token };
}

function announce(
  { changes }: ActionParts,
  tx: StoreTransaction,
  row: SessionRow,
  isListChange: boolean,
): Promise<void> {
  return changes.announce(tx, {
    kind: 'session',
    organizationId: row.organization_id,
    sessionId: row.id,
    isListChange,
  });
}
