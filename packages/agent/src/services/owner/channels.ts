/** The channels of an agent: set, switched and removed, their settings sealed and never shown again. */
import { createHmac } from 'node:crypto';
import { describeIssues, requireLasting, ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, SecretOpenError, toJson } from '@parley/store';
import type { ChannelType } from '../../adapters/channels/channel.ts';
import type { Acting } from '../../session.ts';
import type { OwnerParts } from './parts.ts';
import type { ChannelRow, OwnerTables } from './schema.ts';

/** A channel, as its agent sees it. */
export interface ShownChannel {
  readonly type: ChannelType;
  readonly id: string;
  readonly enabled: boolean;
  readonly config_keys: string[];
}

/** Whose channels, and who sets them: the agent itself, or a person who manages it. */
export type ChannelsOf = Pick<Acting, 'organizationId' | 'agentId' | 'caller'>;

export interface OwnerChannels {
  list(of: ChannelsOf): Promise<ShownChannel[]>;
  /** Replaces the channel of this type, and switches it on. */
  set(of: ChannelsOf, type: ChannelType, config: unknown): Promise<void>;
  switch(of: ChannelsOf, type: ChannelType, isOn: boolean): Promise<void>;
  /** Nothing happens where there is none. */
  remove(of: ChannelsOf, type: ChannelType): Promise<void>;
}

type SealParts = Pick<OwnerParts, 'store' | 'channels'>;

export function createOwnerChannels(parts: OwnerParts): OwnerChannels {
  const { store, identity, channels, now } = parts;
  const audited = (
    tx: StoreTransaction,
    { caller }: ChannelsOf,
    verb: string,
    row: Pick<ChannelRow, 'id' | 'type'>,
  ) =>
    identity.audit.write(tx, {
      caller,
      action: `notification_channel.${verb}`,
      target: row.id,
      changed: { type: row.type },
    });
  const locked = (tx: StoreTransaction, { agentId }: ChannelsOf, type: ChannelType) => {
    const query = tx
      .db<OwnerTables>()
      .selectFrom('notification_channels')
      .selectAll()
      .where('agent_id', '=', agentId)
      .where('type', '=', type);
    return tx.locked(query).executeTakeFirst();
  };
  return {
    list: async ({ agentId }) => (await channelsOf(store, agentId)).map(shown),
    async set(acting, type, given) {
      requireLasting(acting.caller, 'channels');
      const channel = channels[type];
      const { data, error } = channel.config.safeParse(given);
      if (error !== undefined)
        throw new ToolError('invalid', `config: ${describeIssues(error.issues, given)}`);
      await channel.check?.(data).catch((refused: unknown) => blocked(parts, acting, type, refused));
      await store.transaction(async (tx) => {
        await tx.exclusive(`notification-channels:${acting.agentId}`);
        const before = await locked(tx, acting, type);
        const at = now();
        const id = before?.id ?? typeId('channel', at);
        const { organizationId: organization_id, agentId: agent_id } = acting;
        const row: ChannelRow = {
          id,
          organization_id,
          agent_id,
          type,
          enabled: 1,
          config: store.secrets.seal(toJson(data), contextOf({ id, organization_id })),
          config_keys: toJson(Object.keys(data)),
          created_at: before?.created_at ?? at,
          updated_at: at,
        };
        await tx.db<OwnerTables>().deleteFrom('notification_channels').where('id', '=', id).execute();
        await tx.db<OwnerTables>().insertInto('notification_channels').values(row).execute();
        await audited(tx, acting, 'set', row);
      });
    },
    async switch(acting, type, isOn) {
      if (isOn) requireLasting(acting.caller, 'channels');
      await store.transaction(async (tx) => {
        const row = await locked(tx, acting, type);
        if (row === undefined)
          throw new ToolError('not_found', `There is no channel of the type ${type}. Set it first.`);
        await tx
          .db<OwnerTables>()
          .updateTable('notification_channels')
          .set({ enabled: isOn ? 1 : 0, updated_at: now() })
          .where('id', '=', row.id)
          .execute();
        await audited(tx, acting, isOn ? 'enabled' : 'disabled', row);
      });
    },
    remove: (acting, type) =>
      store.transaction(async (tx) => {
        const row = await locked(tx, acting, type);
        if (row === undefined) return;
        await tx.db<OwnerTables>().deleteFrom('notification_channels').where('id', '=', row.id).execute();
        await audited(tx, acting, 'removed', row);
      }),
  };
}

/** An address that the guard refuses counts against the agent that gave it; it may be a secret and is not kept. */
async function blocked(
  { store, conduct }: OwnerParts,
  { agentId, caller }: ChannelsOf,
  type: ChannelType,
  refused: unknown,
) {
  if (caller.agent !== undefined && refused instanceof ToolError && refused.code === 'blocked_address')
    await store.transaction((tx) =>
      conduct.recordViolation(tx, agentId, 'blocked_address', `channel ${type}`),
    );
  throw refused;
}

/** All channels of an agent, in a settled order. */
export function channelsOf(from: Queryable, agentId: string): Promise<ChannelRow[]> {
  return from
    .db<OwnerTables>()
    .selectFrom('notification_channels')
    .selectAll()
    .where('agent_id', '=', agentId)
    .orderBy('type')
    .execute();
}

/** A channel that is switched on now, by its id. */
export function openChannel(from: Queryable, id: string): Promise<ChannelRow | undefined> {
  return from
    .db<OwnerTables>()
    .selectFrom('notification_channels')
    .selectAll()
    .where('id', '=', id)
    .where('enabled', '=', 1)
    .executeTakeFirst();
}

/** The settings of a channel, which its type has read when they were given. */
export function configOf({ store }: SealParts, row: ChannelRow): unknown {
  try {
    return fromJson<unknown>(store.secrets.open(row.config, contextOf(row)));
  } catch (error) {
    if (!(error instanceof SecretOpenError)) throw error;
    throw new ToolError(
      'unavailable',
      'The settings of this channel cannot be opened with the key of this server. Set it again.',
    );
  }
}

/** What questions on this channel are looked up by, together with others that share it; null: nothing comes back. */
export function pollKeyOf(parts: SealParts, row: ChannelRow): string | null {
  const { poll, sharedBy } = parts.channels[row.type];
  if (poll === undefined) return null;
  if (sharedBy === undefined) return row.id;
  const shared = `${row.organization_id} ${sharedBy(configOf(parts, row))}`;
  return createHmac('sha256', parts.store.secrets.derive('owner-polls'))
    .update(shared)
    .digest('hex')
    .slice(0, 32);
}

function contextOf({ id, organization_id }: Pick<ChannelRow, 'id' | 'organization_id'>) {
  return { organizationId: organization_id, rowId: `${id}/config` };
}

function shown({ type, id, enabled, config_keys }: ChannelRow): ShownChannel {
  return { type, id, enabled: enabled === 1, config_keys: fromJson<string[]>(config_keys) };
}
