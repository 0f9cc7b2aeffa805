/** API keys for feedback: made, listed and revoked by administrators. Identity keeps them. */
import type { KeyInfo } from '@parley/identity';
import type { Caller, Grants } from '@parley/kit';
import { intersectGrants, ToolError } from '@parley/kit';
import type { Actor } from '../../actor.ts';
import { notFound } from '../../faults.ts';
import { fromIdentityId, toIdentityId } from '../../ids.ts';
import { isoOf, isoOrNull } from '../../shapes/fields.ts';
import type { ApiKey, CreateKey } from '../../shapes/nouns.ts';
import { dateOf } from '../posts/filter.ts';
import type { Base } from '../write.ts';

/** What administrators can do with keys; a key is never stronger than its maker. */
export interface KeyService {
  /** All keys of the organization, the newest first, without their texts. */
  list(actor: Actor, caller: Caller): Promise<ApiKey[]>;
  /** The text is shown here and never again. */
  create(actor: Actor, caller: Caller, input: CreateKey): Promise<{ key: ApiKey; secretText: string }>;
  revoke(actor: Actor, caller: Caller, id: string): Promise<void>;
}

const FEEDBACK: Grants = { feedback: ['*'] };

export function createKeys({ identity }: Base): KeyService {
  return {
    async list(_actor, caller) {
      return (await identity.listKeys(caller, { all: true })).map(toApiKey);
    },
    async create(_actor, caller, { name, role, expiresAt, grants }) {
      const { info, text } = await identity.createKey(caller, {
        name,
        role,
        format: 'qb',
        expiresAt: dateOf('expiresAt', expiresAt ?? undefined, 0) ?? null,
        grants: grants ?? intersectGrants(FEEDBACK, caller.grants),
      });
      return { key: toApiKey(info), secretText: text };
    },
    async revoke(_actor, caller, id) {
      await identity.revokeKey(caller, toIdentityId('api_key', id)).catch((error: unknown) => {
        throw error instanceof ToolError && error.code === 'not_found' ? notFound('API key') : error;
      });
    },
  };
}

function toApiKey(info: KeyInfo): ApiKey {
  return {
    id: fromIdentityId('api_key', info.id),
    name: info.name,
    prefix: info.publicId,
    role: info.role,
    grants: Object.fromEntries(Object.entries(info.grants).map(([on, tools]) => [on, [...tools]])),
    userId: info.userId,
    createdAt: isoOf(info.createdAt),
    expiresAt: isoOrNull(info.expiresAt),
    lastUsedAt: isoOrNull(info.lastUsedAt),
    revokedAt: isoOrNull(info.revokedAt),
  };
}
