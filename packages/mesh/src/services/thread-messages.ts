/** The messages of threads: written by id, many at once, and read in their order. */
import { ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import { defineRows } from '@parley/store';
import type { MeshTables, ThreadStatus } from '../schema.ts';
import type { ThreadScope } from './threads.ts';

/** A message, as tools show it. */
export interface Message {
  readonly id: string;
  readonly thread_id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly unknown[];
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Messages of one thread. */
export interface SavedMessages {
  readonly threadId: string;
  readonly messages: readonly (Pick<Message, 'id' | 'role' | 'parts'> & Partial<Pick<Message, 'metadata'>>)[];
  /** How far the thread is now; absent: as it was. */
  readonly status?: ThreadStatus;
}

export const MESSAGES = defineRows<Message, ThreadScope>({
  table: 'thread_messages',
  scope: { organizationId: 'organization_id', userId: 'user_id' },
  unique: ['organization_id', 'user_id', 'id'],
  order: [{ field: ['created_at'] }],
  fields: {
    id: { kind: 'text' },
    thread_id: { kind: 'text' },
    role: { kind: 'text' },
    parts: { kind: 'json' },
    metadata: { kind: 'json', nullable: true },
    created_at: { kind: 'time' },
    updated_at: { kind: 'time' },
  },
});

/** Writes the messages and touches their thread; an id of another thread refuses all of them. */
export function saveMessages(
  store: Store,
  scope: ThreadScope,
  { threadId, messages, status }: SavedMessages,
  now: number,
): Promise<void> {
  return store.transaction(async (tx) => {
    const { numUpdatedRows } = await tx
      .db<MeshTables>()
      .updateTable('threads')
      .set({ updated_at: now, ...(status !== undefined && { status }) })
      .where('organization_id', '=', scope.organizationId)
      .where('user_id', '=', scope.userId)
      .where('id', '=', threadId)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new ToolError('not_found', 'Thread not found');
    const rows = MESSAGES.in(tx, scope);
    const time = new Date(now).toISOString();
    for (const { id, role, parts, metadata = null } of messages) {
      const written = { role, parts, metadata, updated_at: time };
      if (await rows.insert({ id, thread_id: threadId, created_at: time, ...written })) continue;
      const before = await rows.get(id);
      if (before?.thread_id !== threadId)
        throw new ToolError('conflict', `The message ${id} is in another thread.`);
      await rows.update(id, written);
    }
  });
}
