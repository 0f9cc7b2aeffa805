/** Tools on the caller's own API keys. */
import type { KeyInfo } from '@parley/identity';
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { acting, Id, isoTime } from './fields.ts';

const MAX_TOOLS = 500;
const MAX_EXPIRY_S = 10 * 365 * 86_400;

const name = z.string().trim().min(1).max(64).describe('What it is for');
const permissions = z
  .record(z.string().min(1).max(64), z.array(z.string().min(1).max(128)).max(MAX_TOOLS))
  .refine((map) => Object.keys(map).length <= 100, 'must have at most 100 resources')
  .describe('Tools by resource, e.g. {"self":["TAGS_LIST"]}; "*" for all');
const metadata = z.record(z.string().max(64), z.unknown()).describe('Kept with the key, at most 4 KiB');

const held = z.record(z.string(), z.array(z.string()));
const keyFields = {
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  permissions: held,
  start: z.string(),
  connectionId: z.string().nullable(),
  metadata: z.looseObject({}).nullable(),
  lastUsedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
  createdAt: z.string(),
};

export const apiKeyList = defineTool({
  name: 'API_KEY_LIST',
  title: 'List API Keys',
  description: 'Your own keys in your organization, newest first; never their text.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ items: z.array(z.object(keyFields)) }),
  run: async (_input, { services, caller }) => ({
    items: (await services.apiKeys.list(caller)).map(shownKey),
  }),
});

export const apiKeyCreate = defineTool({
  name: 'API_KEY_CREATE',
  title: 'Create API Key',
  description: 'Makes a key for yourself with at most what you hold. Its text is in this answer alone.',
  effect: 'create',
  unattended: 'block',
  input: z.object({
    name,
    permissions: permissions.optional(),
    expiresIn: z.int().min(300).max(MAX_EXPIRY_S).optional().describe('Seconds; absent: never'),
    connectionId: Id.optional().describe('What it acts for'),
    metadata: metadata.optional(),
  }),
  output: z.object({
    id: z.string(),
    name: z.string(),
    key: z.string(),
    permissions: held,
    expiresAt: z.string().nullable(),
    createdAt: z.string(),
  }),
  async run({ permissions: grants, expiresIn: expiresInS, ...input }, context) {
    const { apiKeys } = context.services;
    const { info, text } = await apiKeys.create(acting(context), { ...input, grants, expiresInS });
    const { id, permissions: given, expiresAt, createdAt } = shownKey(info);
    return { id, name: info.name, key: text, permissions: given, expiresAt, createdAt };
  },
});

export const apiKeyUpdate = defineTool({
  name: 'API_KEY_UPDATE',
  title: 'Update API Key',
  description: 'Changes one of your keys; permissions and metadata replace what was there.',
  effect: 'update',
  unattended: 'block',
  input: z.object({
    keyId: Id,
    name: name.optional(),
    permissions: permissions.optional(),
    metadata: metadata.optional(),
  }),
  output: z.object({ item: z.object(keyFields) }),
  async run({ permissions: grants, ...input }, context) {
    return { item: shownKey(await context.services.apiKeys.update(acting(context), { ...input, grants })) };
  },
});

export const apiKeyDelete = defineTool({
  name: 'API_KEY_DELETE',
  title: 'Delete API Key',
  description: 'Ends one of your keys; its next request is refused.',
  effect: 'delete',
  privileged: true,
  input: z.object({ keyId: Id }),
  output: z.object({ success: z.boolean(), keyId: z.string(), deleted: z.boolean() }),
  run: async ({ keyId }, context) => ({
    success: true,
    keyId,
    deleted: await context.services.apiKeys.delete(acting(context), keyId),
  }),
});

function shownKey(key: KeyInfo) {
  const { id, publicId, name: title, userId, grants, connectionId } = key;
  return {
    id,
    name: title,
    userId,
    permissions: Object.fromEntries(Object.entries(grants).map(([on, tools]) => [on, [...tools]])),
    // The other form of keys begins with its prefix already.
    start: publicId.includes('_') ? publicId : `parley_${publicId}`,
    connectionId,
    metadata: key.metadata && { ...key.metadata },
    lastUsedAt: isoTime(key.lastUsedAt),
    expiresAt: isoTime(key.expiresAt),
    createdAt: isoTime(key.createdAt),
  };
}
