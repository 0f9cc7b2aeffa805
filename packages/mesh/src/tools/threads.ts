/** Tools on threads and their messages. */
import { checkListQuery, collectionTools, listInput } from '@parley/kit';
import type { Where } from '@parley/kit';
import * as z from 'zod';
import type { MeshServices } from '../services/index.ts';
import { defineTool } from './define-tool.ts';

const Thread = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  created_by: z.string(),
  updated_by: z.string().nullable(),
  organization_id: z.string(),
  hidden: z.boolean(),
  status: z.string(),
});

const title = z.string().min(1).max(500).describe('At most 500 characters');
const description = z.string().max(10_000).nullable().optional().describe('What it is about');

const threads = collectionTools<MeshServices>()({
  name: 'THREADS',
  one: 'Thread',
  many: 'Threads',
  entity: Thread,
  create: z.strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must have 1 to 64 letters, digits, - or _')
      .optional()
      .describe('Your own id for it'),
    title,
    description,
  }),
  update: z.strictObject({
    title: title.optional(),
    description,
    hidden: z.boolean().optional().describe('Left out of lists'),
  }),
  of: (services) => services.threads,
});

export const threadsList = threads.list;
export const threadsGet = threads.get;
export const threadsCreate = threads.create;
export const threadsUpdate = threads.update;
export const threadsDelete = threads.delete;

const Message = z.object({
  id: z.string(),
  thread_id: z.string(),
  role: z.string(),
  parts: z.array(z.unknown()),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const threadMessagesList = defineTool({
  name: 'COLLECTION_THREAD_MESSAGES_LIST',
  title: 'List Thread Messages',
  description: 'Lists the messages of one thread, the oldest first; where must have thread_id eq.',
  effect: 'read',
  input: listInput,
  output: z.object({ items: z.array(Message), totalCount: z.int(), hasMore: z.boolean() }),
  async run(query, { caller, services, error }) {
    const { messages } = services.threads;
    checkListQuery(messages.fields, query);
    if (query.where === undefined || !bindsThread(query.where))
      throw error('invalid', 'where: must say {"field":["thread_id"],"operator":"eq","value":...}');
    const { items, totalCount } = await messages.list(caller, query);
    return {
      items: items.map((item) => ({ ...item, parts: [...item.parts] })),
      totalCount,
      hasMore: query.offset + items.length < totalCount,
    };
  },
});

/** Whether only messages of one thread can fit. */
function bindsThread(where: Where): boolean {
  if (!('field' in where)) return where.operator === 'and' && where.conditions.some(bindsThread);
  return where.field.join() === 'thread_id' && where.operator === 'eq' && typeof where.value === 'string';
}
