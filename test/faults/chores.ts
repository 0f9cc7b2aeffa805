/** A toolset for fault tests: tasks whose every step leaves a line outside of the database, where no fault can take it back. */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings, SettingsOf } from '@parley/kit';
import { defineToolFor, defineToolset } from '@parley/kit';
import * as z from 'zod';
import type { AppHost } from '../../apps/server/src/index.ts';

const about = { kind: 'text', value: 'TEXT', fallback: '', section: 'upkeep' } as const;

const settings = {
  effects: { ...about, flag: 'effects', help: 'Where steps leave their lines' },
  worker: { ...about, flag: 'worker', help: 'What this process is called there' },
} as const satisfies Settings;

/** What the tool stands on. */
interface Chores {
  note(mark: string, step: number): void;
}

const define = defineToolFor<Chores>();

const doChore = define({
  name: 'do_chore',
  title: 'Do a chore',
  description: 'Takes some steps, each of which is counted outside.',
  // Not `run`: those have a rate of their own.
  effect: 'create',
  task: 'required',
  input: z.object({
    mark: z.string().max(100).describe('Names this chore in the lines'),
    steps: z.int().min(1).max(20).default(1).describe('How many steps'),
    workMs: z.int().min(0).max(600_000).default(0).describe('How long each step takes'),
    napMs: z.int().min(0).max(600_000).default(0).describe('How long it sleeps between two steps'),
    asks: z.boolean().default(false).describe('Whether it asks for a name after its first step'),
  }),
  output: z.object({ mark: z.string(), steps: z.int(), name: z.string() }),
  async run({ mark, steps, workMs, napMs, asks }, ctx) {
    let name = '';
    for (let step = 1; step <= steps; step += 1) {
      await ctx.step(`step ${step}`, async () => {
        // Before the work: a step that another process runs a second time is seen even when the first never ends.
        ctx.services.note(mark, step);
        await delay(workMs, undefined, { signal: ctx.signal });
      });
      if (napMs > 0 && step < steps) await ctx.sleep(`nap ${step}`, napMs);
      if (asks && step === 1)
        ({ name } = await ctx.ask('name', { message: 'Name?', schema: z.object({ name: z.string() }) }));
    }
    return { mark, steps, name };
  },
});

export const choresToolset = defineToolset({
  name: 'chores',
  title: 'Chores',
  tools: [doChore],
  settings,
  services: ({ settings: { effects, worker } }: AppHost<SettingsOf<typeof settings>>): Chores => ({
    // Synchronous, so that the line is there before anything else happens, and whole, however many processes append.
    note: (mark, step) => appendFileSync(effects, `${mark} ${step} ${worker}\n`),
  }),
});
