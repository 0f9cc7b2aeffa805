/** Other people in a data folder, for tests of what their keys may do. */
import type { Identity } from '@parley/identity';
import { createIdentity } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import { openStore } from '@parley/store';

/** Works on the people of a data folder, as somebody who may do everything in its first organization. */
export async function withPeople<Result>(
  dataDir: string,
  work: (identity: Identity, founder: Caller) => Promise<Result>,
): Promise<Result> {
  const onError = (error: unknown) => {
    throw error;
  };
  const store = await openStore({ dataDir, onError });
  const identity = createIdentity(store, { onError });
  try {
    const organizationId = await identity.firstOrganizationId();
    const [{ userId } = { userId: '' }] = await identity.listMembers(organizationId);
    return await work(identity, testCaller({ organizationId, userId, id: 'founder' }));
  } finally {
    identity.close();
    await store.close();
  }
}

/** Puts somebody with this role into the first organization; returns a key that may do all they may. */
export function keyOfNew(role: string, dataDir: string): Promise<string> {
  return withPeople(dataDir, async (identity, founder) => {
    const userId = await identity.createUser({ name: `New ${role}`, email: null });
    await identity.addMember(founder, { userId, roles: [role] });
    const key = { name: `Key of ${role}`, grants: ALL_GRANTS, expiresAt: null };
    return (await identity.createKey({ ...founder, userId }, key)).text;
  });
}
