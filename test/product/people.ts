/** Other people in a data folder, for tests of what their keys may do. */
import { createIdentity } from '@parley/identity';
import { ALL_GRANTS } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import { openStore } from '@parley/store';

/** Puts somebody with this role into the first organization; returns a key that may do all they may. */
export async function keyOfNew(role: string, dataDir: string): Promise<string> {
  const onError = (error: unknown) => {
    throw error;
  };
  const store = await openStore({ dataDir, onError });
  const identity = createIdentity(store, { onError });
  try {
    const organizationId = await identity.firstOrganizationId();
    const owner = testCaller({ organizationId, id: 'founder' });
    const userId = await identity.createUser({ name: `New ${role}`, email: null });
    await identity.addMember(owner, { userId, roles: [role] });
    const key = { name: `Key of ${role}`, grants: ALL_GRANTS, expiresAt: null };
    return (await identity.createKey({ ...owner, userId }, key)).text;
  } finally {
    identity.close();
    await store.close();
  }
}
