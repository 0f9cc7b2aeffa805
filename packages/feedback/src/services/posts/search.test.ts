import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pairRuns } from '../../migrations/009-runs.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { TestFeedback } from '../../testing/fixture.ts';
import { openFeedback } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

const POSTS = {
  dark: { title: 'Dark mode', content: 'Please add a dark theme for the night.' },
  light: { title: 'Light mode is too bright', content: 'My eyes hurt. Running it at night is painful.' },
  csv: { title: 'Export as CSV', content: 'Exporting boards to spreadsheets would help the accountants.' },
  api: { title: 'API: rate-limits', content: 'Document the limits of the API, e.g. 100 requests.' },
  cafe: { title: 'Café menu', content: 'Naïve résumé parsing fails on accents' },
  odd: { title: '100% off!!! <script>', content: 'it\'s a "quoted" text; drop table posts; --' },
  code: { title: 'foo_bar.baz fails', content: 'C++ and node.js v24.1 are mentioned' },
  empty: { title: 'Mode', content: '' },
  japanese: { title: 'ダークモードが欲しい', content: '夜は画面がまぶしいです。' },
  chinese: { title: '支持深色模式', content: '晚上使用太亮了,请添加 beta 主题' },
  korean: { title: '다크모드를 지원해 주세요', content: '' },
} as const;
type Name = keyof typeof POSTS;

const TABLE: readonly (readonly [query: string, expected: readonly Name[]])[] = [
  ['dark', ['dark']],
  ['DARK', ['dark']],
  ['mode', ['dark', 'light', 'empty']],
  ['dark mode', ['dark']],
  ['mode dark', ['dark']],
  ['"dark mode"', ['dark']],
  ['"mode dark"', []],
  ['"dark theme"', ['dark']],
  ['dark OR light', ['dark', 'light']],
  ['mode -dark', ['light', 'empty']],
  ['-mode', ['csv', 'api', 'cafe', 'odd', 'code', 'japanese', 'chinese', 'korean']],
  ['mode -"dark mode" -light', ['empty']],
  ['export', ['csv']],
  ['exports', ['csv']],
  ['exporting', ['csv']],
  ['run', ['light']],
  ['limit', ['api']],
  ['rate-limits', ['api']],
  ['rate limits', ['api']],
  ['cafe', ['cafe']],
  ['café', ['cafe']],
  ['resume', ['cafe']],
  ['NAÏVE', ['cafe']],
  ['100', ['api', 'odd']],
  ['script', ['odd']],
  ['<script>', ['odd']],
  ['drop table', ['odd']],
  ["it's quoted", ['odd']],
  ['foo_bar', ['code']],
  ['foo bar baz', ['code']],
  ['node.js', ['code']],
  ['v24', ['code']],
  ['the', []],
  ['the night', ['dark', 'light']],
  // Common words at the edge of a phrase do not count, those inside it do.
  ['"for the night"', ['dark', 'light']],
  ['"theme for the night"', ['dark']],
  ['"theme night"', []],
  ['nothing like this', []],
  ['title:dark', []],
  ['dark*', ['dark']],
  ['"', []],
  ['()', []],
  ['dark "', ['dark']],
  ['OR', []],
  ['mode AND dark', ['dark']],
  // Scripts without blanks between words are found by any two signs or more.
  ['ダークモード', ['japanese']],
  ['ﾀﾞｰｸﾓｰﾄﾞ', ['japanese']],
  ['モード', ['japanese']],
  ['まぶしい', ['japanese']],
  ['モーダ', []],
  ['深色', ['chinese']],
  ['深色模式', ['chinese']],
  ['色模 使用', ['chinese']],
  ['深模', []],
  ['深色 -主题', []],
  ['添加beta主题', ['chinese']],
  ['다크모드', ['korean']],
  ['모드', ['korean']],
  // No phrase reaches from the title into the content.
  ['"mode please"', []],
];

async function fill(feedback: TestFeedback): Promise<Map<string, Name>> {
  const boardId = await feedback.board();
  const names = new Map<string, Name>();
  // The names of the table are the keys of the literal.
  for (const [name, post] of Object.entries(POSTS) as [Name, (typeof POSTS)[Name]][]) {
    const { id } = await feedback.services.posts.create(feedback.member, { boardId, ...post });
    names.set(id, name);
  }
  return names;
}

onBothEngines('search', (open) => {
  it('finds the same posts on both databases', async () => {
    const feedback = await openFeedback(await open());
    const names = await fill(feedback);
    for (const [search, expected] of TABLE) {
      const { items, total } = await feedback.services.posts.list(feedback.member, { search, limit: 100 });
      const found = items.map(({ id }) => names.get(id) ?? 'unknown').toSorted();
      expect({ search, found }).toEqual({ search, found: [...expected].toSorted() });
      expect(total).toBe(expected.length);
    }
  });

  it('finds texts without blanks that were written before these could be found', async () => {
    const store = await open();
    const { services, member, board } = await openFeedback(store);
    const { id } = await services.posts.create(member, { boardId: await board(), title: '深色模式' });
    const other = await services.posts.create(member, { boardId: await board(), title: 'Plain' });
    const find = async (search: string) =>
      (await services.posts.list(member, { search, limit: 20 })).items.map((post) => post.id);
    const db = store.db<FeedbackTables>();
    await db.updateTable('feedback_posts').set({ search_title: '深色模式' }).where('id', '=', id).execute();
    expect(await find('深色')).toEqual([]);
    await pairRuns(store.db(), store.engine);
    expect(await find('深色')).toEqual([id]);
    expect(await find('plain')).toEqual([other.id]);
  });

  it('finds what was changed, and not what is deleted or merged', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin } = feedback;
    const boardId = await feedback.board();
    const [first, second, third] = await Promise.all(
      ['alpha', 'beta', 'gamma'].map((title) => services.posts.create(admin, { boardId, title })),
    );
    if (first === undefined || second === undefined || third === undefined) throw new Error('no posts');
    const find = async (search: string, showDeleted = false) =>
      (await services.posts.list(admin, { search, limit: 20, showDeleted })).items.map(({ title }) => title);
    await services.posts.update(admin, first.id, { title: 'delta', content: 'omega' });
    expect(await find('alpha')).toEqual([]);
    expect(await find('omega')).toEqual(['delta']);
    await services.posts.delete(admin, second.id);
    expect(await find('beta')).toEqual([]);
    expect(await find('beta', true)).toEqual(['beta']);
    await services.posts.restore(admin, second.id);
    expect(await find('beta')).toEqual(['beta']);
    await services.merges.merge(admin, { duplicatePostId: third.id, canonicalPostId: first.id });
    expect(await find('gamma')).toEqual([]);
    await services.merges.unmerge(admin, third.id);
    expect(await find('gamma')).toEqual(['gamma']);
  });

  it('never fails, whatever is typed', async () => {
    const feedback = await openFeedback(await open());
    await fill(feedback);
    const words = fc.constantFrom(
      'dark',
      'OR',
      'AND',
      'NOT',
      'NEAR',
      '"',
      '-',
      '(',
      ')',
      '*',
      ':',
      '^',
      '{',
      '\u0000',
      "'",
    );
    const typed = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.array(words, { maxLength: 12 }).map((parts) => parts.join(' ')),
    );
    await fc.assert(
      fc.asyncProperty(typed, async (search) => {
        const { items, total } = await feedback.services.posts.list(feedback.member, { search, limit: 100 });
        expect(items).toHaveLength(total);
      }),
      { numRuns: 2500 },
    );
  });
});
