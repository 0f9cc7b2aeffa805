/** What a pin covers, what a person reads of a change, and which texts hide something. */
import { describe, expect, test } from 'vitest';
import type { UpstreamTool } from '../upstream.ts';
import { definitionDiff } from './diff.ts';
import { definitionHash } from './hash.ts';
import { hasHiddenText, visibleText, visibleValue } from './hidden-text.ts';
import { createRenames } from './similarity.ts';

const MAIL: UpstreamTool = {
  name: 'send_mail',
  title: 'Send mail',
  description: 'Sends a mail to one address, with a subject and a text.',
  inputSchema: {
    type: 'object',
    properties: { to: { type: 'string' }, subject: { type: 'string' }, text: { type: 'string' } },
  },
  annotations: { readOnlyHint: false },
};

describe('a hash', () => {
  test.each<[string, Partial<UpstreamTool>]>([
    ['name', { name: 'send_mails' }],
    ['title', { title: 'Send' }],
    ['description', { description: 'Sends a mail, and a copy to me.' }],
    ['input', { inputSchema: { type: 'object', properties: { to: { type: 'array' } } } }],
    ['output', { outputSchema: { type: 'object' } }],
    ['hints', { annotations: { readOnlyHint: true } }],
    ['UI', { _meta: { ui: { resourceUri: 'ui://a' } } }],
    ['UI of other clients', { _meta: { 'openai/outputTemplate': 'ui://a' } }],
    ['UI of other clients, elsewhere', { _meta: { 'openai/outputTemplate': 'https://a.example' } }],
    ['older UI', { _meta: { 'ui/resourceUri': 'ui://a' } }],
  ])('covers the %s', (_name, change) => {
    expect(definitionHash({ ...MAIL, ...change })).not.toBe(definitionHash(MAIL));
  });

  test('does not depend on the order of keys, nor on what is no part of the definition', () => {
    const turned = Object.fromEntries(Object.entries(MAIL).toReversed()) as unknown as UpstreamTool;
    const more = { ...turned, _meta: { anything: 1 }, icons: [], outputSchema: undefined };
    expect(definitionHash(more)).toBe(definitionHash(MAIL));
  });

  test('covers the UI for other clients beside its own, and stays what it was without one', () => {
    const ui = { resourceUri: 'ui://a' };
    const hashOf = (_meta: UpstreamTool['_meta']) => definitionHash({ ...MAIL, _meta });
    const hashes = ['ui://a', 'ui://b'].map((uri) => hashOf({ ui, 'openai/outputTemplate': uri }));
    expect(new Set([...hashes, hashOf({ ui })]).size).toBe(3);
    expect(hashOf({ ui })).toBe('706cfca10141de3310c3eb4b8a4961b9fab411f6dcb054bf2cb6dbcd6cf0cbe7');
    expect(definitionHash(MAIL)).toBe('452d754cf83de6f9610dbfe58d366f493eea9ee1ba25b2540de8e6f63f36886e');
  });

  test('covers the document of a UI, wherever its tool names it', () => {
    const ways = [
      { ui: { resourceUri: 'ui://a' } },
      { 'ui/resourceUri': 'ui://a' },
      { 'openai/outputTemplate': 'ui://a' },
    ];
    for (const _meta of ways) {
      const tool = { ...MAIL, _meta };
      const hashes = [{}, { 'ui://a': '1' }, { 'ui://a': '2' }].map((given) => definitionHash(tool, given));
      expect(new Set(hashes).size).toBe(3);
      expect(definitionHash(tool, { 'ui://b': '1' })).toBe(hashes[0]);
    }
  });
});

describe('a diff', () => {
  test('names the fields that differ, with what they were and are', () => {
    const after: UpstreamTool = {
      ...MAIL,
      title: undefined,
      description: 'Sends\u202E a mail.',
      inputSchema: {
        type: 'object',
        properties: { to: { type: 'array' }, subject: { type: 'string' }, bcc: { type: 'string' } },
      },
    };
    expect(definitionDiff(MAIL, after)).toEqual([
      { field: 'title', before: 'Send mail', after: null },
      { field: 'description', before: MAIL.description, after: 'Sends<U+202E> a mail.' },
      { field: 'inputSchema.properties.to.type', before: 'string', after: 'array' },
      { field: 'inputSchema.properties.text', before: '{"type":"string"}', after: null },
      { field: 'inputSchema.properties.bcc', before: null, after: '{"type":"string"}' },
    ]);
    expect(definitionDiff(MAIL, { ...MAIL })).toEqual([]);
  });

  test('stays small, whatever a server makes of its definition', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_each, index) => [`field${index}`, { description: 'x'.repeat(5000) }]),
    );
    const changes = definitionDiff(MAIL, { ...MAIL, inputSchema: { type: 'object', properties } });
    expect(changes).toHaveLength(50);
    expect(Math.max(...changes.map(({ after }) => after?.length ?? 0))).toBeLessThan(600);
  });
});

describe('a probable rename', () => {
  const other: UpstreamTool = {
    name: 'list_files',
    description: 'Lists what is in a folder.',
    inputSchema: { type: 'object', properties: { folder: { type: 'string' } } },
  };

  test.each<[string, UpstreamTool, string | null]>([
    ['the same under another name', { ...MAIL, name: 'x' }, 'send_mail'],
    [
      'nearly the same',
      { ...MAIL, name: 'send_email', description: `${MAIL.description} Quickly.` },
      'send_mail',
    ],
    ['something else', { ...other, name: 'read_clock', description: 'Tells the time.' }, null],
  ])('%s', (_name, tool, expected) => {
    expect(createRenames([other, MAIL])(tool)).toBe(expected);
  });

  test('takes tools without words for what their names say', () => {
    const bare = (name: string): UpstreamTool => ({ name, inputSchema: { type: 'object' } });
    const renamed = createRenames([{ ...bare('a'), title: 'A' }]);
    expect(renamed(bare('b'))).toBe(null);
  });

  test('is looked for in bounded time, however many come and go', () => {
    const many = Array.from({ length: 5000 }, (_each, index) => ({
      ...MAIL,
      name: `n${index}`,
      title: `${index}`,
    }));
    const renamed = createRenames(many);
    for (const tool of many) renamed({ ...tool, name: `m${tool.name}`, title: 'another', description: '' });
    expect(renamed({ ...MAIL, name: 'last', title: '4999' })).toBe('n4999');
  });
});

describe('hidden text', () => {
  test.each([
    ['a direction mark', 'safe\u202Eevil'],
    ['an isolate', '\u2066x\u2069'],
    ['a zero-width space', 'a\u200Bb'],
    ['a joiner that joins nothing', 'a\u200Db'],
    ['joiners in a row', 'क\u200D\u200Dष'],
    ['tags', 'hello\u{E0068}\u{E0069}'],
    ['selectors that carry data', '😀\u{FE01}\u{FE02}'],
    ['further selectors', '😀\u{E0100}'],
    ['a filler', 'a\u3164'],
    ['an escape sequence', 'a\u001B[8mhidden'],
    ['a mark of the byte order', '\uFEFFa'],
  ])('%s', (_name, text) => {
    expect(hasHiddenText(text)).toBe(true);
    expect(hasHiddenText({ deep: [{ [text]: 1 }] })).toBe(true);
    expect(hasHiddenText({ deep: [{ key: text }] })).toBe(true);
    expect(hasHiddenText(visibleText(text))).toBe(false);
  });

  test.each([
    'Plain words,\n\twith lines and tabs.\r\n',
    'Grüße, naïve, 日本語, العربية, עברית, हिन्दी',
    'Families 👨‍👩‍👧‍👦 and hearts ❤️',
    'نمی‌خواهم',
    'क्‍ष',
  ])('is none: %s', (text) => {
    expect(hasHiddenText(text)).toBe(false);
    expect(visibleText(text)).toBe(text);
  });

  test('is written out', () => {
    expect(visibleValue({ 'a\u200B': ['b\u202E', 1, null] })).toEqual({
      'a<U+200B>': ['b<U+202E>', 1, null],
    });
  });
});
