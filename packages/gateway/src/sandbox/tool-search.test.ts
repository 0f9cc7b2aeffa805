/** The search for tools: what ranks before what, and how much one query may take. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { searchTools } from './tool-search.ts';
import type { CodeTool } from './tool-universe.ts';

const inputSchema = { type: 'object' };
const tool = (name: string, description = '', connection = 'Work'): CodeTool => ({
  name,
  description,
  connection,
  inputSchema,
});
const found = (tools: readonly CodeTool[], query: string) =>
  searchTools(tools, query, 100).map(({ name }) => name);

test('a name that is the word ranks before one that has it, before a description, before a title', () => {
  const tools = [
    tool('a_title', '', 'Mail'),
    tool('b_words', 'Sends mail.'),
    tool('send_mail'),
    tool('mail'),
    tool('other'),
  ];
  expect(found(tools, ' MAIL ')).toEqual(['mail', 'send_mail', 'b_words', 'a_title']);
  expect(found(tools, 'send_mail')).toEqual(['send_mail', 'mail', 'b_words', 'a_title']);
  expect(found(tools, 'x')).toEqual(['a_title', 'b_words', 'mail', 'other', 'send_mail']);
});

test('a word counts once, however often and in whatever case it stands in the query', () => {
  const tools = [tool('b', 'mail'), tool('a', 'post box')];
  expect(found(tools, 'mail post box')).toEqual(['a', 'b']);
  expect(found(tools, 'mail Mail MAIL post box')).toEqual(['a', 'b']);
});

test('the first 16 different words count, and none after them', () => {
  const words = Array.from({ length: 16 }, (_each, number) => `w${number}`);
  const tools = [tool('last', 'w15'), tool('after', 'late')];
  expect(found(tools, `${words.join(' ')} late`)).toEqual(['last']);
  expect(found(tools, `${'w0 '.repeat(100)} late`)).toEqual(['after']);
});

test('of a description the first 1,000 characters are searched', () => {
  const tools = [tool('near', `${'x'.repeat(996)}mail`), tool('far', `${'x'.repeat(997)}mail`)];
  expect(found(tools, 'mail')).toEqual(['near']);
});

test('a description is read once, and no query looks further than the bounds', () => {
  let reads = 0;
  const large: CodeTool = {
    ...tool('large'),
    get description() {
      reads += 1;
      return 'a'.repeat(50_000);
    },
  };
  const includes = vi.spyOn(String.prototype, 'includes');
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  // 166 different words, as many as fit.
  const query = Array.from({ length: 166 }, (_each, number) => `${String.fromCharCode(256 + number)}b`);
  for (let times = 0; times < 3; times += 1) searchTools([large], query.join(' '), 10);
  const looked = includes.mock.contexts.map(String).filter(({ length }) => length > 100);
  expect(reads).toBe(1);
  expect(looked).toHaveLength(3 * 16);
  expect(Math.max(...looked.map(({ length }) => length))).toBe(1_000);
});
