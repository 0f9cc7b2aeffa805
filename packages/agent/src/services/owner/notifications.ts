/** Notifications: stored first, so that the console has them whatever becomes of the channels. */
import { ToolError, typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { isUniqueViolation } from '@parley/store';
import type { ChannelType } from '../../adapters/channels/channel.ts';
import { notificationCreated } from '../../events.ts';
import type { AgentTables } from '../../schema.ts';
import { bring } from './deliver.ts';
import type { OfAgent, OwnerParts } from './parts.ts';
import type { DeliveryRow, DeliveryStatus, Level, NotificationRow, OwnerTables } from './schema.ts';

export interface NewNotification {
  readonly level: Level;
  readonly title?: string | undefined;
  readonly message: string;
}

/** Something that the server itself has to tell the owner of an agent. */
export interface OwnerNotice extends OfAgent, NewNotification {
  /** The same key means the same notice, after a crash. */
  readonly key: string;
}

/** What became of a message on one channel. */
export interface ShownDelivery {
  readonly type: ChannelType;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly error: string | null;
}

export interface ShownNotification {
  readonly id: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly level: Level;
  readonly title: string | null;
  readonly message: string;
  readonly created_at: string;
  readonly channels: ShownDelivery[];
}

export interface Notifications {
  /** Counts against the limit of the agent. */
  notify(
    of: OfAgent,
    notice: NewNotification,
  ): Promise<{ readonly id: string; readonly channels: { type: ChannelType; status: DeliveryStatus }[] }>;
  /** A notice of the server itself, which nothing limits; with a transaction, as the last part of it. */
  tell(notice: OwnerNotice, tx?: StoreTransaction): Promise<void>;
  /** The newest first; `before` is the id of the last one that was seen. */
  list(
    organizationId: string,
    query: { readonly limit: number; readonly before?: string | undefined },
  ): Promise<ShownNotification[]>;
}

const PER_HOUR = 30;
const HOUR_MS = 3_600_000;

export function createNotifications(parts: OwnerParts): Notifications {
  const { store, now } = parts;
  return {
    notify: (of, notice) =>
      store.transaction(async (tx) => {
        await refuseTooMany(tx, of, now());
        const id = typeId('notification', now());
        const channels = await add(parts, tx, of, { ...notice, id });
        return { id, channels: channels.map(({ type }) => ({ type, status: 'queued' })) };
      }),
    async tell({ key, organizationId, agentId, ...notice }, within) {
      const id = typeId('notification', now());
      const of = { organizationId, agentId };
      const write = (tx: StoreTransaction) => add(parts, tx, of, { ...notice, id, key });
      try {
        await (within === undefined ? store.transaction(write) : write(within));
      } catch (error) {
        // Told already; in a transaction of others nothing can be told apart any more.
        if (within !== undefined || !isUniqueViolation(error)) throw error;
      }
    },
    async list(organizationId, { limit, before }) {
      const rows = await store
        .db<OwnerTables & AgentTables>()
        .selectFrom('owner_notifications')
        .innerJoin('agents', 'agents.id', 'owner_notifications.agent_id')
        .selectAll('owner_notifications')
        .select('agents.name as agent_name')
        .where('owner_notifications.organization_id', '=', organizationId)
        .$if(before !== undefined, (query) => query.where('owner_notifications.id', '<', before ?? ''))
        .orderBy('owner_notifications.id', 'desc')
        .limit(limit)
        .execute();
      const ids = rows.map(({ id }) => id);
      const deliveries =
        ids.length === 0
          ? []
          : await store
              .db<OwnerTables>()
              .selectFrom('notification_deliveries')
              .selectAll()
              .where('notification_id', 'in', ids)
              .orderBy('type')
              .execute();
      return rows.map((row) =>
        shown(
          row,
          deliveries.filter(({ notification_id }) => notification_id === row.id),
        ),
      );
    },
  };
}

async function add(
  parts: OwnerParts,
  tx: StoreTransaction,
  of: OfAgent,
  notice: NewNotification & { readonly id: string; readonly key?: string },
) {
  const { organizationId, agentId } = of;
  const { id, level, title = null, message, key = null } = notice;
  const at = parts.now();
  const row: NotificationRow = {
    id,
    organization_id: organizationId,
    agent_id: agentId,
    level,
    title,
    message,
    notice_key: key,
    created_at: at,
    updated_at: at,
  };
  await tx.db<OwnerTables>().insertInto('owner_notifications').values(row).execute();
  const channels = await bring(parts, tx, of, { notificationId: id });
  const data = { id, agentId, level, title, message };
  await parts.events.publish(tx, notificationCreated.of({ organizationId, subject: id, time: at, data }));
  return channels;
}

/** Counted in the database, one call of an agent after the other, so that processes count together. */
async function refuseTooMany(tx: StoreTransaction, { agentId }: OfAgent, now: number): Promise<void> {
  await tx.exclusive(`owner-notifications:${agentId}`);
  const { sent, first } = await tx
    .db<OwnerTables>()
    .selectFrom('owner_notifications')
    .select((of) => [of.fn.countAll().as('sent'), of.fn.min('created_at').as('first')])
    .where('agent_id', '=', agentId)
    .where('notice_key', 'is', null)
    .where('created_at', '>', now - HOUR_MS)
    .executeTakeFirstOrThrow();
  if (Number(sent) < PER_HOUR) return;
  const seconds = Math.max(1, Math.ceil((first + HOUR_MS - now) / 1000));
  throw new ToolError(
    'rate_limited',
    `An agent sends at most ${PER_HOUR} notifications an hour. Try again in ${seconds} seconds.`,
    { retry_after: seconds },
  );
}

export function shownDelivery({
  type,
  status,
  attempts,
  error,
}: Omit<DeliveryRow, 'notification_id'>): ShownDelivery {
  return { type, status, attempts, error };
}

function shown(
  row: NotificationRow & { agent_name: string },
  deliveries: readonly DeliveryRow[],
): ShownNotification {
  const { id, agent_id, agent_name, level, title, message, created_at } = row;
  return {
    id,
    agent: { id: agent_id, name: agent_name },
    level,
    title,
    message,
    created_at: new Date(created_at).toISOString(),
    channels: deliveries.map(shownDelivery),
  };
}
