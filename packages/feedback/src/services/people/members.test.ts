import { typeId } from '@parley/kit';
import { expect, it } from 'vitest';
import { Stale } from '../../faults.ts';
import { Member } from '../../shapes/nouns.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

onBothEngines('members', (open) => {
  it('are the team, the oldest first; a visitor can be looked up', async () => {
    const { services, member, join } = await openFeedback(await open());
    const visitor = await join('user', 'Another Visitor');
    const { items: list } = await services.members.list(member, { limit: 100 });
    for (const each of list) expect(Member.parse(each)).toEqual(each);
    expect(list.map(({ name, email, role }) => ({ name, email, role }))).toEqual([
      { name: 'Ada Admin', email: 'ada@acme.example', role: 'admin' },
      { name: 'Mia Member', email: 'mia.member@acme.example', role: 'member' },
    ]);
    expect(list.every(({ id }) => /^member_[0-9a-z]{26}$/.test(id))).toBe(true);
    expect(await services.members.get(member, visitor.memberId)).toMatchObject({
      id: visitor.memberId,
      userId: visitor.userId,
      role: 'user',
      image: null,
    });
  });

  it('come page by page, by a part of the name, and by id; visitors never', async () => {
    const { services, member, join } = await openFeedback(await open());
    for (const name of ['Carl Coder', 'Cora Coder', 'Cleo Coder']) await join('member', name);
    const { memberId: visitorId } = await join('user', 'Vic Coder');
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await services.members.list(member, { limit: 2, cursor, search: 'coder' });
      expect(page).toMatchObject({ total: 3, hasMore: page.cursor !== null });
      names.push(...page.items.map(({ name }) => name));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(names).toEqual(['Carl Coder', 'Cora Coder', 'Cleo Coder']);
    const [first] = (await services.members.list(member, { limit: 1, search: 'cleo' })).items;
    const byId = await services.members.list(member, { limit: 10, ids: [first?.id ?? '', visitorId] });
    expect(byId.items.map(({ name }) => name)).toEqual(['Cleo Coder']);
    expect(await services.members.list(member, { limit: 10, ids: [] })).toMatchObject({
      items: [],
      total: 0,
    });
    const { cursor: ofAll } = await services.members.list(member, { limit: 1 });
    const other = services.members.list(member, { limit: 1, cursor: ofAll ?? '', search: 'coder' });
    expect(await refusalOf(other)).toMatchObject({ code: 'invalid' });
  });

  it('change their role by an administrator', async () => {
    const { services, admin, callers, join } = await openFeedback(await open());
    const { memberId } = await join('user', 'New Colleague');
    const set = (role: Member['role']) => services.members.setRole(admin, callers.admin, memberId, role);
    for (const role of ['member', 'admin', 'admin', 'user'] as const)
      expect(await set(role)).toMatchObject({ id: memberId, role });
    const refused = services.members.setRole(admin, callers.admin, memberId, 'admin', (current) => {
      expect(current).toMatchObject({ id: memberId, role: 'user' });
      throw new Stale();
    });
    await expect(refused).rejects.toThrow(Stale);
    expect(await services.members.get(admin, memberId)).toMatchObject({ role: 'user' });
  });

  it('keep their last administrator', async () => {
    const { services, admin, callers } = await openFeedback(await open());
    const { items } = await services.members.list(admin, { limit: 1 });
    const id = items[0]?.id ?? '';
    for (const role of ['member', 'user'] as const)
      expect(await refusalOf(services.members.setRole(admin, callers.admin, id, role))).toMatchObject({
        code: 'conflict',
      });
    expect(await refusalOf(services.members.remove(admin, callers.admin, id))).toMatchObject({
      code: 'conflict',
    });
    expect(await services.members.get(admin, id)).toMatchObject({ role: 'admin' });
  });

  it('that are removed are not found; what they wrote stays', async () => {
    const { services, admin, callers, join, post } = await openFeedback(await open());
    const { memberId, actor } = await join('member', 'Leaving Soon');
    const postId = await post({ by: actor });
    await services.members.remove(admin, callers.admin, memberId);
    const gone = { code: 'not_found', message: 'Member not found' };
    expect(await refusalOf(services.members.get(admin, memberId))).toEqual(gone);
    expect(await refusalOf(services.members.remove(admin, callers.admin, memberId))).toEqual(gone);
    expect(await refusalOf(services.members.setRole(admin, callers.admin, memberId, 'admin'))).toEqual(gone);
    expect(await refusalOf(services.members.get(admin, typeId('member')))).toEqual(gone);
    expect(await services.posts.get(admin, postId)).toMatchObject({ authorName: 'Leaving Soon' });
  });

  it('are made administrators by nobody who is less', async () => {
    const { services, member, callers, join } = await openFeedback(await open());
    const { memberId } = await join('user', 'Friend');
    const refused = services.members.setRole(member, callers.member, memberId, 'admin');
    expect(await refusalOf(refused)).toMatchObject({ code: 'forbidden' });
    // Even a caller that is taken for an administrator by mistake gives only what it holds.
    const mistaken = services.members.setRole(
      { ...member, rank: 'admin' },
      callers.member,
      memberId,
      'admin',
    );
    expect(await refusalOf(mistaken)).toMatchObject({ code: 'forbidden' });
  });
});
