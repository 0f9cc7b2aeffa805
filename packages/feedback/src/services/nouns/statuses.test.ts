import { typeId } from '@parley/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RuleBroken, Stale } from '../../faults.ts';
import { Status } from '../../shapes/nouns.ts';
import type { TestFeedback } from '../../testing/fixture.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

const COLOR = '#123abc';

async function bySlug({ services, admin }: TestFeedback, slug: string): Promise<Status> {
  const found = (await services.statuses.list(admin)).find((status) => status.slug === slug);
  if (found === undefined) throw new Error(`There is no status ${slug}.`);
  return found;
}

async function defaults({ services, admin }: TestFeedback): Promise<string[]> {
  return (await services.statuses.list(admin)).filter(({ isDefault }) => isDefault).map(({ slug }) => slug);
}

onBothEngines('statuses', (open, engine) => {
  it('of a new organization are those of the specification, in order', async () => {
    const { services, member } = await openFeedback(await open());
    const list = await services.statuses.list(member);
    for (const status of list) expect(Status.parse(status)).toEqual(status);
    expect(list.map((each) => [each.name, each.slug, each.color, each.category, each.position])).toEqual([
      ['Open', 'open', '#3b82f6', 'active', 0],
      ['Under Review', 'under_review', '#eab308', 'active', 1],
      ['Planned', 'planned', '#a855f7', 'active', 2],
      ['In Progress', 'in_progress', '#f97316', 'active', 3],
      ['Complete', 'complete', '#22c55e', 'complete', 0],
      ['Closed', 'closed', '#6b7280', 'closed', 0],
    ]);
    const onRoadmap = list.filter(({ showOnRoadmap }) => showOnRoadmap).map(({ slug }) => slug);
    expect(onRoadmap).toEqual(['planned', 'in_progress', 'complete']);
    expect(list.filter(({ isDefault }) => isDefault).map(({ slug }) => slug)).toEqual(['open']);
  });

  it('are made at the end of their category, with a slug of their name', async () => {
    const { services, admin, member } = await openFeedback(await open());
    const made = await services.statuses.create(admin, {
      name: "Won't do",
      color: COLOR,
      category: 'closed',
    });
    expect(made).toMatchObject({ slug: 'won_t_do', category: 'closed', position: 1, isDefault: false });
    expect(await services.statuses.get(member, made.id)).toEqual(made);
    expect(await services.statuses.create(admin, { name: 'Open', color: COLOR })).toMatchObject({
      slug: 'open_2',
      category: 'active',
      position: 4,
    });
    const last = await services.statuses.create(admin, { name: 'Last', color: COLOR, position: 2 ** 31 - 1 });
    expect(await services.statuses.create(admin, { name: 'After', color: COLOR })).toMatchObject({
      position: last.position,
    });
    expect(
      await refusalOf(services.statuses.create(admin, { name: 'X', slug: 'planned', color: COLOR })),
    ).toEqual({ code: 'conflict', message: 'A status with the slug "planned" exists already' });
  });

  it('change in what is given, and are listed in their new order', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin } = feedback;
    const before = await bySlug(feedback, 'in_progress');
    const patch = { name: 'Doing', color: COLOR, position: 0, showOnRoadmap: false };
    expect(await services.statuses.update(admin, before.id, patch)).toEqual({ ...before, ...patch });
    const active = (await services.statuses.list(admin)).filter(({ category }) => category === 'active');
    expect(
      active
        .slice(0, 2)
        .map(({ slug }) => slug)
        .toSorted(),
    ).toEqual(['in_progress', 'open']);
    expect(await services.statuses.update(admin, before.id, {})).toMatchObject(patch);
  });

  it('have one default, which moves with the flag; new posts get it', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin, member, board } = feedback;
    const planned = await bySlug(feedback, 'planned');
    expect(await services.statuses.update(admin, planned.id, { isDefault: true })).toMatchObject({
      isDefault: true,
    });
    expect(await defaults(feedback)).toEqual(['planned']);
    const boardId = await board();
    expect(await services.posts.create(member, { boardId, title: 'One' })).toMatchObject({
      statusId: planned.id,
    });
    const fresh = await services.statuses.create(admin, { name: 'New', color: COLOR, isDefault: true });
    expect(await defaults(feedback)).toEqual(['new']);
    expect(await services.posts.create(member, { boardId, title: 'Two' })).toMatchObject({
      statusId: fresh.id,
    });
    expect(await services.statuses.update(admin, fresh.id, { isDefault: true })).toMatchObject({
      isDefault: true,
    });
    expect(await defaults(feedback)).toEqual(['new']);
  });

  it('never lose their default', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin } = feedback;
    const { id } = await bySlug(feedback, 'open');
    const refused = services.statuses.update(admin, id, { isDefault: false, name: 'X' });
    await expect(refused).rejects.toThrow(RuleBroken);
    await expect(refused).rejects.toThrow('Make another status the default instead.');
    expect(await bySlug(feedback, 'open')).toMatchObject({ name: 'Open', isDefault: true });
    const planned = await bySlug(feedback, 'planned');
    expect(await services.statuses.update(admin, planned.id, { isDefault: false })).toEqual(planned);
    expect(await refusalOf(services.statuses.delete(admin, id))).toEqual({
      code: 'conflict',
      message: 'This is the default status. Make another status the default first.',
    });
    // A refused new one leaves the old one in place.
    await refusalOf(
      services.statuses.create(admin, { name: 'X', slug: 'planned', color: COLOR, isDefault: true }),
    );
    expect(await defaults(feedback)).toEqual(['open']);
  });

  it('have one default after changes at the same time', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin } = feedback;
    const list = await services.statuses.list(admin);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([
        ...list.map(({ id }) => services.statuses.update(admin, id, { isDefault: true })),
        services.statuses.create(admin, { name: `New ${round}`, color: COLOR, isDefault: true }),
      ]);
      expect(await defaults(feedback)).toHaveLength(1);
    }
  });

  it('have one default, whatever is done to them', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin } = feedback;
    const isToolError = (error: unknown) => {
      if (!(error instanceof Error) || !('code' in error)) throw error;
    };
    const step = fc.record({
      what: fc.constantFrom('create', 'set', 'unset', 'delete'),
      at: fc.nat({ max: 20 }),
      flag: fc.boolean(),
    });
    const runs = { numRuns: engine === 'sqlite' ? 20 : 8 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        for (const { what, at, flag } of steps) {
          const list = await services.statuses.list(admin);
          const id = list[at % list.length]?.id ?? '';
          const done =
            what === 'create'
              ? services.statuses.create(admin, { name: 'Made', color: COLOR, isDefault: flag })
              : what === 'delete'
                ? services.statuses.delete(admin, id)
                : services.statuses.update(admin, id, { isDefault: what === 'set' });
          await done.catch(isToolError);
          expect(await defaults(feedback)).toHaveLength(1);
        }
      }),
      runs,
    );
  });

  it('go when no post has them', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin, member, board } = feedback;
    const planned = await bySlug(feedback, 'planned');
    const boardId = await board();
    const make = () => services.posts.create(member, { boardId, title: 'One', statusId: planned.id });
    const post = await make();
    const deleted = await make();
    await services.posts.delete(member, deleted.id);
    expect(await refusalOf(services.statuses.delete(admin, planned.id))).toEqual({
      code: 'conflict',
      message: '1 post has this status. Give them another status first.',
    });
    const open_ = await bySlug(feedback, 'open');
    await services.posts.update(member, post.id, { statusId: open_.id });
    await services.statuses.delete(admin, planned.id);
    const gone = { code: 'not_found', message: 'Status not found' };
    expect(await refusalOf(services.statuses.get(admin, planned.id))).toEqual(gone);
    expect(await refusalOf(services.statuses.delete(admin, planned.id))).toEqual(gone);
    expect(await services.posts.restore(member, deleted.id)).toMatchObject({ statusId: open_.id });
  });

  it('of hidden posts are in use too', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin, member, board } = feedback;
    const planned = await bySlug(feedback, 'planned');
    const boardId = await board();
    const kept = await services.posts.create(member, { boardId, title: 'One' });
    const merged = await services.posts.create(member, { boardId, title: 'Two', statusId: planned.id });
    await services.merges.merge(member, { duplicatePostId: merged.id, canonicalPostId: kept.id });
    expect(await refusalOf(services.statuses.delete(admin, planned.id))).toMatchObject({ code: 'conflict' });
  });

  it('are not changed when the caller holds an older one', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin } = feedback;
    const before = await bySlug(feedback, 'planned');
    const refused = services.statuses.update(admin, before.id, { isDefault: true }, (current) => {
      expect(current).toEqual(before);
      throw new Stale();
    });
    await expect(refused).rejects.toThrow(Stale);
    expect(await defaults(feedback)).toEqual(['open']);
  });

  it('that are not there are not found', async () => {
    const { services, admin } = await openFeedback(await open());
    const gone = { code: 'not_found', message: 'Status not found' };
    expect(await refusalOf(services.statuses.get(admin, typeId('status')))).toEqual(gone);
    expect(await refusalOf(services.statuses.update(admin, typeId('status'), { isDefault: true }))).toEqual(
      gone,
    );
  });
});
