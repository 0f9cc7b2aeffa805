/** What a caller whose credential ends after minutes does not have. */
import { expect, test } from 'vitest';
import { testCaller } from '../testing/callers.ts';
import { powerKeyOf } from './caller.ts';
import { requireLasting } from './lasting.ts';
import { hiddenReason } from './resolver.ts';

const caller = testCaller({ grants: { '*': ['*'] } });
const passing = { ...caller, endsAt: 1 };

test('what must not run unwatched is not there for it, and no cache takes it for another', () => {
  const guard = { name: 'API_KEY_CREATE', toolset: 'self', unattended: 'block' } as const;
  expect(hiddenReason(guard, caller)).toBeUndefined();
  expect(hiddenReason(guard, passing)).toBe('unattended');
  expect(hiddenReason({ name: 'EVENT_PUBLISH', toolset: 'self' }, passing)).toBeUndefined();
  expect(powerKeyOf(passing)).not.toBe(powerKeyOf(caller));
});

test('it is refused what would outlive it', () => {
  expect(() => requireLasting(caller, 'keys')).not.toThrow();
  expect(() => requireLasting(passing, 'keys')).toThrow('cannot make or change keys');
});
