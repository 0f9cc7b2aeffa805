/** What the tools of a collection promise, over the protocol and on both databases. */
import { collectionTools, defineToolset } from '@parley/kit';
import type { Caller, Collection, Where } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { defineRows, epochMsColumn, jsonColumn } from '@parley/store';
import type { MigrationSet, Store } from '@parley/store';
import { onBothEngines } from '@parley/store/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const Note = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  created_at: z.string(),
});
type Note = z.infer<typeof Note>;
type StoredNote = Note & { token: string | null };

const CreateNote = z.object({
  title: z.string().min(1).max(255),
  description: z.string().nullable().optional(),
  metadata: z.record(z.string(), z.unknown()).nullable().optional(),
});

interface Services {
  readonly notes: Collection<Note, z.output<typeof CreateNote>, Partial<z.output<typeof CreateNote>>>;
}

const tools = collectionTools<Services>()({
  name: 'NOTES',
  one: 'Note',
  many: 'Notes',
  entity: Note,
  create: CreateNote,
  update: CreateNote.partial(),
  of: ({ notes }) => notes,
});
const toolset = defineToolset({
  name: 'notes',
  title: 'Notes',
  tools: [tools.list, tools.get, tools.create, tools.update, tools.delete],
});

const migrations: MigrationSet = {
  name: 'notes',
  migrations: {
    '001-notes': async (db) => {
      await db.schema
        .createTable('notes')
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('description', 'text')
        .addColumn('metadata', jsonColumn)
        .addColumn('created_at', epochMsColumn, (column) => column.notNull())
        .addColumn('token', 'text')
        .execute();
    },
  },
};

const NOTES = defineRows<StoredNote, { organizationId: string; userId: string }>({
  table: 'notes',
  scope: { organizationId: 'organization_id', userId: 'user_id' },
  order: [{ field: ['created_at'], direction: 'desc' }],
  fields: {
    id: { kind: 'text' },
    title: { kind: 'text' },
    description: { kind: 'text', nullable: true },
    metadata: { kind: 'json', nullable: true },
    created_at: { kind: 'time' },
    token: { kind: 'text', nullable: true, secret: true },
  },
});

function createNotes(store: Store): Services {
  let made = 0;
  const rowsOf = ({ organizationId, userId }: Caller) =>
    NOTES.in(store, { organizationId, userId: userId ?? '' });
  return {
    notes: {
      fields: NOTES.fields,
      list: (caller, query) => rowsOf(caller).list(query),
      get: (caller, id) => rowsOf(caller).get(id),
      async create(caller, data) {
        made += 1;
        const id = `note_${made}`;
        const created_at = new Date(1_793_000_000_000 + made).toISOString();
        await rowsOf(caller).insert({ ...data, id, created_at, token: 'hush' });
        return (await rowsOf(caller).get(id)) ?? expect.fail();
      },
      async update(caller, id, data) {
        await rowsOf(caller).update(id, data);
        return rowsOf(caller).get(id);
      },
      async delete(caller, id) {
        const before = await rowsOf(caller).get(id);
        await rowsOf(caller).delete(id);
        return before;
      },
    },
  };
}

const comparison = (field: string[], operator: string, value: unknown) => ({ field, operator, value });
const nested = (depth: number): Where =>
  Array.from({ length: depth }).reduce<Where>((inner) => ({ operator: 'and', conditions: [inner] }), {
    field: ['title'],
    operator: 'eq',
    value: 'A',
  });
const many = (count: number) => ({
  operator: 'or',
  conditions: Array.from({ length: count }, () => comparison(['title'], 'eq', 'A')),
});

const refused: [what: string, input: Record<string, unknown>, message: string][] = [
  ['nesting over 8', { where: nested(9) }, 'where: must have at most 8 groups inside each other'],
  ['51 comparisons', { where: many(51) }, 'where: must have at most 50 comparisons'],
  [
    'only empty groups',
    {
      where: {
        operator: 'and',
        conditions: Array.from({ length: 400 }, () => ({ operator: 'or', conditions: [] })),
      },
    },
    'where: must have at most 400 groups',
  ],
  [
    'in with 101',
    { where: comparison(['title'], 'in', Array.from({ length: 101 }, String)) },
    'where.value: in takes a list of at most 100',
  ],
  ['in without a list', { where: comparison(['title'], 'in', 'A') }, 'where.value: in takes a list'],
  [
    'like of 101',
    { where: comparison(['title'], 'like', '%'.repeat(101)) },
    'where.value: must have at most 100 characters',
  ],
  [
    'contains of 201',
    { where: comparison(['title'], 'contains', 'a'.repeat(201)) },
    'where.value: must have at most 200 characters',
  ],
  ['like of a number', { where: comparison(['title'], 'like', 1) }, 'where.value: like takes a text'],
  ['gt of true', { where: comparison(['title'], 'gt', true) }, 'where.value: gt takes a text or a number'],
  ['lte of null', { where: comparison(['title'], 'lte', null) }, 'where.value: lte takes a text or a number'],
  ['eq of an object', { where: comparison(['metadata'], 'eq', {}) }, 'where.value: eq takes a text'],
  [
    'half a character',
    { where: comparison(['title'], 'eq', '\uD800') },
    'where.value: must not contain half of a surrogate pair',
  ],
  ['no value', { where: { field: ['title'], operator: 'eq' } }, 'where.value'],
  ['an unknown operator', { where: comparison(['title'], 'ne', 'A') }, 'where.operator'],
  [
    'an unknown key',
    { where: { ...comparison(['title'], 'eq', 'A'), not: true } },
    'where.not: is not a known field',
  ],
  ['no path', { where: comparison([], 'eq', 'A') }, 'where.field'],
  [
    'no time',
    { where: comparison(['created_at'], 'gt', 'yesterday') },
    'where.value: "created_at" is a time',
  ],
  [
    'an unknown field, by its place',
    {
      where: {
        operator: 'and',
        conditions: [comparison(['title'], 'eq', 'A'), comparison(['nothing'], 'eq', 1)],
      },
    },
    'where.conditions.1.field: there is no field ["nothing"] to ask for. Use one of: id, title, description, metadata, created_at',
  ],
  [
    'a secret field, in the same words',
    { where: comparison(['token'], 'like', 'h%') },
    'where.field: there is no field ["token"] to ask for. Use one of: id, title, description, metadata, created_at',
  ],
  [
    'an order by a secret',
    { orderBy: [{ field: ['token'] }] },
    'orderBy.0.field: there is no field ["token"]',
  ],
  [
    'a path into a text',
    { where: comparison(['title', 'x'], 'eq', 1) },
    'where.field: there is no field ["title","x"]',
  ],
  [
    'what every object has',
    { where: comparison(['constructor'], 'eq', 1) },
    'where.field: there is no field ["constructor"]',
  ],
  [
    'six keys of an order',
    { orderBy: Array.from({ length: 6 }, () => ({ field: ['title'] })) },
    'orderBy: must have at most 5 items',
  ],
  ['a limit of 0', { limit: 0 }, 'limit: must be at least 1'],
  ['a limit of 1001', { limit: 1001 }, 'limit: must be at most 1000'],
  ['a negative offset', { offset: -1 }, 'offset: must be at least 0'],
];

onBothEngines('the tools of a collection', (open) => {
  const start = async (as: Partial<Caller> = {}, era: 'modern' | 'legacy' = 'modern') => {
    const store = await open();
    await store.migrate([migrations]);
    const services = createNotes(store);
    const client = await connect(toolset, { services, as, era });
    return { services, client };
  };

  test.each(['modern', 'legacy'] as const)('make, find, change and delete (%s)', async (era) => {
    const { client } = await start({}, era);
    await using _closing = client;
    const made = await client.call('COLLECTION_NOTES_CREATE', {
      data: { title: 'Straße', metadata: { team: 'A' } },
    });
    expect(made.item).toEqual({
      id: 'note_1',
      title: 'Straße',
      description: null,
      metadata: { team: 'A' },
      created_at: '2026-10-26T07:33:20.001Z',
    });
    for (const title of ['Two', 'Three']) await client.call('COLLECTION_NOTES_CREATE', { data: { title } });
    const titles = async (input: Parameters<typeof client.call<'COLLECTION_NOTES_LIST'>>[1]) => {
      const { items, totalCount, hasMore } = await client.call('COLLECTION_NOTES_LIST', input);
      return [items.map(({ title }) => title), totalCount, hasMore];
    };
    expect(await titles({})).toEqual([['Three', 'Two', 'Straße'], 3, false]);
    expect(await titles({ limit: 2 })).toEqual([['Three', 'Two'], 3, true]);
    expect(await titles({ limit: 2, offset: 2 })).toEqual([['Straße'], 3, false]);
    expect(await titles({ offset: 9 })).toEqual([[], 3, false]);
    expect(await titles({ where: nested(8) })).toEqual([[], 0, false]);
    expect(await titles({ where: { field: ['title'], operator: 'like', value: 'STRA_E' } })).toEqual([
      ['Straße'],
      1,
      false,
    ]);
    expect(await titles({ where: { field: ['metadata', 'team'], operator: 'eq', value: 'A' } })).toEqual([
      ['Straße'],
      1,
      false,
    ]);
    expect(await titles({ where: { field: ['created_at'], operator: 'gte', value: '2026-10-27' } })).toEqual([
      [],
      0,
      false,
    ]);
    const changed = await client.call('COLLECTION_NOTES_UPDATE', {
      id: 'note_1',
      data: { description: 'D', metadata: null },
    });
    expect(changed.item).toMatchObject({ title: 'Straße', description: 'D', metadata: null });
    expect(await client.call('COLLECTION_NOTES_GET', { id: 'note_1' })).toEqual({ item: changed.item });
    const remove = () => client.call('COLLECTION_NOTES_DELETE', { id: 'note_1' });
    expect(await remove()).toEqual({ id: 'note_1', item: changed.item, deleted: true });
    expect(await remove()).toEqual({ id: 'note_1', item: null, deleted: false });
    expect(await client.call('COLLECTION_NOTES_GET', { id: 'note_1' })).toEqual({ item: null });
  });

  test('a foreign id is an unknown id, to the letter', async () => {
    const { services, client } = await start();
    await client.call('COLLECTION_NOTES_CREATE', { data: { title: 'Mine' } });
    const foreigners = [{ organizationId: 'org_other' }, { userId: 'user_other' }];
    for (const as of foreigners) {
      await using other = await connect(toolset, { services, as });
      for (const [name, more] of [
        ['COLLECTION_NOTES_GET', {}],
        ['COLLECTION_NOTES_UPDATE', { data: { title: 'Stolen' } }],
        ['COLLECTION_NOTES_DELETE', {}],
      ] as const) {
        const answer = async (id: string) =>
          JSON.stringify(await other.raw.callTool({ name, arguments: { id, ...more } })).replaceAll(id, 'ID');
        expect(await answer('note_1')).toBe(await answer('note_0'));
      }
      expect(await other.call('COLLECTION_NOTES_LIST', {})).toEqual({
        items: [],
        totalCount: 0,
        hasMore: false,
      });
    }
    expect((await client.call('COLLECTION_NOTES_GET', { id: 'note_1' })).item?.title).toBe('Mine');
    await client.close();
  });

  test('what cannot be asked is refused by its place, and nothing of a secret is told', async () => {
    const { client } = await start();
    await using _closing = client;
    await client.call('COLLECTION_NOTES_CREATE', { data: { title: 'A' } });
    for (const [what, input, message] of refused) {
      const answer = await client.attempt('COLLECTION_NOTES_LIST', input);
      expect(answer, what).toMatchObject({ ok: false, code: 'invalid' });
      expect(answer.ok ? '' : answer.message, what).toContain(message);
    }
    const most = await client.call('COLLECTION_NOTES_LIST', { where: many(50) as Where });
    expect(most.totalCount).toBe(1);
    expect(JSON.stringify(most)).not.toContain('hush');
  });
});

describe('the tools of a collection', () => {
  const none: Services = { notes: { ...createNotes({} as Store).notes } };

  test('carry the hints of their effect and a title', async () => {
    await using client = await connect(toolset, { services: none });
    const { tools: listed } = await client.raw.listTools();
    expect(
      listed.map(({ name, title, annotations }) => [
        name,
        title,
        annotations?.readOnlyHint,
        annotations?.destructiveHint,
      ]),
    ).toEqual([
      ['COLLECTION_NOTES_CREATE', 'Create Note', false, false],
      ['COLLECTION_NOTES_DELETE', 'Delete Note', false, true],
      ['COLLECTION_NOTES_GET', 'Get Note', true, false],
      ['COLLECTION_NOTES_LIST', 'List Notes', true, false],
      ['COLLECTION_NOTES_UPDATE', 'Update Note', false, false],
    ]);
  });

  test('deleting is not in a wildcard of ordinary members', async () => {
    const as = { roles: ['member'], grants: { notes: ['*'] } };
    await using client = await connect(toolset, { services: none, as });
    expect(await client.toolNames()).not.toContain('COLLECTION_NOTES_DELETE');
    expect(await client.toolNames()).toContain('COLLECTION_NOTES_UPDATE');
  });
});
