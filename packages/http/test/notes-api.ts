/** A toolset with routes as any could bring them: notes of an organization, served on a real port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Identity } from '@parley/identity';
import { createIdentity, identityMigrations } from '@parley/identity';
import type { Caller, CallRecord, Grants } from '@parley/kit';
import { ALL_GRANTS, defineTool, detach, ToolError, typeId } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import type { MigrationSet, Store, StoreTransaction } from '@parley/store';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import type { CheckCurrent, RestOptions } from '../src/rest.ts';
import {
  created,
  createRestTables,
  defineRouteFor,
  defineRoutes,
  download,
  eventStream,
  nothing,
  one,
  page,
  pageFields,
} from '../src/rest.ts';

interface NoteTables {
  notes: { organization_id: string; id: string; text: string };
}

/** Everything that the routes of this file need in the database. */
export const notesMigrations: MigrationSet = {
  name: 'notes',
  migrations: {
    '001-notes': async (db) => {
      await db.schema
        .createTable('notes')
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('text', 'text', (column) => column.notNull())
        .execute();
    },
    '002-rest': createRestTables('notes'),
  },
};

const Note = z.object({ id: z.string(), text: z.string() });
const NoteText = z.strictObject({ text: z.string().min(1).max(100) });

/** What handlers get. */
interface NoteScope {
  readonly store: Store;
  readonly organizationId: string;
  change<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T>;
}

const defineRoute = defineRouteFor<NoteScope>();

/** How long each piece of the file is. */
export const PIECE = 64 * 1024;

async function noteOf({ store, organizationId }: NoteScope, id: string) {
  const found = await store
    .db<NoteTables>()
    .selectFrom('notes')
    .select(['id', 'text'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (found === undefined) throw new ToolError('not_found', 'Note not found');
  return found;
}

async function remove(scope: NoteScope, id: string, check: CheckCurrent<unknown> | undefined): Promise<void> {
  const found = await noteOf(scope, id);
  check?.(found);
  await scope.change(async (tx) => {
    await tx.db<NoteTables>().deleteFrom('notes').where('id', '=', id).execute();
  });
}

const noteRoutes = [
  defineRoute({
    method: 'GET',
    path: '/notes',
    summary: 'List notes',
    who: 'team',
    grants: ['list_notes'],
    query: z.strictObject(pageFields),
    answer: page('Note', Note),
    async run({ store, organizationId }) {
      const notes = store.db<NoteTables>().selectFrom('notes').select(['id', 'text']);
      const items = await notes.where('organization_id', '=', organizationId).execute();
      return { items, cursor: null, hasMore: false, total: items.length };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/notes',
    summary: 'Write a note',
    who: 'team',
    grants: ['write_note'],
    body: NoteText,
    answer: created('Note', Note, ({ id }) => `/notes/${id}`),
    run: ({ organizationId, change, body }) =>
      change(async (tx) => {
        const note = { id: typeId('note', Date.now()), text: body.text };
        await tx
          .db<NoteTables>()
          .insertInto('notes')
          .values({ organization_id: organizationId, ...note })
          .execute();
        await tx.signal('notes.notes', organizationId);
        return note;
      }),
  }),
  defineRoute({
    method: 'GET',
    path: '/notes/:id',
    summary: 'Read a note',
    who: 'team',
    grants: ['list_notes'],
    answer: one('Note', Note),
    run: ({ params, ...scope }) => noteOf(scope, params.id),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/notes/:id',
    summary: 'Delete a note',
    who: 'team',
    grants: ['delete_note'],
    answer: nothing,
    run: ({ params, check, ...scope }) => remove(scope, params.id, check),
  }),
  defineRoute({
    method: 'GET',
    path: '/notes/newest',
    summary: 'Read the newest note',
    who: 'admin',
    grants: ['audit_notes'],
    answer: one('Note', Note),
    run: async () => ({ id: 'newest', text: 'the newest' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/file',
    summary: 'Read everything as a file',
    who: 'team',
    grants: ['list_notes'],
    query: z.strictObject({ pieces: z.coerce.number(), fault: z.string().optional() }),
    answer: download,
    run: async ({ query: { pieces, fault } }) => ({
      fileName: 'all "notes"/\u00e9.txt',
      type: 'text/plain; charset=utf-8',
      async write(put) {
        for (let piece = 0; piece < pieces; piece += 1) await put('x'.repeat(PIECE));
        if (fault !== undefined) throw new Error(fault);
      },
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/stream',
    summary: 'Hear of changes',
    who: 'team',
    grants: ['list_notes'],
    answer: eventStream,
    run: async () => undefined,
  }),
];

const tool = (name: string, more: { privileged?: true | 'by-name'; unattended?: 'block' } = {}) =>
  defineTool({
    name,
    title: name,
    description: name,
    effect: 'update',
    input: z.object({}),
    output: z.object({}),
    run: () => ({}),
    ...more,
  });

/** Tools that the routes stand for; `audit_notes` is a right of its own. */
const GUARDS = [
  tool('list_notes'),
  tool('write_note', { privileged: 'by-name' }),
  tool('delete_note', { unattended: 'block' }),
];

/** The set: one literal, nothing else is needed for all that it is tested for. */
export const notesApi = defineRoutes({
  prefix: '/api/notes',
  toolset: 'notes',
  title: 'Notes API',
  version: '1',
  description: 'Notes.',
  heading: 'Notes',
  note: 'Notes are taken by id.',
  routes: async () => noteRoutes,
  guards: GUARDS,
  byName: 'name',
  notices: { nouns: ['notes'] },
});

/** A running API of one organization. */
export interface NotesBed {
  readonly url: string;
  readonly records: CallRecord[];
  readonly faults: unknown[];
  /** Where each of them was, as the log says it. */
  readonly places: string[];
  /** A key of the owner with these grants. */
  keyWith(grants: Grants): Promise<string>;
  /** One request; `as` is the text of a key. */
  call(method: string, path: string, request?: NotesRequest): Promise<NotesAnswer>;
}

export interface NotesRequest {
  readonly as?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface NotesAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What a test may choose. */
export interface NotesOptions extends Partial<RestOptions> {
  /** Changes every caller on its way in, as what builds other callers will. */
  readonly callerOf?: (caller: Caller) => Caller;
  readonly byName?: 'name' | 'wildcard';
  readonly routes?: typeof notesApi.routes;
}

/** Serves the notes of a new organization until the test ends. */
export async function openNotes(store: Store, options: NotesOptions = {}): Promise<NotesBed> {
  const {
    callerOf = (caller) => caller,
    byName = 'name',
    routes: table = notesApi.routes,
    ...rest
  } = options;
  await store.migrate([identityMigrations, notesMigrations]);
  const identity = createIdentity(store);
  const owner = { name: 'Ada', email: null };
  const made = await identity.createOrganization({ slug: 'acme', name: 'Acme', owner });
  const founder = testCaller({ ...made, roles: ['owner'], grants: ALL_GRANTS });
  const records: CallRecord[] = [];
  const faults: unknown[] = [];
  const places: string[] = [];
  const routes = defineRoutes({ ...notesApi, byName, routes: table }).serve({
    names: { hosts: [], origins: ['https://app.example'] },
    observe: (record) => records.push(record),
    ...rest,
    store,
    identity: throughGate(identity, callerOf),
    now: Date.now,
    onFault(error, where) {
      faults.push(error);
      places.push(where);
    },
    toolServices: {},
    scope:
      async ({ organizationId }) =>
      (onChange) => ({
        store,
        organizationId,
        change: (work) =>
          store.transaction(async (tx) => {
            const result = await work(tx);
            await onChange?.(tx);
            return result;
          }),
      }),
  });
  const server = createServer({ joinDuplicateHeaders: true }, (req, res) => {
    detach(routes.handle(req, res), (error) => faults.push(error));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    await routes.close();
    identity.close();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as AddressInfo; // a listening TCP server has a port
  const url = `http://127.0.0.1:${port}${notesApi.prefix}`;
  return {
    url,
    records,
    faults,
    places,
    async keyWith(grants) {
      const key = await identity.createKey(founder, { name: 'Key', grants, expiresAt: null });
      return key.text;
    },
    call: (method, path, request) => send(`${url}${path}`, method, request),
  };
}

function throughGate(identity: Identity, callerOf: (caller: Caller) => Caller): Identity {
  return {
    ...identity,
    async authenticate(text, source) {
      const caller = await identity.authenticate(text, source);
      return caller && callerOf(caller);
    },
  };
}

async function send(url: string, method: string, request: NotesRequest = {}): Promise<NotesAnswer> {
  const { as, body, headers } = request;
  const answer = await fetch(url, {
    method,
    headers: {
      ...(as !== undefined && { authorization: `Bearer ${as}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
