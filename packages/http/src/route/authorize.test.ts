/** Rights over REST are what they are over MCP: one resolver, with the one exception that a set states. */
import type { Caller, Grants } from '@parley/kit';
import { scratchStore } from '@parley/store/testing';
import { expect, test } from 'vitest';
import type { NotesOptions } from '../../test/notes-api.ts';
import { openNotes } from '../../test/notes-api.ts';

const unattended = (caller: Caller): Caller => ({ ...caller, unattended: true });
const scheduled = (caller: Caller): Caller => ({ ...caller, source: 'schedule' });
const member = (caller: Caller): Caller => ({ ...caller, roles: ['member'] });
const visitor = (caller: Caller): Caller => ({ ...caller, roles: ['user'] });

interface Row {
  readonly name: string;
  readonly grants: Grants;
  readonly options?: NotesOptions;
  readonly ask: readonly [method: string, path: string, body?: unknown];
  readonly status: number;
  /** What the refusal says. */
  readonly says?: string;
}

const WRITE = ['POST', '/notes', { text: 'x' }] as const;
const DELETE = ['DELETE', '/notes/unknown'] as const;
const ALL = { notes: ['*'] };

const ROWS: readonly Row[] = [
  { name: 'a wildcard gives an ordinary tool', grants: ALL, ask: ['GET', '/notes'], status: 200 },
  {
    name: 'nothing is given without its grant',
    grants: { notes: ['write_note'] },
    ask: ['GET', '/notes'],
    status: 403,
    says: 'This key does not have the grant notes:list_notes.',
  },
  {
    name: 'the grant of another toolset gives nothing',
    grants: { other: ['*'] },
    ask: ['GET', '/notes'],
    status: 403,
    says: 'notes:list_notes',
  },
  {
    name: 'a tool by name is not given by a wildcard',
    grants: ALL,
    ask: WRITE,
    status: 403,
    says: 'This key does not have the grant notes:write_note.',
  },
  { name: 'a tool by name is given by its name', grants: { notes: ['write_note'] }, ask: WRITE, status: 201 },
  {
    name: 'a set may say that a wildcard gives tools by name',
    grants: ALL,
    options: { byName: 'wildcard' },
    ask: WRITE,
    status: 201,
  },
  { name: 'whoever is watched may do what is blocked unattended', grants: ALL, ask: DELETE, status: 404 },
  {
    name: 'nobody watching blocks it',
    grants: ALL,
    options: { callerOf: unattended },
    ask: DELETE,
    status: 403,
    says: 'notes:delete_note is blocked while nobody is watching, and this caller is unattended.',
  },
  {
    name: 'nor does the exception for names lift that',
    grants: { notes: ['*', 'delete_note'] },
    options: { callerOf: unattended, byName: 'wildcard' },
    ask: DELETE,
    status: 403,
    says: 'nobody is watching',
  },
  {
    name: 'a schedule is unattended whatever its flag says',
    grants: ALL,
    options: { callerOf: scheduled },
    ask: DELETE,
    status: 403,
    says: 'nobody is watching',
  },
  {
    name: 'an unattended caller still has the rest',
    grants: ALL,
    options: { callerOf: unattended },
    ask: ['GET', '/notes'],
    status: 200,
  },
  {
    name: 'a right of its own is given like a tool',
    grants: ALL,
    ask: ['GET', '/notes/newest'],
    status: 200,
  },
  {
    name: 'administrators alone have what is theirs',
    grants: ALL,
    options: { callerOf: member },
    ask: ['GET', '/notes/newest'],
    status: 403,
    says: 'Only administrators may do this.',
  },
  {
    name: 'visitors have nothing, not even an unknown path',
    grants: ALL,
    options: { callerOf: visitor },
    ask: ['GET', '/nowhere'],
    status: 403,
    says: 'Only team members may use this API.',
  },
];

test.each(ROWS)('$name', async ({ grants, options, ask: [method, path, body], status, says = '' }) => {
  await using store = await scratchStore();
  const api = await openNotes(store, options);
  const answer = await api.call(method, path, { as: await api.keyWith(grants), body });
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(says)]);
  expect(api.records.map(({ outcome }) => outcome)).toEqual([
    status === 403 ? 'denied' : status === 404 ? 'error' : 'ok',
  ]);
});
