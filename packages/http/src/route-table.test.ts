/** Paths go to the set with the longest prefix; two sets on one prefix cannot start. */
import { expect, test } from 'vitest';
import type { RouteSet } from './route-set.ts';
import { createRouteTable } from './route-table.ts';

const set = (name: string, prefix: string): RouteSet => ({
  name,
  prefix,
  handle: async () => undefined,
  close: async () => undefined,
});

const SETS = [
  set('Console', '/api'),
  set('Feedback', '/api/v1'),
  set('Public', '/api/public'),
  set('Feed', '/feed.xml'),
  set('Card', '/.well-known/card.json'),
];

test.each([
  ['/api', 'Console'],
  ['/api?x=/api/v1', 'Console'],
  ['/api/', 'Console'],
  ['/api/v2/posts', 'Console'],
  ['/api/v12', 'Console'],
  ['/api/v1', 'Feedback'],
  ['/api/v1?x=1', 'Feedback'],
  ['/api/v1/posts', 'Feedback'],
  ['/api/public/posts', 'Public'],
  ['/feed.xml', 'Feed'],
  ['/.well-known/card.json', 'Card'],
  ['/.well-known/other.json', undefined],
  ['/feed.xmls', undefined],
  ['/apis', undefined],
  ['/', undefined],
  ['', undefined],
])('%s belongs to %s, in whatever order the sets came', (url, owner) => {
  for (const sets of [SETS, SETS.toReversed()]) expect(createRouteTable(sets)(url)?.name).toBe(owner);
});

test('two sets on one prefix are refused by both names', () => {
  expect(() => createRouteTable([...SETS, set('Mesh', '/api/v1')])).toThrow(
    '"Feedback" and "Mesh" both want /api/v1. Give one of them another prefix.',
  );
});

test('a prefix that is taken is refused too', () => {
  expect(() => createRouteTable([set('Mine', '/mcp')], [{ name: 'MCP', prefix: '/mcp' }])).toThrow(
    '"MCP" and "Mine" both want /mcp.',
  );
});

const TAKEN = [
  { name: 'MCP', prefix: '/mcp', isWide: true },
  { name: 'The server', prefix: '/ready' },
];

test.each([
  ['/mcp/extra', '"MCP" and "Mine" both want /mcp/extra.'],
  ['/mcprecipes', '"MCP" and "Mine" both want /mcprecipes.'],
  ['/ready', '"The server" and "Mine" both want /ready.'],
  ['/ready/now', '"The server" and "Mine" both want /ready/now.'],
  ['', 'A prefix looks like /notes or /api/notes.'],
  ['/', 'A prefix looks like /notes or /api/notes.'],
  ['notes', 'A prefix looks like /notes or /api/notes.'],
  ['/notes/', 'A prefix looks like /notes or /api/notes.'],
  ['/api//notes', 'A prefix looks like /notes or /api/notes.'],
  ['/api/../notes', 'A prefix looks like /notes or /api/notes.'],
  ['/notes?all', 'A prefix looks like /notes or /api/notes.'],
])('the prefix "%s" is refused', (prefix, words) => {
  expect(() => createRouteTable([set('Mine', prefix)], TAKEN)).toThrow(words);
});

test('a prefix that only begins like one that is taken is free', () => {
  expect(createRouteTable([set('Mine', '/readying')], TAKEN)('/readying/x')?.name).toBe('Mine');
});
