/** What an operator wants to know: is there a usable page token, a page, an agent. */
import type { Store } from '@parley/store';
import type { AnnotationTables } from '../schema.ts';
import { isoTime } from './rows.ts';

/** The facts behind the doctor's checks. */
export interface AnnotationHealth {
  readonly pageToken: 'valid' | 'absent' | 'unreadable';
  readonly connectedPages: number;
  /** When an agent last called a tool of this toolset. */
  readonly agentSeenAt?: string;
}

/** Looks at an open, migrated store. */
export async function annotationHealth(store: Store, now: number): Promise<AnnotationHealth> {
  const db = store.db<AnnotationTables>();
  const token = await db
    .selectFrom('annotation_page_tokens')
    .selectAll()
    .where('revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  const { pages } = await db
    .selectFrom('annotation_sessions')
    .select((each) => each.fn.countAll<number | string>().as('pages'))
    .where('live_until', '>', now)
    .executeTakeFirstOrThrow();
  const { seen } = await db
    .selectFrom('annotation_presence')
    .select((each) => each.fn.max('last_seen_at').as('seen'))
    .executeTakeFirstOrThrow();
  return {
    pageToken: token === undefined ? 'absent' : canOpen(store, token) ? 'valid' : 'unreadable',
    connectedPages: Number(pages),
    ...(seen !== null && { agentSeenAt: isoTime(seen) }),
  };
}

function canOpen(store: Store, token: AnnotationTables['annotation_page_tokens']): boolean {
  try {
    store.secrets.open(token.sealed, { organizationId: token.organization_id, rowId: token.id });
    return true;
  } catch {
    return false;
  }
}
