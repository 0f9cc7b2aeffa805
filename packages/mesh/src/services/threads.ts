/** Threads: conversations of one person, which nobody else sees. */
import type { Caller, Collection, ListQuery, Where } from '@parley/kit';
import { ToolError, typeId } from '@parley/kit';
import type { Store } from '@parley/store';
import { defineRows } from '@parley/store';
import { sql } from 'kysely';
import type { ThreadStatus } from '../schema.ts';
import type { Message, SavedMessages } from './thread-messages.ts';
import { MESSAGES, saveMessages } from './thread-messages.ts';

/** A thread, as tools show it. */
export interface Thread {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
  readonly updated_by: string | null;
  readonly organization_id: string;
  readonly hidden: boolean;
  /** `expired`: in progress, and nothing happened for long. */
  readonly status: ThreadStatus | 'expired';
}

export interface NewThread {
  readonly id?: string | undefined;
  readonly title: string;
  readonly description?: string | null | undefined;
}

export interface ThreadChange {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly hidden?: boolean | undefined;
}

export interface Threads extends Collection<Thread, NewThread, ThreadChange> {
  /** Messages of one thread; the query has to say which. */
  readonly messages: {
    readonly fields: typeof MESSAGES.fields;
    list(caller: Caller, query: ListQuery): Promise<{ items: Message[]; totalCount: number }>;
  };
  /** Writes messages of one thread by their ids, and how far the thread is. */
  saveMessages(caller: Caller, saved: SavedMessages): Promise<void>;
}

/** Whose threads are meant. */
export interface ThreadScope {
  readonly organizationId: string;
  readonly userId: string;
}

const EXPIRES_AFTER_MS = 30 * 60_000;

/** The rows as they are at a moment, since a thread expires by itself. */
function threadsAt(now: number) {
  const before = now - EXPIRES_AFTER_MS;
  return defineRows<Thread, ThreadScope>({
    table: 'threads',
    scope: { organizationId: 'organization_id', userId: 'user_id' },
    unique: ['organization_id', 'user_id', 'id'],
    order: [{ field: ['updated_at'], direction: 'desc' }],
    fields: {
      id: { kind: 'text' },
      title: { kind: 'text' },
      description: { kind: 'text', nullable: true },
      created_at: { kind: 'time' },
      updated_at: { kind: 'time' },
      created_by: { kind: 'text' },
      updated_by: { kind: 'text', nullable: true },
      organization_id: { kind: 'text' },
      hidden: { kind: 'boolean' },
      status: {
        kind: 'text',
        expression: sql`case when item.status = 'in_progress' and item.updated_at < ${before}
          then 'expired' else item.status end`,
      },
    },
  });
}

export function createThreads(store: Store, now: () => number): Threads {
  const rowsOf = (caller: Caller, from: Pick<Store, 'db' | 'engine'> = store) =>
    threadsAt(now()).in(from, ownerOf(caller));
  return {
    fields: threadsAt(0).fields,
    list: async (caller, query) => rowsOf(caller).list({ ...query, where: shown(query.where) }),
    get: async (caller, id) => rowsOf(caller).get(id),
    create: (caller, { id, title, description = null }) =>
      store.transaction(async (tx) => {
        const { userId } = ownerOf(caller);
        const time = new Date(now()).toISOString();
        const thread = { id: id ?? typeId('thrd', now()), title, description, hidden: false };
        const facts = { created_at: time, updated_at: time, created_by: userId, updated_by: null };
        const isNew = await rowsOf(caller, tx).insert({ ...thread, ...facts }, { status: 'completed' });
        if (!isNew) throw new ToolError('conflict', `You have a thread with the id ${thread.id} already.`);
        return required(await rowsOf(caller, tx).get(thread.id));
      }),
    update: (caller, id, change) =>
      store.transaction(async (tx) => {
        const { userId } = ownerOf(caller);
        const facts = { updated_at: new Date(now()).toISOString(), updated_by: userId };
        const rows = rowsOf(caller, tx);
        return (await rows.update(id, { ...change, ...facts })) ? rows.get(id) : undefined;
      }),
    delete: (caller, id) =>
      store.transaction(async (tx) => {
        const rows = rowsOf(caller, tx);
        const before = await rows.get(id);
        // Somebody may have been faster; then there was nothing to delete.
        return (await rows.delete(id)) ? before : undefined;
      }),
    messages: {
      fields: MESSAGES.fields,
      list: async (caller, query) => MESSAGES.in(store, ownerOf(caller)).list(query),
    },
    saveMessages: (caller, saved) => saveMessages(store, ownerOf(caller), saved, now()),
  };
}

function ownerOf({ organizationId, userId }: Caller): ThreadScope {
  if (userId === null)
    throw new ToolError('forbidden', 'Threads belong to a person. Call with the key of one.');
  return { organizationId, userId };
}

function required(thread: Thread | undefined): Thread {
  if (thread === undefined) throw new ToolError('not_found', 'Thread not found');
  return thread;
}

/** The filter with hidden threads left out, unless it asks about them itself. */
function shown(where: Where | undefined): Where {
  const visible: Where = { field: ['hidden'], operator: 'eq', value: false };
  if (where === undefined) return visible;
  return asksHidden(where) ? where : { operator: 'and', conditions: [where, visible] };
}

function asksHidden(where: Where): boolean {
  return 'field' in where ? where.field[0] === 'hidden' : where.conditions.some(asksHidden);
}
