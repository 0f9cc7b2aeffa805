/** Looks keys up with the roles of their owners: all that are asked for in one turn are one statement. */
import type { Grants } from '@parley/kit';
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import { fromJson } from '@parley/store';
import { isBuiltInRole } from '../roles.ts';
import type { ApiKeyRow, IdentityTables } from '../schema.ts';
import type { HeldRoles } from './standing.ts';

/** A key as it is stored; no roles: its owner is no member any more. */
export interface FoundKey {
  readonly row: ApiKeyRow;
  readonly roles: HeldRoles | undefined;
}

interface Asked {
  readonly publicId: string;
  readonly resolve: (found: FoundKey | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const MOST_AT_ONCE = 256;
const afterThisTurn = setImmediate;

/** The look-ups of one process. */
export class KeyLookup {
  readonly #store: Store;
  #asked: Asked[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  find(publicId: string): Promise<FoundKey | undefined> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ publicId, resolve, reject });
      // After the requests that have arrived by now, and before the next ones.
      if (this.#asked.length === 1) afterThisTurn(() => this.#send());
    });
  }

  #send(): void {
    const asked = this.#asked;
    this.#asked = [];
    for (let start = 0; start < asked.length; start += MOST_AT_ONCE)
      // Whoever asked gets the fault.
      detach(this.#answer(asked.slice(start, start + MOST_AT_ONCE)), () => undefined);
  }

  async #answer(asked: readonly Asked[]): Promise<void> {
    try {
      const found = await this.#read([...new Set(asked.map(({ publicId }) => publicId))]);
      for (const { publicId, resolve } of asked) resolve(found.get(publicId));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  async #read(publicIds: readonly string[]): Promise<Map<string, FoundKey>> {
    const rows = await this.#store
      .db<IdentityTables>()
      .selectFrom('api_keys')
      .leftJoin('members', (join) =>
        join
          .onRef('members.organization_id', '=', 'api_keys.organization_id')
          .onRef('members.user_id', '=', 'api_keys.user_id'),
      )
      .leftJoin('member_roles', 'member_roles.member_id', 'members.id')
      .leftJoin('roles', (join) =>
        join
          .onRef('roles.organization_id', '=', 'members.organization_id')
          .onRef('roles.name', '=', 'member_roles.role'),
      )
      .selectAll('api_keys')
      .select(['members.id as member_id', 'member_roles.role as held_role', 'roles.grants as role_grants'])
      .where('api_keys.public_id', 'in', padded(publicIds))
      .execute();
    const found = new Map<string, { row: ApiKeyRow; roles: string[] | undefined; custom: Grants[] }>();
    for (const { member_id, held_role, role_grants, ...row } of rows) {
      const known = found.get(row.public_id) ?? {
        row,
        roles: member_id === null ? undefined : [],
        custom: [],
      };
      found.set(row.public_id, known);
      if (held_role === null) continue;
      known.roles?.push(held_role);
      if (role_grants !== null && !isBuiltInRole(held_role)) known.custom.push(fromJson<Grants>(role_grants));
    }
    return new Map(
      [...found].map(([publicId, { row, roles, custom }]) => [
        publicId,
        { row, roles: roles && { roles, custom } },
      ]),
    );
  }
}

/** Up to the next power of two, with the last one again: a few texts of the statement stand for all numbers of keys. */
function padded(ids: readonly string[]): string[] {
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, ids.length)));
  const last = ids.at(-1) ?? '';
  return [...ids, ...Array.from({ length: length - ids.length }, () => last)];
}
