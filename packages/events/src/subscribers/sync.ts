/** Bringing the subscriptions of a connection to a wanted list, in one transaction. */
import { ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { DeliveryParts } from '../delivery/parts.ts';
import type { EventSubscriptionRow, EventTables } from '../schema.ts';
import type { Asker, Subscription, Wanted } from './rows.ts';
import {
  addSubscription,
  checkWanted,
  holdTarget,
  refuseTooMany,
  subscriptionsOf,
  toSubscription,
} from './rows.ts';

/** What changed, and what there is now. */
export interface Synced {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly subscriptions: readonly Subscription[];
}

/** Type and publisher say which one it is; another filter is a change of it. */
const keyOf = (eventType: string, publisher: string) => JSON.stringify([eventType, publisher]);

export async function syncSubscriptions(
  { store, limits, now }: DeliveryParts,
  asker: Asker,
  wanted: readonly Wanted[],
  cancelOpen: (tx: StoreTransaction, subscriptionIds: readonly string[]) => Promise<void>,
): Promise<Synced> {
  refuseTooMany(wanted.length, limits);
  const byKey = new Map(wanted.map((one) => [keyOf(one.eventType, one.publisher ?? ''), one]));
  for (const one of wanted) await checkWanted(one);
  if (byKey.size < wanted.length)
    throw new ToolError('invalid', 'subscriptions: name each event type and publisher once.');
  return store.transaction(async (tx) => {
    await holdTarget(tx, asker);
    const db = tx.db<EventTables>();
    const counts = { created: 0, updated: 0, unchanged: 0 };
    const gone: string[] = [];
    const kept: EventSubscriptionRow[] = [];
    const changed: EventSubscriptionRow[] = [];
    for (const row of await subscriptionsOf(tx, asker.organizationId, asker.connectionId)) {
      const key = keyOf(row.event_type, row.publisher);
      const one = byKey.get(key);
      // A second one with another filter goes too.
      byKey.delete(key);
      if (one === undefined) gone.push(row.id);
      else if ((one.filter ?? '') === row.filter) {
        counts.unchanged += 1;
        kept.push(row);
      } else {
        counts.updated += 1;
        const change = { filter: one.filter ?? '', filter_failures: 0, updated_at: now() };
        changed.push({ ...row, ...change });
        kept.push({ ...row, ...change });
      }
    }
    if (gone.length > 0) await db.deleteFrom('event_subscriptions').where('id', 'in', gone).execute();
    await cancelOpen(tx, gone);
    for (const row of changed)
      await db.updateTable('event_subscriptions').set(row).where('id', '=', row.id).execute();
    for (const one of byKey.values()) {
      counts.created += 1;
      kept.push(await addSubscription(tx, asker, one, now()));
    }
    return { ...counts, deleted: gone.length, subscriptions: kept.map(toSubscription) };
  });
}
