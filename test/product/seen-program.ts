/** The real command line with tools whose time goes to one place each. */
import { setTimeout as delay } from 'node:timers/promises';
import { defineToolFor, defineToolset } from '@parley/kit';
import type { Store } from '@parley/store';
import { sql } from 'kysely';
import * as z from 'zod';
import { main } from '../../apps/server/src/index.ts';
import type { AppHost } from '../../apps/server/src/index.ts';

/** Longer than a call may take here without a line in the log. */
const LONG_MS = 600;

const defineTool = defineToolFor<{ store: Store }>();
const words = { effect: 'read', input: z.object({}), output: z.object({}) } as const;

const tools = [
  defineTool({
    ...words,
    name: 'quick',
    title: 'Quick',
    description: 'Asks the database, and is done.',
    async run(_input, { services: { store } }) {
      await sql`select 1`.execute(store.db());
      return {};
    },
  }),
  defineTool({
    ...words,
    name: 'thinks',
    title: 'Thinks',
    description: 'Takes its time by itself.',
    async run() {
      await delay(LONG_MS);
      return {};
    },
  }),
  defineTool({
    ...words,
    name: 'asks_the_database',
    title: 'Asks',
    description: 'Runs a statement that takes its time.',
    async run(_input, { services: { store } }) {
      if (store.engine === 'postgres') await sql`select pg_sleep(${LONG_MS / 1000})`.execute(store.db());
      for (const endMs = performance.now() + LONG_MS; performance.now() < endMs;)
        await sql`with recursive rows(n) as (select 1 union all select n + 1 from rows where n < 100000)
          select count(*) from rows`.execute(store.db());
      return {};
    },
  }),
  defineTool({
    ...words,
    name: 'waits_in_line',
    title: 'Waits',
    description: 'Wants to write while all connections are taken.',
    async run(_input, { services: { store } }) {
      const taken = Array.from({ length: store.engine === 'postgres' ? 10 : 1 }, () =>
        store.transaction(() => delay(LONG_MS)),
      );
      await Promise.all([...taken, store.transaction((tx) => sql`select 1`.execute(tx.db()))]);
      return {};
    },
  }),
  defineTool({
    ...words,
    name: 'waits_on_purpose',
    title: 'Sleeps',
    description: 'Was called to wait.',
    async run(_input, ctx) {
      await ctx.sleep('nap', LONG_MS);
      return {};
    },
  }),
  defineTool({
    ...words,
    name: 'long_work',
    title: 'Long work',
    description: 'Does its work as a task.',
    task: 'allowed',
    async run(_input, ctx) {
      await ctx.step('once', () => sql`select 1`.execute(ctx.services.store.db()));
      await delay(LONG_MS);
      return {};
    },
  }),
];

const seenToolset = defineToolset({
  name: 'seen',
  title: 'Seen',
  services: ({ store }: AppHost) => ({ store }),
  tools,
});

await main(process.argv.slice(2), [seenToolset]);
