/** Turns: who runs, who waits, in which order they are served, and who is refused. */
import { expect, test } from 'vitest';
import { detach } from '../detach.ts';
import type { TurnLimits } from './turns.ts';
import { Turns } from './turns.ts';

const NEVER = new AbortController().signal;

/** Turns whose work ends when it is told to; `started` and `refused` say what became of it, in order. */
function scene(limits: Partial<TurnLimits>) {
  const turns = new Turns({ places: 4, waiting: 10, waitMs: 60_000, ...limits }, (why) => new Error(why));
  const [started, refused]: [string[], string[]] = [[], []];
  const ends = new Map<string, () => void>();
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    turns,
    started,
    refused,
    settled,
    /** Works are named by their organization, then a number: a1. */
    async want(names: string, { signal = NEVER, key }: { signal?: AbortSignal; key?: string } = {}) {
      for (const name of names.split(' ')) {
        const turn = { organizationId: name.slice(0, 1), signal, ...(key !== undefined && { key }) };
        const work = () =>
          new Promise<void>((resolve) => {
            started.push(name);
            ends.set(name, resolve);
          });
        detach(turns.take(turn, work), (error) => refused.push(`${name} ${(error as Error).message}`));
      }
      await settled();
    },
    async end(name: string) {
      ends.get(name)?.();
      await settled();
    },
  };
}

test('an organization has half of the places, also while nobody else wants one', async () => {
  const { want, end, started, refused } = scene({});
  await want('a1 a2 a3 a4');
  expect(started).toEqual(['a1', 'a2']);
  await want('b1 c1 c2');
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1']);
  await end('b1');
  // Its half is taken, though it waits longest.
  expect(started.slice(4)).toEqual(['c2']);
  await end('a2');
  expect(started.slice(5)).toEqual(['a3']);
  expect(refused).toEqual([]);
});

test('a single place is for everybody', async () => {
  const { want, end, started } = scene({ places: 1 });
  await want('a1 b1');
  await end('a1');
  expect(started).toEqual(['a1', 'b1']);
});

test('who waits is served an organization after the other, in each by who came first', async () => {
  const { want, end, started } = scene({ places: 1 });
  await want('x1 a1 a2 a3 b1 c1 b2');
  for (const name of ['x1', 'a1', 'b1', 'c1', 'a2', 'b2']) await end(name);
  expect(started).toEqual(['x1', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a full queue refuses its own organization only', async () => {
  const { want, started, refused } = scene({ places: 2, waiting: 2 });
  await want('a1 a2 a3 a4 a5 b1 b2');
  expect(started).toEqual(['a1', 'b1']);
  expect(refused).toEqual(['a4 organization_full', 'a5 organization_full']);
});

test('a key has its own bounds, and holds up no other key of its organization', async () => {
  const { want, end, started, refused } = scene({ perKey: { places: 1, waiting: 1 } });
  await want('a1 a2 a3', { key: 'one' });
  await want('a4', { key: 'two' });
  expect(started).toEqual(['a1', 'a4']);
  expect(refused).toEqual(['a3 key_full']);
  await want('a5', { key: 'two' });
  await end('a4');
  expect(started.slice(2)).toEqual(['a5']);
  await end('a1');
  expect(started.slice(3)).toEqual(['a2']);
});

test('who is cancelled leaves and takes no place along', async () => {
  const { want, end, started, refused } = scene({ places: 1 });
  const cancelling = new AbortController();
  await want('a1');
  await want('b1', { signal: cancelling.signal });
  cancelling.abort(new Error('cancelled'));
  // In the same step as the place that comes free: it is not for who has left.
  await end('a1');
  await want('c1');
  await want('d1', { signal: cancelling.signal });
  expect(started).toEqual(['a1', 'c1']);
  expect(refused).toEqual(['b1 cancelled', 'd1 cancelled']);
});

test('who waits too long leaves and takes no place along', async () => {
  const { want, end, started, refused } = scene({ places: 1, waitMs: 5 });
  await want('a1 b1');
  await expect.poll(() => refused).toEqual(['b1 late']);
  await end('a1');
  await want('c1');
  expect(started).toEqual(['a1', 'c1']);
});

test('work that fails gives its place back', async () => {
  const { turns, want, started } = scene({ places: 1 });
  const broken = () => Promise.reject(new Error('broken'));
  await expect(turns.take({ organizationId: 'a', signal: NEVER }, broken)).rejects.toThrow('broken');
  await want('b1');
  expect(started).toEqual(['b1']);
});

test('closing refuses who waits and who comes, not who runs', async () => {
  const { turns, want, end, settled, started, refused } = scene({ places: 1 });
  await want('a1 b1');
  turns.close();
  await settled();
  await want('c1');
  await end('a1');
  expect(started).toEqual(['a1']);
  expect(refused).toEqual(['b1 closed', 'c1 closed']);
});
