/** What a new organization finds: the default statuses, made once at first use. */
import { typeId } from '@parley/kit';
import type { Store } from '@parley/store';
import type { FeedbackTables, StatusRow } from '../../schema.ts';

type DefaultStatus = Pick<
  StatusRow,
  'name' | 'slug' | 'color' | 'category' | 'position' | 'show_on_roadmap' | 'is_default'
>;

const status = (
  name: string,
  color: string,
  category: StatusRow['category'],
  position: number,
  isOnRoadmap: boolean,
): DefaultStatus => ({
  name,
  slug: name.toLowerCase().replaceAll(' ', '_'),
  color,
  category,
  position,
  show_on_roadmap: isOnRoadmap ? 1 : 0,
  is_default: name === 'Open' ? 1 : 0,
});

const DEFAULT_STATUSES: readonly DefaultStatus[] = [
  status('Open', '#3b82f6', 'active', 0, false),
  status('Under Review', '#eab308', 'active', 1, false),
  status('Planned', '#a855f7', 'active', 2, true),
  status('In Progress', '#f97316', 'active', 3, true),
  status('Complete', '#22c55e', 'complete', 0, true),
  status('Closed', '#6b7280', 'closed', 0, false),
];

/** Creates the function that every entry into feedback calls first; it is free after the first time. */
export function createSetup(store: Store, now: () => number): (organizationId: string) => Promise<void> {
  const ready = new Set<string>();
  return async (organizationId) => {
    if (ready.has(organizationId)) return;
    const known = await store
      .db<FeedbackTables>()
      .selectFrom('feedback_settings')
      .select('organization_id')
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    if (known === undefined) await setUp(store, organizationId, now());
    ready.add(organizationId);
  };
}

function setUp(store: Store, organizationId: string, now: number): Promise<void> {
  return store.transaction(async (tx) => {
    const db = tx.db<FeedbackTables>();
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('feedback_settings')
      .values({ organization_id: organizationId, is_published: 0, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n) return;
    const rows = DEFAULT_STATUSES.map((each) => ({
      ...each,
      organization_id: organizationId,
      id: typeId('status', now),
      created_at: now,
    }));
    await db.insertInto('feedback_statuses').values(rows).execute();
  });
}
