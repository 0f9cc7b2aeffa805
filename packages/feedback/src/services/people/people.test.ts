import type { IdentityTables } from '@parley/identity';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeCursor } from '../../cursor.ts';
import { Person, PERSON_SORTS } from '../../shapes/nouns.ts';
import type { TestFeedback } from '../../testing/fixture.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import type { PersonQuery } from './people.ts';
import { onBothEngines } from '../../testing/engines.ts';

async function names({ services, member }: TestFeedback, query: Partial<PersonQuery>): Promise<string[]> {
  const { items, total } = await services.members.people(member, { limit: 100, ...query });
  expect(total).toBe(items.length);
  return items.map(({ name }) => name);
}

/** A clock that moves a second with every person. */
function ticking(): () => number {
  let at = Date.UTC(2026, 0, 1);
  return () => (at += 1000);
}

onBothEngines('people', (open, engine) => {
  it('are everybody, with what each of them did', async () => {
    const feedback = await openFeedback(await open());
    const { services, member, visitor, join, post } = feedback;
    const { actor } = await join('user', 'Busy Bee');
    const own = await post({ by: actor });
    const other = await post({ by: member });
    const deleted = await post({ by: actor });
    await services.posts.delete(member, deleted);
    await services.comments.create(actor, other, { content: 'Me too' });
    await services.votes.set(actor, other, true);
    await services.votes.set(actor, own, true);
    await services.votes.set(visitor, own, true);
    const { items, total } = await services.members.people(member, { limit: 20, sort: 'most_active' });
    expect(total).toBe(4);
    for (const person of items) expect(Person.parse(person)).toEqual(person);
    expect(items[0]).toMatchObject({
      name: 'Busy Bee',
      email: 'busy.bee@acme.example',
      emailVerified: false,
      postCount: 1,
      commentCount: 1,
      voteCount: 2,
    });
    expect(items.find(({ name }) => name === 'Ada Admin')).toMatchObject({
      postCount: 0,
      commentCount: 0,
      voteCount: 0,
    });
    // A merge copies votes; nobody has voted more for it.
    await services.merges.merge(member, { duplicatePostId: own, canonicalPostId: other });
    const [after] = (await services.members.people(member, { limit: 1, sort: 'most_active' })).items;
    expect(after).toMatchObject({ name: 'Busy Bee', voteCount: 2 });
  });

  it('are sorted by when they came, by name or by what they did', async () => {
    const feedback = await openFeedback(await open(), { now: ticking() });
    await feedback.join('user', 'bob');
    await feedback.join('user', 'Zoe');
    const oldest = ['Ada Admin', 'Mia Member', 'Vic Visitor', 'bob', 'Zoe'];
    expect(await names(feedback, { sort: 'oldest' })).toEqual(oldest);
    expect(await names(feedback, { sort: 'newest' })).toEqual(oldest.toReversed());
    expect(await names(feedback, {})).toEqual(oldest.toReversed());
    expect(await names(feedback, { sort: 'name' })).toEqual([
      'Ada Admin',
      'bob',
      'Mia Member',
      'Vic Visitor',
      'Zoe',
    ]);
    const bad = feedback.services.members.people(feedback.member, { limit: 1, sort: 'votes' as 'name' });
    expect(await refusalOf(bad)).toEqual({
      code: 'invalid',
      message: 'sort: must be one of newest, oldest, most_active, name',
    });
  });

  it('are found by part of a name or an address, in any case', async () => {
    const feedback = await openFeedback(await open());
    await feedback.join('user', '100% Legit_Name!');
    await feedback.join('user', 'Émile Zola');
    const cases: Record<string, string[]> = {
      MIA: ['Mia Member'],
      'ia mem': ['Mia Member'],
      'VIC.VISITOR@': ['Vic Visitor'],
      '100% legit_name!': ['100% Legit_Name!'],
      '100_ legit': [],
      '%%': [],
      émile: ['Émile Zola'],
      ÉMILE: ['Émile Zola'],
      nobody: [],
      "' or 1=1 --": [],
      '\\': [],
      ['x'.repeat(100_000)]: [],
    };
    for (const [search, expected] of Object.entries(cases))
      expect({ search: search.slice(0, 50), found: await names(feedback, { search }) }).toEqual({
        search: search.slice(0, 50),
        found: expected,
      });
    expect(await names(feedback, { search: '  ' })).toHaveLength(5);
    expect(await names(feedback, { search: '\0zola' })).toEqual(['Émile Zola']);
  });

  it('give no error, whatever is searched', async () => {
    const feedback = await openFeedback(await open());
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (search) => {
        await names(feedback, { search });
      }),
      { numRuns: 60 },
    );
  });

  it('are narrowed to dates and to verified addresses', async () => {
    const store = await open();
    let at = Date.parse('2026-02-01T23:59:59.999Z');
    const feedback = await openFeedback(store, { now: () => at });
    at += 1;
    const { userId } = await feedback.join('user', 'Next Day');
    const lateDay = await names(feedback, { dateTo: '2026-02-01' });
    expect(lateDay).toHaveLength(3);
    expect(await names(feedback, { dateFrom: '2026-02-02' })).toEqual(['Next Day']);
    expect(await names(feedback, { dateFrom: '2026-02-01', dateTo: '2026-02-02T00:00:00Z' })).toHaveLength(4);
    await store
      .db<IdentityTables>()
      .updateTable('users')
      .set({ email_verified: 1 })
      .where('id', '=', userId)
      .execute();
    expect(await names(feedback, { verified: true })).toEqual(['Next Day']);
    expect(await names(feedback, { verified: false })).toHaveLength(3);
    const { services, member } = feedback;
    const bad = services.members.people(member, { limit: 1, dateFrom: 'yesterday' });
    expect(await refusalOf(bad)).toMatchObject({ code: 'invalid' });
  });

  it('come exactly once over pages of any size, in any sort, with ties', async () => {
    const at = Date.UTC(2026, 0, 1);
    const feedback = await openFeedback(await open(), { now: () => at });
    const { services, member, join } = feedback;
    for (let count = 0; count < 6; count += 1) await join('user', 'Same Name');
    for (let count = 0; count < 4; count += 1) await join('user', `Twin ${count}`);
    for (const sort of PERSON_SORTS) {
      const all = (await services.members.people(member, { limit: 100, sort })).items;
      for (const limit of [1, 3, 7]) {
        const seen = [];
        let cursor: string | undefined;
        do {
          const page = await services.members.people(member, { limit, sort, cursor });
          seen.push(...page.items);
          cursor = page.cursor ?? undefined;
        } while (cursor !== undefined);
        expect({ sort, limit, seen }).toEqual({ sort, limit, seen: all });
      }
    }
  });

  it('are found one by one, and those of others are not there', async () => {
    const { services, member } = await openFeedback(await open());
    const { items } = await services.members.people(member, { limit: 10 });
    for (const { memberId, name } of items)
      expect(await services.members.people(member, { limit: 10, id: memberId })).toMatchObject({
        items: [{ memberId, name }],
        total: 1,
      });
    const strange = 'member_01hzzzzzzzzzzzzzzzzzzzzzzz';
    expect((await services.members.people(member, { limit: 10, id: strange })).items).toEqual([]);
    expect(await refusalOf(services.members.people(member, { limit: 10, id: 'x' }))).toMatchObject({
      code: 'invalid',
    });
  });

  it('refuse cursors of other queries, and made-up ones without a fault', async () => {
    const { services, member } = await openFeedback(await open());
    const { cursor } = await services.members.people(member, { limit: 1, sort: 'name' });
    const ask = (query: Partial<PersonQuery>) =>
      refusalOf(services.members.people(member, { limit: 1, ...query }));
    const given = { cursor: cursor ?? '' };
    for (const query of [given, { ...given, sort: 'name' as const, search: 'a' }, { cursor: 'x' }])
      expect(await ask(query)).toMatchObject({ code: 'invalid' });
    const made = (sort: string, key: number | string, id: string) =>
      encodeCursor({ entity: 'people', sort, filter: {} }, { key, id });
    expect(await ask({ cursor: made('newest', 'a', 'b') })).toMatchObject({ code: 'invalid' });
    expect(await ask({ cursor: made('name', 1, 'b'), sort: 'name' })).toMatchObject({ code: 'invalid' });
    expect(await ask({ cursor: made('name', '\0', 'b'), sort: 'name' })).toMatchObject({ code: 'invalid' });
    const far = made('most_active', -(2 ** 50), 'b');
    const page = await services.members.people(member, { limit: 1, sort: 'most_active', cursor: far });
    expect({ engine, items: page.items }).toEqual({ engine, items: [] });
  });
});
