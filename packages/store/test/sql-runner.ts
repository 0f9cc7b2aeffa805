/** SQL of a caller as the tests of databases run it: the answer, or the code and text of the error. */
import type { SqlValue } from '../src/databases/databases.ts';
import type { Store } from '../src/store.ts';

/** A statement with this many rows, 1 and up. */
export const counted = (count: number) =>
  `with recursive c(x) as (select 1 union all select x + 1 from c where x < ${count}) select x from c`;

export function runner(store: Store, connectionId = 'conn_a', organizationId = 'org_a') {
  return async (text: string, params: readonly SqlValue[] = [], timeoutMs = 10_000) => {
    try {
      const { rows, rowsAffected, truncated } = await store.databases.run({
        organizationId,
        connectionId,
        sql: text,
        params,
        timeoutMs,
      });
      return { rows, rowsAffected, truncated };
    } catch (error) {
      // A fault of the store has no code and fails the expectation with its message.
      const { code = 'no code', message } = error as Error & { code?: string };
      return { code, message };
    }
  };
}
