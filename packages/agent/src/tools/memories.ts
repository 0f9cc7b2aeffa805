/** What an agent remembers. */
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { text } from './texts.ts';

const wellFormed = (most: number) =>
  text(most).refine((value) => value.isWellFormed(), 'must not contain half of a surrogate pair');
const memoryKey = wellFormed(200);

export const saveMemory = defineTool({
  name: 'corvid_save_memory',
  title: 'Save a memory',
  description: 'Keeps a text under a key, signed; the same key again replaces it. Only you see it.',
  effect: 'update',
  input: z.strictObject({
    key: memoryKey.describe('Name to find it by'),
    content: wellFormed(Infinity).optional().describe('Text, at most 65536 bytes'),
    expires_in_days: z.int().min(1).max(3650).optional().describe('Archived after that; absent: never'),
    forget: z.boolean().optional().describe('true: remove the memory of this key; without content'),
  }),
  output: z.object({
    key: z.string(),
    created: z.boolean(),
    hash: z.string(),
    seq: z.number(),
    updated_at: z.string(),
  }),
  errors: { quota_exceeded: 'The memory is too long, or the agent has no room for more.' },
  async run({ key, content, expires_in_days: expiresInDays, forget }, { services, error }, owner) {
    if (forget === true) {
      if (content !== undefined || expiresInDays !== undefined)
        throw error('invalid', 'forget: takes a key and nothing else; leave out content and expires_in_days');
      return services.memories.forget(owner, key);
    }
    if (content === undefined) throw error('invalid', 'content: is needed, unless forget is true');
    return services.memories.save(owner, { key, content, expiresInDays });
  },
});

export const recallMemory = defineTool({
  name: 'corvid_recall_memory',
  title: 'Recall memories',
  description:
    'Your memories: by key, by words (each as the beginning of a word, else any part of the text), or the newest.',
  effect: 'read',
  input: z.strictObject({
    key: memoryKey.optional().describe('Exactly this one, archived or not'),
    query: wellFormed(500).optional().describe('Words to look for; not together with key'),
    limit: z.int().min(1).max(20).default(20),
  }),
  output: z.object({
    memories: z.array(
      z.object({
        key: z.string(),
        content: z.string(),
        saved_at: z.string(),
        hash: z.string(),
        signature: z.enum(['valid', 'invalid']),
        archived: z.boolean(),
      }),
    ),
    total: z.number(),
  }),
  async run({ key, query, limit }, { services, error }, owner) {
    if (key !== undefined && query !== undefined)
      throw error('invalid', 'query: not together with key; give one of them');
    return services.memories.recall(owner, { key, query, limit });
  },
});
