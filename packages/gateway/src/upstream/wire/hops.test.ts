/** What the count of hops promises: loops end, whoever is on the way, and nobody can make the count smaller. */
import { expect, test } from 'vitest';
import { createHops } from './hops.ts';

test('a call that comes back again and again is refused', () => {
  const next = createHops('one key');
  let header: string | undefined;
  for (let hops = 1; hops <= 5; hops += 1) {
    header = next(header);
    expect(header).toMatch(new RegExp(`^${hops}\\.`));
  }
  expect(() => next(header)).toThrow('5 times');
});

test('a loop over several servers is noticed', () => {
  const [one, other] = [createHops('one key'), createHops('another key')];
  let header: string | undefined;
  const round = () => {
    header = other(one(header));
  };
  for (let rounds = 0; rounds < 5; rounds += 1) round();
  expect(round).toThrow('5 times');
});

test('a count that somebody else wrote counts for nothing', () => {
  const next = createHops('one key');
  const forged = `0.${'A'.repeat(43)}`;
  expect(next(`${forged}, nonsense, ${next(undefined)}`)).toBe(`${forged}, ${next(next(undefined))}`);
  expect(() => next(Array.from({ length: 9 }, () => forged).join(','))).toThrow('5 times');
});
