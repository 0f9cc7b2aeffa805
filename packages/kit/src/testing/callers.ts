/** Callers for tests. */
import type { Caller } from '../access/caller.ts';
import { ALL_GRANTS } from '../access/grants.ts';

/** A caller with everything, changed where the test needs it. */
export function testCaller(changes: Partial<Caller> = {}): Caller {
  return {
    id: 'caller_test',
    name: 'Test',
    organizationId: 'org_test',
    userId: 'user_test',
    roles: ['owner'],
    grants: ALL_GRANTS,
    source: 'key',
    unattended: false,
    ...changes,
  };
}
