/** An organization with something of everything, for tests of archives. */
import type { TestFeedback } from '../../testing/fixture.ts';

/** Fills the organization through its services. */
export async function fillFeedback(feedback: TestFeedback): Promise<{ mainBoardId: string; postId: string }> {
  const { services, admin, member, visitor, callers } = feedback;
  const { boards, statuses, tags, posts, comments, votes, merges, roadmaps, changelog, settings, members } =
    services;

  const main = await boards.create(admin, { name: 'Feature requests', description: 'What should we build?' });
  const hidden = await boards.create(admin, {
    name: 'Internal',
    isPublic: false,
    settings: { moderation: true },
  });
  const gone = await boards.create(admin, { name: 'Old' });
  const later = await statuses.create(admin, { name: 'Later', color: '#112233', position: 7 });
  const planned = (await statuses.list(admin)).find(({ slug }) => slug === 'planned');
  const ui = await tags.create(admin, { name: 'UI', color: '#abcdef' });
  const odd = await tags.create(admin, { name: 'mobile, tablet' });

  const sams = [await nameless(feedback, 'Sam'), await nameless(feedback, 'Sam')];
  const leaver = await feedback.join('member', 'Lea Leaver');
  const bot = { ...member, agentName: 'Triage bot' };
  const people = [admin, member, visitor, leaver.actor, ...sams];

  const ids: string[] = [];
  for (let at = 0; at < 54; at += 1) {
    const by = people[at % people.length] ?? admin;
    const post = await posts.create(by, {
      boardId: at % 5 === 0 ? hidden.id : main.id,
      title: at % 2 === 0 ? `Dark mode ${at}` : `=Export to "CSV", part ${at}`,
      content: at % 3 === 0 ? '' : `- because\n- "of", ${at} ünïcode 👍`,
      ...(at % 4 === 0 && { tagIds: [ui.id, odd.id] }),
    });
    ids.push(post.id);
  }
  const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = ''] = ids.slice(1);
  await posts.create(bot, {
    boardId: main.id,
    title: 'By an agent',
    contentJson: { type: 'doc', deep: [1, null] },
  });
  await posts.create(visitor, { boardId: gone.id, title: 'On a board that goes' });
  await boards.delete(admin, gone.id, { cascade: true });
  await posts.update(member, first, {
    statusId: later.id,
    ownerMemberId: leaver.memberId,
    officialResponse: 'We are on it.',
    title: 'Dark mode for all',
  });
  await posts.update(admin, second, { statusId: planned?.id, tagIds: [odd.id] });

  const root = await comments.create(visitor, first, { content: 'Yes please' });
  const reply = await comments.create(leaver.actor, first, { content: 'Soon', parentId: root.id });
  await comments.create(member, first, { content: 'Between us', isPrivate: true });
  await comments.create(bot, second, { content: 'Looks like a duplicate' });
  await comments.update(leaver.actor, reply.id, { content: 'Very soon' });
  await comments.react(visitor, reply.id, '🎉', true);
  await comments.react(admin, reply.id, '👀', true);
  await comments.pin(admin, first, reply.id);
  const stub = await comments.create(visitor, second, { content: 'I take it back' });
  await comments.create(member, second, { content: 'Too late', parentId: stub.id });
  await comments.delete(visitor, stub.id);

  for (const [at, id] of ids.entries())
    for (const voter of people.slice(0, at % (people.length + 1)))
      // Some of these posts take no votes, and some people may not vote.
      await votes.set(voter, id, true).catch(() => undefined);
  await votes.proxy(admin, fourth, { memberId: leaver.memberId, voted: true, source: 'support call' });
  await comments.create(member, fifth, { content: 'The same as another' });
  await merges.merge(admin, { duplicatePostId: fifth, canonicalPostId: first });
  await merges.merge(admin, { duplicatePostId: sixth, canonicalPostId: first });
  await merges.unmerge(admin, sixth);
  await posts.delete(admin, third);

  const roadmap = await roadmaps.create(admin, { name: 'This year' });
  await roadmaps.create(admin, { name: 'Secret', isPublic: false, description: 'Not yet' });
  for (const id of [fourth, first, second]) await roadmaps.addPost(admin, roadmap.id, id);
  await roadmaps.movePost(admin, roadmap.id, second, 0);

  await changelog.create(admin, { title: 'Draft', content: '# Soon' });
  await changelog.create(admin, {
    title: 'Done',
    content: 'It is here',
    publishedAt: '2024-12-24T00:00:00.000Z',
    linkedPostIds: [second, first],
  });
  await changelog.create(admin, { title: 'Next', content: 'Wait', publishedAt: '2199-01-01T00:00:00.000Z' });
  const dropped = await changelog.create(admin, { title: 'Dropped', content: 'Never mind' });
  await changelog.delete(admin, dropped.id);

  await members.remove(admin, callers.admin, leaver.memberId);
  await settings.update(admin, { isPublished: true });
  return { mainBoardId: main.id, postId: first };
}

async function nameless({ identity, callers, services }: TestFeedback, name: string) {
  const userId = await identity.createUser({ name, email: null });
  await identity.addMember(callers.admin, { userId, roles: ['user'] });
  return services.actor({ ...callers.visitor, userId });
}
