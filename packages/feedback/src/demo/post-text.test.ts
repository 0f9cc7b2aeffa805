/** The texts of the demo: every one of them is its own. */
import { expect, test } from 'vitest';
import { CHANGELOG } from './data/changelog.ts';
import { visitors } from './people.ts';
import { readPosts } from './post-text.ts';
import { demoTexts } from './texts.ts';

const posts = demoTexts.flatMap(readPosts);

test('a post is read with all that is said about it', () => {
  const [post] = readPosts(`
# Title
bugs | planned | 7 | api, quick win
First line.
Second line.
> Somebody.
>> [Maya, private] An answer.
> [later] Thanks [really].
! [Jonas] Done.
& Another`);
  expect(post).toEqual({
    title: 'Title',
    content: 'First line.\nSecond line.',
    board: 'bugs',
    status: 'planned',
    votes: 7,
    tags: ['api', 'quick win'],
    comments: [
      { depth: 0, by: 'visitor', content: 'Somebody.', isPrivate: false, isPinned: false, isLater: false },
      { depth: 1, by: 'Maya', content: 'An answer.', isPrivate: true, isPinned: false, isLater: false },
      {
        depth: 0,
        by: 'visitor',
        content: 'Thanks [really].',
        isPrivate: false,
        isPinned: false,
        isLater: true,
      },
    ],
    response: { by: 'Jonas', content: 'Done.' },
    follows: 'Another',
  });
});

test('a word that the demo does not know is refused', () => {
  expect(() => readPosts('# T\nbags | open | 1 |\nText')).toThrow('"bags"');
  expect(() => readPosts('# T\nbugs | opened | 1 |\nText')).toThrow('"opened"');
  expect(() => readPosts('# T\nbugs | open | 1 | apis\nText')).toThrow('"apis"');
});

test('there are two hundred posts, and no text comes twice', () => {
  expect(posts).toHaveLength(200);
  const texts = posts.flatMap(({ title, content, comments }) => [
    title,
    content,
    ...comments.map((comment) => comment.content),
  ]);
  expect(texts.length - new Set(texts).size).toBeLessThan(4);
  expect(texts.every((text) => text.trim() !== '')).toBe(true);
  expect(new Set(visitors).size).toBe(150);
});

test('what refers to a post names one', () => {
  const titles = new Set(posts.map(({ title }) => title));
  const named = [
    ...posts.flatMap(({ mergedInto, follows }) =>
      [mergedInto, follows].filter((title) => title !== undefined),
    ),
    ...CHANGELOG.flatMap((entry) => entry.posts),
  ];
  expect(named.filter((title) => !titles.has(title))).toEqual([]);
});
