/** Old answers go beside the requests: in batches, on the connections that no request waits for. */
import type { Store } from '@parley/store';
import { onBothEngines } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { notesMigrations } from '../../test/notes-api.ts';
import { Claims, KEEP_MS } from './claims.ts';

onBothEngines('answers that are a day old', (open) => {
  test('go in batches on their own connections, all of them', async () => {
    const store = await open();
    await store.migrate([notesMigrations]);
    const lanes: unknown[] = [];
    const transaction: Store['transaction'] = (work, options) => {
      lanes.push(options?.lane);
      return store.transaction(work, options);
    };
    const claims = new Claims({ ...store, transaction }, 'notes');
    const request = { organizationId: 'org_1', callerId: 'key_1', requestHash: 'h', hasSecret: false };
    const keys = Array.from({ length: 450 }, (_, index) => `old ${index}`);
    await Promise.all(keys.map((key) => claims.claim({ ...request, key }, 1_000)));
    await claims.claim({ ...request, key: 'new' }, 1_001);
    await claims.sweep(1_000 + KEEP_MS);
    expect(lanes).toEqual(['tidying', 'tidying', 'tidying']);
    const left = await store
      .db<{ notes_idempotency: { key: string } }>()
      .selectFrom('notes_idempotency')
      .select('key')
      .execute();
    expect(left).toEqual([{ key: 'new' }]);
  });
});
