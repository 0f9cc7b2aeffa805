/** The real command line with tools whose faults nobody catches. */
import { defineTool, defineToolset } from '@parley/kit';
import * as z from 'zod';
import { main } from '../../apps/server/src/index.ts';

const tool = (name: string, later: (text: string) => void) =>
  defineTool({
    name,
    title: 'Fail later',
    description: 'Fails after its answer.',
    effect: 'update',
    input: z.object({ text: z.string() }),
    output: z.object({ done: z.boolean() }),
    run({ text }) {
      setImmediate(() => later(text));
      return { done: true };
    },
  });

const uncaughtToolset = defineToolset({
  name: 'uncaught',
  title: 'Uncaught',
  tools: [
    tool('throw_later', (text) => {
      throw new Error(text);
    }),
    tool('reject_later', (text) => {
      // oxlint-disable-next-line typescript/no-floating-promises -- this is the fault that the test is about
      Promise.reject(new Error(text));
    }),
  ],
});

await main(process.argv.slice(2), [uncaughtToolset]);
