/** A toolset for the tests: notes in a table, a tool that adds one, a tool that waits for the next, and a faulty one. */
import { defineToolFor, defineToolset } from '@parley/kit';
import type { MigrationSet, Store } from '@parley/store';
import { addSerialId } from '@parley/store';
import type { Generated } from 'kysely';
import * as z from 'zod';
import type { AppHost } from '../../apps/server/src/index.ts';

interface NotesTables {
  product_notes: { id: Generated<number>; organization_id: string; text: string };
}

const migrations: MigrationSet = {
  name: 'product-notes',
  migrations: {
    '001-notes': async (db, engine) => {
      await addSerialId(db.schema.createTable('product_notes'), engine)
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .execute();
    },
  },
};

const ADDED = 'product-notes.added';

interface NotesServices {
  add(organizationId: string, text: string): Promise<{ text: string }>;
  /** The next note after the call; tells on stderr that it listens, so that a test knows when to write. */
  next(organizationId: string, signal: AbortSignal): Promise<{ text: string } | undefined>;
}

function createNotes(store: Store): NotesServices {
  const newest = (organizationId: string) =>
    store
      .db<NotesTables>()
      .selectFrom('product_notes')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('id', 'desc')
      .executeTakeFirst();
  return {
    async add(organizationId, text) {
      await store.transaction(async (tx) => {
        await tx
          .db<NotesTables>()
          .insertInto('product_notes')
          .values({ organization_id: organizationId, text })
          .execute();
        await tx.signal(ADDED, organizationId);
      });
      return { text };
    },
    async next(organizationId, signal) {
      const before = await newest(organizationId);
      const finished = new AbortController();
      const either = AbortSignal.any([signal, finished.signal]);
      try {
        for (let isFirst = true; ; isFirst = false) {
          const told = store.signal.wait(ADDED, { signal: either, timeoutMs: 60_000 });
          if (isFirst) process.stderr.write('waiting for a note\n');
          const found = await newest(organizationId);
          if (found !== undefined && found.id !== before?.id) return { text: found.text };
          if ((await told) === null) return undefined;
        }
      } finally {
        // The last wait was opened before the read that ended the search.
        finished.abort();
      }
    },
  };
}

const define = defineToolFor<NotesServices>();

export const notesToolset = defineToolset({
  name: 'notes',
  title: 'Notes',
  migrations,
  services: (host: AppHost): NotesServices => createNotes(host.store),
  tools: [
    define({
      name: 'note_add',
      title: 'Add a note',
      description: 'Adds a note.',
      effect: 'create',
      input: z.object({ text: z.string().max(2000).describe('The note') }),
      output: z.object({ text: z.string() }),
      run: (input, { caller, services }) => services.add(caller.organizationId, input.text),
    }),
    define({
      name: 'note_wait',
      title: 'Wait for a note',
      description: 'Waits for the next note.',
      effect: 'read',
      input: z.object({}),
      output: z.object({ text: z.string() }),
      async run(_input, ctx) {
        const note = await ctx.services.next(ctx.caller.organizationId, ctx.signal);
        if (note === undefined) throw ctx.error('unavailable', 'No note came. Try again.');
        return note;
      },
    }),
    define({
      name: 'note_leak',
      title: 'Leak',
      description: 'Leaves a timer behind that nobody clears.',
      effect: 'run',
      privileged: true,
      input: z.object({}),
      output: z.object({}),
      async run() {
        setInterval(() => undefined, 1000);
        return {};
      },
    }),
    define({
      name: 'note_deaf',
      title: 'Deaf',
      description: 'Ignores its signal, holds a timer, and never ends.',
      effect: 'run',
      privileged: true,
      task: 'allowed',
      input: z.object({}),
      output: z.object({}),
      run() {
        setInterval(() => undefined, 1000);
        process.stderr.write('a deaf tool runs\n');
        return new Promise<never>(() => undefined);
      },
    }),
    define({
      name: 'note_stubborn',
      title: 'Stubborn',
      description: 'The same in no task.',
      effect: 'run',
      privileged: true,
      input: z.object({}),
      output: z.object({}),
      run() {
        setInterval(() => undefined, 1000);
        process.stderr.write('a stubborn tool runs\n');
        return new Promise<never>(() => undefined);
      },
    }),
    define({
      name: 'note_break',
      title: 'Break',
      description: 'Fails with a fault that carries the text.',
      effect: 'run',
      privileged: true,
      input: z.object({ text: z.string().describe('What the fault says') }),
      output: z.object({}),
      async run({ text }) {
        throw new Error(`it broke on ${text}`, { cause: new Error(`because of ${text}`) });
      },
    }),
  ],
});
