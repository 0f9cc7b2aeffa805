/** API keys, as the management tools see them: those of the caller's own user. */
import type { Identity, KeyInfo } from '@parley/identity';
import type { Caller, Grants } from '@parley/kit';
import { isGranted, mayAdminister, ToolError } from '@parley/kit';
import { MANAGEMENT } from '../name.ts';

/** A key to be made. */
export interface WantedKey {
  readonly name: string;
  /** Absent: what a new key has by default. */
  readonly grants?: Grants | undefined;
  readonly expiresInS?: number | undefined;
  readonly connectionId?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface ApiKeys {
  list(caller: Caller): Promise<KeyInfo[]>;
  create(caller: Caller, input: WantedKey): Promise<{ info: KeyInfo; text: string }>;
  update(
    caller: Caller,
    input: {
      readonly keyId: string;
      readonly name?: string | undefined;
      readonly grants?: Grants | undefined;
      readonly metadata?: Readonly<Record<string, unknown>> | undefined;
    },
  ): Promise<KeyInfo>;
  /** False when there was nothing to delete. */
  delete(caller: Caller, keyId: string): Promise<boolean>;
}

/** Tells whether a connection is one of an organization. */
export type HasConnection = (organizationId: string, connectionId: string) => Promise<boolean>;

// Enough to look around and to make keys for others to use; each only as far as the maker holds it.
const DEFAULT_TOOLS = [
  'ORGANIZATION_LIST',
  'ORGANIZATION_GET',
  'ORGANIZATION_MEMBER_LIST',
  'COLLECTION_CONNECTIONS_LIST',
  'COLLECTION_CONNECTIONS_GET',
  'API_KEY_CREATE',
  'API_KEY_LIST',
];

export function createApiKeys(
  identity: Pick<Identity, 'createKey' | 'listKeys' | 'revokeKey' | 'updateKey'>,
  hasConnection: HasConnection,
): ApiKeys {
  async function ownKeys(caller: Caller): Promise<KeyInfo[]> {
    const all = await identity.listKeys(caller, { all: false });
    return all.filter(({ revokedAt }) => revokedAt === null);
  }

  async function requireConnection(caller: Caller, connectionId: string): Promise<void> {
    if (!mayAdminister(caller) || !isGranted(caller.grants, MANAGEMENT, '*'))
      throw new ToolError('forbidden', 'Only owners and administrators can bind a key to a connection.');
    if (!(await hasConnection(caller.organizationId, connectionId)))
      throw new ToolError('not_found', `No such connection: ${connectionId}`);
  }

  return {
    list: ownKeys,
    async create(caller, { grants, expiresInS, connectionId, ...input }) {
      if (connectionId !== undefined) await requireConnection(caller, connectionId);
      return identity.createKey(caller, {
        ...input,
        grants: grants ?? defaultGrants(caller),
        expiresAt: expiresInS === undefined ? null : Date.now() + expiresInS * 1000,
        ...(connectionId !== undefined && { connectionId }),
      });
    },
    update: (caller, input) => identity.updateKey(caller, input),
    async delete(caller, keyId) {
      const isThere = (await ownKeys(caller)).some(({ id }) => id === keyId);
      if (isThere) await identity.revokeKey(caller, keyId);
      return isThere;
    },
  };
}

function defaultGrants({ grants }: Caller): Grants {
  const held = DEFAULT_TOOLS.filter((tool) => isGranted(grants, MANAGEMENT, tool));
  return held.length === 0 ? {} : { [MANAGEMENT]: held };
}
