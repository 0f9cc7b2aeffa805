import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { refusalOf } from '../testing/fixture.ts';
import type { ActorNeed, NeedsOf } from './guard.ts';
import { guarded, guardEach, ownOr } from './guard.ts';

const actorOf = (rank: Actor['rank']): Actor => ({
  organizationId: 'org',
  memberId: 'member',
  userId: 'user',
  rank,
  agentName: null,
  mayList: [],
});

interface Shelf {
  take(actor: Actor, book: string): Promise<string>;
  opens(organizationId: string): Promise<string>;
}

function shelf() {
  const taken: string[] = [];
  const service: Shelf = {
    async take(_actor, book) {
      taken.push(book);
      return book;
    },
    opens: async (organizationId) => organizationId,
  };
  return { service, taken };
}

const TEAM = { code: 'forbidden', message: 'Only team members may do this.' };
const ADMIN = { code: 'forbidden', message: 'Only administrators may do this.' };

describe('a service behind its guard', () => {
  const cases: [ActorNeed, Actor['rank'], typeof TEAM | undefined][] = [
    ['anyone', 'user', undefined],
    [ownOr('team'), 'user', undefined],
    [ownOr('nobody'), 'user', undefined],
    ['team', 'user', TEAM],
    ['team', 'member', undefined],
    ['team', 'admin', undefined],
    ['admin', 'user', ADMIN],
    ['admin', 'member', ADMIN],
    ['admin', 'admin', undefined],
  ];
  test.each(cases)('that needs %s meets a %s', async (need, rank, refusal) => {
    const { service, taken } = shelf();
    const call = guarded({ take: need, opens: 'public' }, service).take(actorOf(rank), 'Emma');
    if (refusal === undefined) expect(await call).toBe('Emma');
    else expect(await refusalOf(call)).toEqual(refusal);
    expect(taken).toEqual(refusal === undefined ? ['Emma'] : []);
  });

  test('refuses what it does not know, and is not made without a word on every method', async () => {
    const { service } = shelf();
    // A need that came in by a cast, as from a file.
    const odd = guarded({ take: 'everybody' as ActorNeed, opens: 'public' }, service);
    expect(await refusalOf(odd.take(actorOf('member'), 'Emma'))).toEqual(ADMIN);
    const needs: object = { opens: 'public' };
    expect(() => guarded(needs as NeedsOf<Shelf>, service)).toThrow('Nothing says who may call take.');
  });

  test('asks nothing where nobody is known yet', async () => {
    const { service } = shelf();
    const { shelves } = guardEach({ shelves: { take: 'admin', opens: 'public' } }, { shelves: service });
    expect(await shelves.opens('org')).toBe('org');
    expect(await refusalOf(shelves.take(actorOf('member'), 'Emma'))).toEqual(ADMIN);
  });

  test('does not compile without a need for each method, nor with one that its actor cannot meet', () => {
    expectTypeOf<{ take: 'team'; opens: 'public' }>().toExtend<NeedsOf<Shelf>>();
    expectTypeOf<{ opens: 'public' }>().not.toExtend<NeedsOf<Shelf>>();
    expectTypeOf<{ take: 'public'; opens: 'public' }>().not.toExtend<NeedsOf<Shelf>>();
    expectTypeOf<{ take: 'team'; opens: 'team' }>().not.toExtend<NeedsOf<Shelf>>();
    expectTypeOf<{ take: 'everybody'; opens: 'public' }>().not.toExtend<NeedsOf<Shelf>>();
  });
});
