/** A database of the first version is brought forward with everybody in it. */
import { ALL_GRANTS } from '@parley/kit';
import { toJson } from '@parley/store';
import { onBothEngines } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { settle } from '../../test/people.ts';
import { hashSecret, newKey } from '../key-format.ts';
import { identityMigrations } from './index.ts';

/** The tables as the first migration made them. */
interface FirstTables {
  organizations: { id: string; slug: string; name: string; created_at: number };
  users: { id: string; email: string | null; name: string; created_at: number };
  members: { id: string; organization_id: string; user_id: string; created_at: number };
  member_roles: { member_id: string; organization_id: string; role: string };
  api_keys: {
    id: string;
    organization_id: string;
    user_id: string;
    public_id: string;
    name: string;
    hash: string;
    grants: string;
    created_at: number;
  };
}

onBothEngines('migrations', (open) => {
  test('an owner and their key from before work as they did', async () => {
    const store = await open();
    const { '001-identity': first } = identityMigrations.migrations;
    await store.migrate([{ name: 'identity', migrations: { '001-identity': first! } }]);
    const db = store.db<FirstTables>();
    const { text, publicId, secret } = newKey();
    const ids = { organization_id: 'org_1', user_id: 'user_1', created_at: 1 };
    await db
      .insertInto('organizations')
      .values({ id: 'org_1', slug: 's', name: 'O', created_at: 1 })
      .execute();
    await db.insertInto('users').values({ id: 'user_1', email: null, name: 'Ada', created_at: 1 }).execute();
    await db
      .insertInto('members')
      .values({ id: 'mem_1', ...ids })
      .execute();
    const role = { member_id: 'mem_1', organization_id: 'org_1', role: 'owner' };
    await db.insertInto('member_roles').values(role).execute();
    const key = { id: 'key_1', public_id: publicId, name: 'Old', hash: hashSecret(secret) };
    await db
      .insertInto('api_keys')
      .values({ ...ids, ...key, grants: toJson(ALL_GRANTS) })
      .execute();

    const { identity } = await settle(store);
    expect(await identity.authenticate(text, 'key')).toMatchObject({ id: 'key_1', roles: ['owner'] });
    expect(await identity.listMembers('org_1')).toEqual([
      {
        id: 'mem_1',
        userId: 'user_1',
        name: 'Ada',
        email: null,
        image: null,
        emailVerified: false,
        roles: ['owner'],
        rank: 'admin',
        createdAt: 1,
      },
    ]);
  });
});
