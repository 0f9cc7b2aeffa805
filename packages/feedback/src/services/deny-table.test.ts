/** Every method of every service by every rank, compared with the table that is written down in `deny-table.md`. */
import { scratchStore } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { linesOf } from '../../test/deny-table.ts';
import type { Actor } from '../actor.ts';
import type { TestFeedback } from '../testing/fixture.ts';
import { openFeedback, refusalOf } from '../testing/fixture.ts';
import type { FeedbackServices } from './index.ts';
import { WHO_MAY } from './who-may.ts';

const LINES = linesOf('Services');
const RANKS = ['visitor', 'member', 'admin'] as const;

/** The methods that ask whose the row is, each with a row of the author. */
const OWN: Readonly<
  Record<string, (feedback: TestFeedback, actor: Actor, author: Actor) => Promise<unknown>>
> = {
  'posts.delete': async ({ services, post }, actor, author) =>
    services.posts.delete(actor, await post({ by: author })),
  'comments.update': async (feedback, actor, author) =>
    feedback.services.comments.update(actor, await commentOf(feedback, author), { content: 'Mine' }),
  'comments.delete': async (feedback, actor, author) =>
    feedback.services.comments.delete(actor, await commentOf(feedback, author)),
  'visitors.edit': async ({ services, post }, actor, author) =>
    services.visitors.edit(actor, await post({ by: author }), { title: 'Mine' }),
};

async function commentOf({ services, post }: TestFeedback, author: Actor): Promise<string> {
  return (await services.comments.create(author, await post(), { content: 'First' })).id;
}

function methodOf(services: FeedbackServices, name: string): (actor: Actor) => Promise<unknown> {
  const [noun = '', method = ''] = name.split('.');
  const service: unknown = new Map(Object.entries(services)).get(noun);
  const found: unknown = new Map(Object.entries(service ?? {})).get(method);
  if (typeof found !== 'function') throw new Error(`There is no ${name}.`);
  // Only the guard is asked; what comes behind it has no input to work on.
  return async (actor) => found(actor) as unknown;
}

test('the table of services has a line for each method, and no line without one', async () => {
  await using store = await scratchStore();
  const { services } = await openFeedback(store);
  const nouns = Object.keys(WHO_MAY) as (keyof typeof WHO_MAY)[];
  const methods = nouns.flatMap((noun) => Object.keys(services[noun]).map((name) => `${noun}.${name}`));
  expect(LINES.map((line) => line('method')).toSorted()).toEqual(methods.toSorted());
});

test('services refuse whoever the table says, in the same words, and let others pass', async () => {
  await using store = await scratchStore();
  const feedback = await openFeedback(store);
  for (const line of LINES) {
    const name = line('method');
    const message =
      line('member') === '403' ? 'Only administrators may do this.' : 'Only team members may do this.';
    for (const rank of RANKS) {
      const work = methodOf(feedback.services, name)(feedback[rank]);
      if (line(rank) === '403')
        expect({ name, rank, ...(await refusalOf(work)) }).toEqual({
          name,
          rank,
          code: 'forbidden',
          message,
        });
      else {
        const code: unknown = await work.then(
          () => undefined,
          (error: { code?: unknown }) => error.code,
        );
        expect({ name, rank, code }).not.toMatchObject({ code: 'forbidden' });
      }
    }
  }
});

test('what depends on the row is for its author, and for others where the table says so', async () => {
  await using store = await scratchStore();
  const feedback = await openFeedback(store);
  const rowLines = LINES.filter((line) => RANKS.some((rank) => line(rank) === 'own'));
  expect(rowLines.map((line) => line('method')).toSorted()).toEqual(Object.keys(OWN).toSorted());
  const somebody = (await feedback.join('user', 'Somebody Else')).actor;
  for (const line of rowLines) {
    const name = line('method');
    for (const rank of RANKS) {
      const on = (author: Actor) =>
        OWN[name]?.(feedback, feedback[rank], author) ?? Promise.reject(new Error(name));
      await on(feedback[rank]);
      if (line(rank) === 'ok') await on(somebody);
      else
        expect({ name, rank, ...(await refusalOf(on(somebody))) }).toMatchObject({
          name,
          rank,
          code: expect.stringMatching(/^(forbidden|not_found)$/),
        });
    }
  }
});
