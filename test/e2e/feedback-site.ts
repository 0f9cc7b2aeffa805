/** The public pages of feedback on a port of their own, with a team, visitors and something to read. */
import { scratchStore } from '@parley/store/testing';
import type { TestFeedback } from '../../packages/feedback/src/testing/fixture.ts';
import { openFeedback } from '../../packages/feedback/src/testing/fixture.ts';
import { servePages } from '../../packages/feedback/test/serve-pages.ts';

/** A running site. */
export interface FeedbackSite extends AsyncDisposable {
  readonly url: string;
  readonly feedback: TestFeedback;
  /** Ids of what the tests look at. */
  readonly seeded: Seeded;
}

/** What is there from the beginning. */
export interface Seeded {
  readonly boardId: string;
  /** The post with the longest conversation. */
  readonly postId: string;
}

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 5, 1, 9);

export async function openFeedbackSite(): Promise<FeedbackSite> {
  const store = await scratchStore();
  let nowMs = START_MS;
  const feedback = await openFeedback(store, { now: () => nowMs });
  const seeded = await seed(feedback, (days) => {
    nowMs += days * DAY_MS;
  });
  const pages = await servePages(feedback.services, { visitorsPerHour: 50, writesPerMinute: 200 });
  return {
    url: pages.url,
    feedback,
    seeded,
    async [Symbol.asyncDispose]() {
      await pages[Symbol.asyncDispose]();
      await feedback.services.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

const IDEAS: readonly [
  title: string,
  content: string,
  status: string,
  votes: number,
  tags: readonly string[],
][] = [
  [
    'Dark mode',
    'Working late, the white background is hard on the eyes. Please follow the system setting.',
    'in_progress',
    14,
    ['Design'],
  ],
  [
    'Export to CSV',
    'Every month I copy numbers by hand into a spreadsheet. A button for CSV would save me an hour.',
    'planned',
    11,
    ['Data'],
  ],
  ['Keyboard shortcuts', 'At least for search, next and previous.', 'planned', 9, []],
  [
    'Slack notifications',
    'Tell our channel when something changes its status, so that nobody has to look.',
    'under_review',
    8,
    ['Integrations'],
  ],
  [
    'Two-factor sign-in',
    'Our security team asks for it before we can roll this out to everybody.',
    'complete',
    7,
    ['Security'],
  ],
  [
    'Faster search on large workspaces',
    'With more than ten thousand items the search takes several seconds.',
    'in_progress',
    6,
    ['Data'],
  ],
  ['Custom fields', 'We need a field for the customer number.', 'open', 4, []],
  ['Public API', 'Read access would be enough for a start.', 'complete', 4, ['Integrations']],
  ['Offline mode on phones', 'The connection on trains comes and goes.', 'open', 2, []],
];

async function seed(feedback: TestFeedback, wait: (days: number) => void): Promise<Seeded> {
  const { services, admin, member } = feedback;
  const board = await services.boards.create(admin, {
    name: 'Feature requests',
    description: 'What would make your work easier? Vote for what you need most.',
  });
  await services.boards.create(admin, { name: 'Bugs', description: 'Something does not work as it should.' });
  await services.boards.create(admin, {
    name: 'Integrations',
    description: 'Connect what you use every day.',
  });
  const people = await Promise.all(
    [
      'Noor',
      'Jonas Weber',
      'Lucía',
      'Priya Raman',
      'Tom',
      'Ayaka',
      'Sam O’Neil',
      'Mateus',
      'Ines',
      'Oleg',
      'Chidi',
      'Hanna',
      'Viktor',
      'Zoë',
    ].map((name) => feedback.join('user', name)),
  );
  const person = (index: number) => people[index % people.length]?.actor ?? member;
  const statuses = new Map((await services.statuses.list(admin)).map(({ slug, id }) => [slug, id]));
  const tags = new Map<string, string>();
  for (const [name, color] of [
    ['Design', '#d946ef'],
    ['Data', '#0ea5e9'],
    ['Integrations', '#f59e0b'],
    ['Security', '#ef4444'],
  ] as const)
    tags.set(name, (await services.tags.create(admin, { name, color })).id);
  const ids: string[] = [];
  for (const [index, [title, content, status, votes, names]] of IDEAS.entries()) {
    wait(3);
    const { id } = await services.posts.create(person(index), { boardId: board.id, title, content });
    for (let voter = 0; voter < votes; voter += 1) await services.votes.set(person(voter), id, true);
    const statusId = statuses.get(status);
    const tagIds = names.flatMap((name) => tags.get(name) ?? []);
    await services.posts.update(admin, id, { ...(statusId !== undefined && { statusId }), tagIds });
    ids.push(id);
  }
  const [postId = ''] = ids;
  await talk(feedback, postId, person, wait);
  await news(feedback, ids, wait);
  await services.settings.update(admin, { isPublished: true });
  return { boardId: board.id, postId };
}

async function talk(
  { services, admin, member }: TestFeedback,
  postId: string,
  person: (index: number) => TestFeedback['visitor'],
  wait: (days: number) => void,
): Promise<void> {
  const { comments } = services;
  const first = await comments.create(person(1), postId, {
    content: 'Yes please. A schedule would be even better:\nlight during the day, dark after eight.',
  });
  wait(1);
  const answer = await comments.create(member, postId, {
    content: 'We begin with the setting of your system. Would that do for the start?',
    parentId: first.id,
  });
  await comments.create(person(1), postId, { content: 'It would, thank you!', parentId: answer.id });
  const second = await comments.create(person(3), postId, {
    content: 'Charts should be readable on black too.',
  });
  await comments.react(person(2), second.id, '👍', true);
  await comments.react(person(4), second.id, '👍', true);
  await comments.react(person(5), first.id, '🎉', true);
  await services.posts.update(admin, postId, {
    officialResponse: 'We are building it now. Charts get colours of their own for dark backgrounds.',
  });
}

async function news(
  { services, admin }: TestFeedback,
  ids: readonly string[],
  wait: (days: number) => void,
): Promise<void> {
  wait(2);
  const now = () => new Date(services.now()).toISOString();
  await services.changelog.create(admin, {
    title: 'Two-factor sign-in',
    content:
      'Everybody can now protect their account with a **second factor**.\n\n- Authenticator apps\n- Security keys\n\nSwitch it on under *Settings*, then read [how recovery works](https://example.com/recovery).',
    publishedAt: now(),
    linkedPostIds: ids.slice(4, 5),
  });
  wait(6);
  await services.changelog.create(admin, {
    title: 'A public API, and faster lists',
    content:
      '## Read everything\nItems, boards and comments can be read with a key:\n\n```\ncurl -H "Authorization: Bearer $KEY" https://api.example.com/items\n```\n\n## Faster lists\nLists of `10,000` items open in half the time.',
    publishedAt: now(),
    linkedPostIds: ids.slice(7, 8),
  });
}
