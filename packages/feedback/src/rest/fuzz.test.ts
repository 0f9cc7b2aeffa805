/** Hostile requests: whatever comes, no fault of ours, no words from inside, and the next request works. */
import { expect, test } from 'vitest';
import { openRest } from '../../test/rest-api.ts';
import { fuzzRest } from '../../test/rest-fuzz.ts';
import { onBothEngines } from '../testing/engines.ts';

/** Per engine; a long run of 20,000 in all is the same call with another count. */
const REQUESTS = 500;

onBothEngines('hostile requests', (open) => {
  test(`${REQUESTS} of them give no 5xx`, { timeout: 300_000 }, async () => {
    const api = await openRest(await open());
    const findings = await fuzzRest(api, { count: REQUESTS });
    expect(findings).toEqual([]);
    expect(api.faults).toEqual([]);
    expect((await api.call('GET', '/posts', { as: api.keys.admin })).status).toBe(200);
  });
});
