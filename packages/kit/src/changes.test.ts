/** Coalescing: equal changes that come close together are one, and none comes after the end. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Change } from './changes.ts';
import { coalesce, createChangeBus } from './changes.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function heard() {
  const bus = createChangeBus();
  const changes: Change[] = [];
  bus.subscribe((change) => changes.push(change));
  return { bus, changes };
}

const BOARDS: Change = { kind: 'resource', uri: 'test://boards', organizationId: 'org_a' };

test('equal changes are one, different ones stay, and nothing comes early or twice', () => {
  const { bus, changes } = heard();
  const notices = coalesce(bus, 100);
  notices.add([]);
  for (let index = 0; index < 50; index += 1) notices.add([{ ...BOARDS }]);
  notices.add([{ ...BOARDS, organizationId: 'org_b' }, { kind: 'tools' }]);
  vi.advanceTimersByTime(99);
  expect(changes).toEqual([]);
  vi.advanceTimersByTime(1);
  const expected = [BOARDS, { ...BOARDS, organizationId: 'org_b' }, { kind: 'tools' }];
  expect(changes).toEqual(expected);
  vi.advanceTimersByTime(1000);
  expect(changes).toEqual(expected);
  notices.add([BOARDS]);
  vi.advanceTimersByTime(100);
  expect(changes).toEqual([...expected, BOARDS]);
});

test('what is on its way at the end is not published', () => {
  const { bus, changes } = heard();
  const notices = coalesce(bus, 100);
  notices.add([BOARDS]);
  notices.close();
  vi.advanceTimersByTime(1000);
  expect(changes).toEqual([]);
});
