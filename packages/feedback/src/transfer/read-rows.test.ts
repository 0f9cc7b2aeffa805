/** What files give: rows with their numbers, or one clear fault with its line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { FileFault } from './file-fault.ts';
import { guard, unguard } from './formula-guard.ts';
import { parsePostRow } from './post-row.ts';
import { formOf, readRows } from './read-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-rows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOW = Date.parse('2026-06-01T00:00:00Z');

async function read(name: string, content: string | Uint8Array) {
  const path = join(folder, name);
  writeFileSync(path, content);
  const unknown = new Set<string>();
  const rows = [];
  for await (const row of readRows(path, formOf(path), unknown)) rows.push(row);
  return { rows, unknown: [...unknown] };
}

async function faultOf(name: string, content: string | Uint8Array): Promise<string> {
  const error: unknown = await read(name, content).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(FileFault);
  return (error as FileFault).message;
}

describe('a CSV file', () => {
  test('with a byte order mark, mixed line ends, quotes and blank lines gives its rows, counted as a spreadsheet does', async () => {
    const csv = '\uFEFFTitle,Description,Votes,Stars\r\n"a, ""b""","two\nlines",3,5\n\nlast,,4,\r\n';
    expect(await read('mixed.csv', csv)).toEqual({
      rows: [
        { number: 2, fields: { title: 'a, "b"', content: 'two\nlines', voteCount: '3' } },
        { number: 4, fields: { title: 'last', voteCount: '4' } },
      ],
      unknown: ['Stars'],
    });
  });

  test.each([
    ['semicolons', 'title;content\na;b\n'],
    ['tabs', 'title\tcontent\na\tb\n'],
    ['line ends of old', 'title,content\ra,b\r'],
    ['no line end at the end', 'title,content\na,b'],
    ['other words for its columns', 'TITLE,Details\na,b\n'],
  ])('with %s is read', async (_name, csv) => {
    expect((await read('form.csv', csv)).rows).toEqual([{ number: 2, fields: { title: 'a', content: 'b' } }]);
  });

  test.each([
    ['nothing in it', '', 'The file is empty. Its first line must name the columns, e.g. title,content.'],
    [
      'no title',
      'name,content\na,b\n',
      'line 1: There is no column "title". The first line names: name, content',
    ],
    [
      'one meaning twice',
      'title,body,content\n',
      'line 1: The columns "body" and "content" both mean content. Keep one.',
    ],
    [
      'a quote that is never closed',
      'title\nok\n"x\ny"\n"open\nnever\n',
      'line 5: a quote is opened here and never closed.',
    ],
    [
      'a quote closed too early',
      'title\nok\n"a"b\n',
      'line 3: a quote is closed in the middle of a value. Write quotes inside a value twice.',
    ],
    [
      'a quote in a bare value',
      'title\n5" screen\n',
      'line 2: a quote stands in a value that is not quoted. Quote the value, and write quotes inside it twice.',
    ],
    [
      'a row without end',
      `title\nok\n"${'x'.repeat(1024 * 1024 + 10)}`,
      'line 3: the row is larger than 1 MiB. Is a quote not closed?',
    ],
  ])('with %s is refused', async (_name, csv, message) => {
    expect(await faultOf('bad.csv', csv)).toBe(message);
  });

  test('with too few or too many values in a row is read, and the row says so', async () => {
    const { rows } = await read('short.csv', 'title,content\na\nb,c,d\n');
    expect(rows.map(({ number, fault }) => [number, fault])).toEqual([
      [2, 'has 1 values, but there are 2 columns'],
      [3, 'has 3 values, but there are 2 columns'],
    ]);
  });
});

describe('a file that is not UTF-8', () => {
  const utf8 = 'line 3: is not UTF-8. Save the file with the encoding UTF-8, then try again.';
  test.each([
    [
      'latin-1',
      Buffer.concat([Buffer.from('title\nok\nCaf'), Buffer.from([0xe9, 0x0a]), Buffer.from('more\n')]),
    ],
    ['cut off in a character', Buffer.concat([Buffer.from('title\nok\nCaf'), Buffer.from([0xc3])])],
  ])('(%s) is refused with its line', async (_name, bytes) => {
    expect(await faultOf('latin.csv', bytes)).toBe(utf8);
    expect(await faultOf('latin.jsonl', bytes)).toBe(utf8);
  });

  test('(UTF-16) is refused', async () => {
    const bytes = Buffer.from('\uFEFFtitle\nok\n', 'utf16le');
    expect(await faultOf('wide.csv', bytes)).toContain('line 1: is not UTF-8');
  });

  test('finds the line also when it is far into the file', async () => {
    const start = Buffer.from(`title\n${'grüße\n'.repeat(40_000)}`);
    const message = await faultOf('far.csv', Buffer.concat([start, Buffer.from([0xff, 0x0a])]));
    expect(message).toContain('line 40002: is not UTF-8');
  });
});

describe('a JSON file', () => {
  const rows = [
    { number: 1, fields: { title: 'a', tags: ['x'] } },
    { number: 2, fields: { title: 'b "[{' } },
  ];
  test.each([
    ['a list', '[{"title":"a","tags":["x"]}, {"title":"b \\"[{","stars":{"n":[1]}}]'],
    [
      'an object with a list',
      '\uFEFF{"version": 1, "a": {"posts": []}, "b": "x", "posts":\n[{"title":"a","tags":["x"]},\n{"title":"b \\"[{","stars":null}], "c": [true]}\n',
    ],
  ])('with %s gives its rows', async (_name, json) => {
    expect(await read('good.json', json)).toEqual({ rows, unknown: ['stars'] });
  });

  test('gives its rows wherever its pieces are cut', async () => {
    const item = { title: 'ü"\\', content: 'x'.repeat(777) };
    const list = Array.from({ length: 500 }, () => item);
    const read500 = await read('long.json', JSON.stringify(list));
    expect(read500.rows).toHaveLength(500);
    expect(
      read500.rows.every(({ fields }) => fields.title === item.title && fields.content === item.content),
    ).toBe(true);
  });

  test('tells of items that are no objects, and of words given twice', async () => {
    const { rows: bad } = await read('items.json', '[1, "x", null, [], true, {"body":"a","details":"b"}]');
    expect(bad.map(({ fault }) => fault)).toEqual([
      ...Array.from({ length: 5 }, () => 'must be an object'),
      'content: is given twice, as body and details',
    ]);
  });

  const form = 'The file must be a list of objects, or an object with such a list under "posts".';
  test.each([
    ['nothing', '  \n', `line 1: The file is empty. ${form}`],
    ['a word', '"x"', `line 1: ${form}`],
    ['no list', '{"a": 1}', `line 1: ${form}`],
    ['something else under posts', '{"posts": {}}', `line 1: ${form}`],
    ['an end in the middle', '[{"title":"a"},\n{"title"', 'line 2: The file ends in the middle of the JSON.'],
    ['no comma', '[{"title":"a"}\n{"title":"b"}]', 'line 2: The JSON is broken: "{" was not expected here.'],
    [
      'a broken item',
      '[{"title":"a"},\n{"title":}]',
      'line 2: The JSON is broken in the item that begins here.',
    ],
    ['a comma too many', '[{"title":"a"},]', 'line 1: The JSON is broken: "]" was not expected here.'],
    ['text after the end', '[]\n[]', 'line 2: The JSON is broken: "[" was not expected here.'],
  ])('with %s is refused', async (_name, json, message) => {
    expect(await faultOf('bad.json', json)).toBe(message);
  });
});

test('JSON Lines give a row per line, and tell of lines that are no JSON', async () => {
  const { rows } = await read('list.jsonl', '{"title":"a"}\r\n\n{"title":\n{"title":"b"}');
  expect(rows).toEqual([
    { number: 1, fields: { title: 'a' } },
    { number: 3, fields: {}, fault: 'is not valid JSON' },
    { number: 4, fields: { title: 'b' } },
  ]);
});

test('a file of another form is refused', () => {
  expect(() => formOf('posts.xlsx')).toThrow(
    'The name of posts.xlsx does not tell its form. Use .csv, .json or .jsonl.',
  );
});

describe('the values of a row', () => {
  const time = 'createdAt: must be a time between 1970 and now, like 2026-01-31T12:00:00Z';
  const votes = 'voteCount: must be a whole number from 0 to 1,000,000';
  test.each<[string, Record<string, unknown>, readonly string[]]>([
    ['no title', {}, ['title: is required']],
    ['a blank title', { title: '  ' }, ['title: is required']],
    ['a title that is no text', { title: 7 }, ['title: must be a string (got 7)']],
    [
      'a long title',
      { title: 'x'.repeat(201) },
      [expect.stringContaining('title: must have at most 200 characters') as string],
    ],
    ['a character that cannot be stored', { title: 'a\0b' }, [expect.stringContaining('U+0000') as string]],
    [
      'a long content',
      { title: 'a', content: 'x'.repeat(10_001) },
      [expect.stringContaining('content: must have at most 10000 characters') as string],
    ],
    [
      'a bad e-mail',
      { title: 'a', authorEmail: 'nobody' },
      ['authorEmail: must be a valid email (got "nobody")'],
    ],
    [
      'a long tag',
      { title: 'a', tags: `ok, ${'x'.repeat(51)}` },
      [expect.stringContaining('tags.1: must have at most 50 characters') as string],
    ],
    ['a time that is none', { title: 'a', createdAt: 'yesterday' }, [time]],
    ['a day that is none', { title: 'a', createdAt: '2024-02-31' }, [time]],
    ['a time to come', { title: 'a', createdAt: '2026-06-01T00:00:01Z' }, [time]],
    ['a time before 1970', { title: 'a', createdAt: '1969-12-31' }, [time]],
    ['a number for a time', { title: 'a', createdAt: 1_700_000_000 }, [time]],
    ['fewer votes than none', { title: 'a', voteCount: '-1' }, [`${votes} (got "-1")`]],
    ['half a vote', { title: 'a', voteCount: '1.5' }, [`${votes} (got "1.5")`]],
    ['votes in words', { title: 'a', voteCount: 'many' }, [`${votes} (got "many")`]],
    ['too many votes', { title: 'a', voteCount: '1000001' }, [`${votes} (got "1000001")`]],
    [
      'digits without end',
      { title: 'a', voteCount: '9'.repeat(100_000) },
      [`${votes} (got "${'9'.repeat(59)}...)`],
    ],
    ['a number below 0', { title: 'a', voteCount: -1 }, [`${votes} (got -1)`]],
    ['a number that is not whole', { title: 'a', voteCount: 1.5 }, [`${votes} (got 1.5)`]],
    ['a number too large', { title: 'a', voteCount: 1_000_001 }, [`${votes} (got 1000001)`]],
    ['a list of votes', { title: 'a', voteCount: [1] }, [`${votes} (got a list)`]],
    ['yes for a number of votes', { title: 'a', voteCount: true }, [`${votes} (got true)`]],
    [
      'two faults',
      { authorEmail: 'x', createdAt: 'y' },
      ['title: is required', 'authorEmail: must be a valid email (got "x")', time],
    ],
  ])('with %s are refused', (_name, fields, faults) => {
    expect(parsePostRow({ number: 2, fields }, NOW)).toEqual(faults);
  });

  test.each([
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2024-01-31 12:30', '2024-01-31T12:30:00.000Z'],
    ['2024-01-31 12:30:15', '2024-01-31T12:30:15.000Z'],
    ['2024-01-31 12:30:15 UTC', '2024-01-31T12:30:15.000Z'],
    ['2024-01-31T12:30:15.250Z', '2024-01-31T12:30:15.250Z'],
    ['2024-01-31T12:30:15+02:00', '2024-01-31T10:30:15.000Z'],
    ['2024-01-31 12:30:15 -0500', '2024-01-31T17:30:15.000Z'],
  ])('take %s as a time', (createdAt, iso) => {
    expect(parsePostRow({ number: 2, fields: { title: 'a', createdAt } }, NOW)).toMatchObject({
      createdAt: Date.parse(iso),
    });
  });

  test.each<[unknown, string[]]>([
    ['a, b; c,, ', ['a', 'b', 'c']],
    ['["a, b", "c"]', ['a, b', 'c']],
    ['[draft', ['[draft']],
    [
      ['a', ' b '],
      ['a', 'b'],
    ],
  ])('take %j as tags', (tags, list) => {
    expect(parsePostRow({ number: 2, fields: { title: 'a', tags } }, NOW)).toMatchObject({ tags: list });
  });

  test.each<[unknown, number]>([
    [undefined, 0],
    [' ', 0],
    ['0', 0],
    [' 41 ', 41],
    ['1000000', 1_000_000],
    [7, 7],
  ])('take %j as a number of votes', (voteCount, number) => {
    expect(parsePostRow({ number: 2, fields: { title: 'a', voteCount } }, NOW)).toMatchObject({
      voteCount: number,
    });
  });

  test('are trimmed, and e-mails are in lower case', () => {
    const fields = { title: ' a ', authorEmail: ' Ada@Example.COM ', authorName: ' Ada ', content: ' ' };
    expect(parsePostRow({ number: 2, fields }, NOW)).toEqual({
      number: 2,
      title: 'a',
      content: '',
      tags: [],
      authorEmail: 'ada@example.com',
      authorName: 'Ada',
      voteCount: 0,
      createdAt: undefined,
    });
  });
});

test.each([
  '=1+1',
  '-a',
  '+a',
  '@a',
  "'=a",
  "''-a",
  '\tx',
  'plain',
  "'quoted'",
  '',
  'a;=1+1',
  'a\n=1+1',
  "a\r\n'-b;@c",
  '\r\r=',
  ';;;',
  '\uff1d1+1',
  'a;\uff20b',
  "a'=b",
])('a spreadsheet does not run %j, and an import reads it back', (text) => {
  expect(guard(text)).not.toMatch(/(?:^|[;\r\n])[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/);
  expect(unguard(guard(text))).toBe(text);
});
