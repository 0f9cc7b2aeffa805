/** What the tools on tags promise, on both databases. */
import { describe, expect, test } from 'vitest';
import { foreignIds } from '../../test/foreign-ids.ts';
import type { MeshBed } from '../../test/mesh-bed.ts';
import { onBothMeshes } from '../../test/mesh-bed.ts';

let made = 0;

async function newTag(bed: MeshBed, name = `tag ${(made += 1)}`): Promise<string> {
  return (await bed.call(bed.acme.owner.caller, 'TAGS_CREATE', { name })).tag.id;
}

onBothMeshes('tags', (bed) => {
  test('a new tag is trimmed, and in the list of its organization alone', async () => {
    const { owner } = bed().acme;
    const { tag } = await bed().call(owner.caller, 'TAGS_CREATE', { name: '  Berlin ' });
    expect(tag).toEqual({
      id: expect.stringMatching(/^tag_/),
      organizationId: bed().acme.id,
      name: 'Berlin',
      createdAt: '2030-01-01T00:00:00.000Z',
    });
    expect((await bed().call(bed().acme.member.caller, 'TAGS_LIST')).tags).toContainEqual(tag);
    expect(await bed().call(bed().rival.owner.caller, 'TAGS_LIST')).toEqual({ tags: [] });
  });

  test('the same name in another case is the tag that exists, also from two callers at once', async () => {
    const { owner, admin } = bed().acme;
    const names = ['Straße ÄÖ', 'straße äö', 'STRAßE ÄÖ'];
    const tags = await Promise.all(
      names.map((name, at) => bed().call((at % 2 === 0 ? owner : admin).caller, 'TAGS_CREATE', { name })),
    );
    expect(new Set(tags.map(({ tag }) => tag.id)).size).toBe(1);
  });

  test('tags are listed by name, whatever the case', async () => {
    for (const name of ['zeta', 'Alpha', 'beta']) await newTag(bed(), name);
    const { tags } = await bed().call(bed().acme.owner.caller, 'TAGS_LIST');
    const names = tags.map(({ name }: { name: string }) => name.toLowerCase());
    expect(names).toEqual(names.toSorted());
  });

  describe('a name that is refused:', () => {
    test.each([
      ['empty', ''],
      ['blank', '   '],
      ['with a comma', 'a,b'],
      ['too long', 'x'.repeat(51)],
    ])('%s', async (_why, name) => {
      const { end } = await bed().ask(bed().acme.owner.caller, 'TAGS_CREATE', { name });
      expect(end).toMatchObject({ ok: false, code: 'invalid', message: expect.stringContaining('name') });
    });
  });

  test('the tags of a member are replaced as a whole, and a deleted tag leaves them', async () => {
    const { owner, member } = bed().acme;
    const [one, two] = [await newTag(bed(), 'one'), await newTag(bed(), 'two')];
    const { memberId } = member;
    const idsOf = ({ tags }: { tags: { id: string }[] }) => tags.map(({ id }) => id);
    const set = await bed().call(owner.caller, 'MEMBER_TAGS_SET', { memberId, tagIds: [two, one, two] });
    expect(set.success).toBe(true);
    expect(idsOf(set)).toEqual([one, two]);
    await bed().call(owner.caller, 'TAGS_DELETE', { tagId: one });
    expect(idsOf(await bed().call(member.caller, 'MEMBER_TAGS_GET', { memberId }))).toEqual([two]);
    expect(await bed().call(owner.caller, 'MEMBER_TAGS_SET', { memberId, tagIds: [] })).toEqual({
      success: true,
      tags: [],
    });
  });

  test('an unknown tag, or one of another organization, changes nothing', async () => {
    const { owner, colleague } = bed().acme;
    const known = await newTag(bed());
    const { memberId } = colleague;
    await bed().call(owner.caller, 'MEMBER_TAGS_SET', { memberId, tagIds: [known] });
    const foreign = (await bed().call(bed().rival.owner.caller, 'TAGS_CREATE', { name: 'theirs' })).tag.id;
    const before = await bed().content();
    for (const id of ['tag_nothing', foreign]) {
      const asked = { memberId, tagIds: [known, id] };
      const { end } = await bed().ask(owner.caller, 'MEMBER_TAGS_SET', asked);
      expect(end).toMatchObject({ code: 'not_found', message: `Tag not found: ${id}` });
    }
    expect(await bed().content()).toBe(before);
  });

  test('an unknown member has no tags to get or set', async () => {
    const { caller } = bed().acme.owner;
    expect(await bed().codeOf(caller, 'MEMBER_TAGS_GET', { memberId: 'mem_no' })).toBe('not_found');
    expect(await bed().codeOf(caller, 'MEMBER_TAGS_SET', { memberId: 'mem_no', tagIds: [] })).toBe(
      'not_found',
    );
  });

  test('two sets of tags at once end as one of them', async () => {
    const { owner, admin, member } = bed().acme;
    const [left, right] = [await newTag(bed()), await newTag(bed())];
    const { memberId } = member;
    await Promise.all(
      [left, right].map((id, at) =>
        bed().call((at === 0 ? owner : admin).caller, 'MEMBER_TAGS_SET', { memberId, tagIds: [id] }),
      ),
    );
    const { tags } = await bed().call(owner.caller, 'MEMBER_TAGS_GET', { memberId });
    expect(tags).toHaveLength(1);
  });

  test('more than 100 tags at once are refused', async () => {
    const tagIds = Array.from({ length: 101 }, (_, at) => `tag_${at}`);
    const asked = { memberId: bed().acme.member.memberId, tagIds };
    expect(await bed().codeOf(bed().acme.owner.caller, 'MEMBER_TAGS_SET', asked)).toBe('invalid');
  });

  const memberId = (of: MeshBed) => of.acme.member.memberId;
  foreignIds(bed, [
    { tool: 'TAGS_DELETE', id: newTag, input: (tagId) => ({ tagId }) },
    { tool: 'MEMBER_TAGS_GET', id: memberId, input: (id) => ({ memberId: id }) },
    { tool: 'MEMBER_TAGS_SET', id: memberId, input: (id) => ({ memberId: id, tagIds: [] }) },
    {
      tool: 'MEMBER_TAGS_SET',
      id: newTag,
      input: (id, of) => ({ memberId: of.rival.member.memberId, tagIds: [id] }),
    },
  ]);
});
