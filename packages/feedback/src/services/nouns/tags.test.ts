import { typeId } from '@parley/kit';
import { expect, it } from 'vitest';
import { Stale } from '../../faults.ts';
import type { FeedbackTables } from '../../schema.ts';
import { Tag } from '../../shapes/nouns.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

onBothEngines('tags', (open) => {
  it('are made by the team, with a colour of their own or the usual one', async () => {
    const { services, member } = await openFeedback(await open());
    const urgent = await services.tags.create(member, { name: 'Urgent' });
    expect(Tag.parse(urgent)).toEqual(urgent);
    expect(urgent).toMatchObject({ name: 'Urgent', color: '#6b7280' });
    const api = await services.tags.create(member, { name: 'API', color: '#FF0000' });
    expect(await services.tags.get(member, api.id)).toEqual(api);
    expect(await services.tags.list(member)).toEqual([api, urgent]);
  });

  it('have names that are unique without case, in any script', async () => {
    const { services, member } = await openFeedback(await open());
    const { id } = await services.tags.create(member, { name: 'Über' });
    expect(await refusalOf(services.tags.create(member, { name: 'ÜBER' }))).toEqual({
      code: 'conflict',
      message: 'A tag with the name "ÜBER" exists already',
    });
    // The same letter, written as two characters.
    expect(await refusalOf(services.tags.create(member, { name: 'u\u0308ber' }))).toMatchObject({
      code: 'conflict',
    });
    const other = await services.tags.create(member, { name: 'Other' });
    expect(await refusalOf(services.tags.update(member, other.id, { name: 'über' }))).toEqual({
      code: 'conflict',
      message: 'A tag with the name "über" exists already',
    });
    expect(await services.tags.get(member, other.id)).toEqual(other);
    expect(await services.tags.update(member, id, { name: 'ÜBER' })).toMatchObject({ name: 'ÜBER' });
  });

  it('made at the same time with one name are one tag', async () => {
    const { services, member } = await openFeedback(await open());
    const all = await Promise.allSettled(
      ['Bug', 'bug', 'BUG', 'buG'].map((name) => services.tags.create(member, { name })),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await services.tags.list(member)).toHaveLength(1);
  });

  it('change in what is given, on posts too', async () => {
    const { services, member, board } = await openFeedback(await open());
    const tag = await services.tags.create(member, { name: 'Urgent', color: '#111111' });
    const boardId = await board();
    const post = await services.posts.create(member, { boardId, title: 'One', tagIds: [tag.id] });
    expect(await services.tags.update(member, tag.id, { color: '#222222' })).toEqual({
      ...tag,
      color: '#222222',
    });
    expect((await services.posts.get(member, post.id)).tags).toEqual([
      { id: tag.id, name: 'Urgent', color: '#222222' },
    ]);
    const refused = services.tags.update(member, tag.id, { name: 'X' }, () => {
      throw new Stale();
    });
    await expect(refused).rejects.toThrow(Stale);
    expect(await services.tags.get(member, tag.id)).toMatchObject({ name: 'Urgent' });
  });

  it('that are deleted are on no post any more', async () => {
    const store = await open();
    const { services, member, board } = await openFeedback(store);
    const [kept, gone] = [
      await services.tags.create(member, { name: 'Kept' }),
      await services.tags.create(member, { name: 'Gone' }),
    ];
    const boardId = await board();
    const post = await services.posts.create(member, { boardId, title: 'One', tagIds: [kept.id, gone.id] });
    await services.tags.delete(member, gone.id);
    expect((await services.posts.get(member, post.id)).tags).toMatchObject([{ id: kept.id }]);
    const rows = await store.db<FeedbackTables>().selectFrom('feedback_post_tags').selectAll().execute();
    expect(rows.map(({ tag_id }) => tag_id)).toEqual([kept.id]);
    const absent = { code: 'not_found', message: 'Tag not found' };
    expect(await refusalOf(services.tags.get(member, gone.id))).toEqual(absent);
    expect(await refusalOf(services.tags.delete(member, gone.id))).toEqual(absent);
    expect(await refusalOf(services.tags.update(member, typeId('tag'), {}))).toEqual(absent);
    expect(await services.tags.create(member, { name: 'gone' })).toMatchObject({ name: 'gone' });
  });
});
