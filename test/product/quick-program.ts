/** Parley with a toolset of its own: plain, with a condition in code, or with names that Parley has already. */
import { defineTool, defineToolset } from '@parley/kit';
import * as z from 'zod';
import { main } from '../../apps/server/src/index.ts';

const tool = (name: string) => ({
  name,
  title: name,
  description: `The tool ${name}.`,
  effect: 'read' as const,
  input: z.object({ text: z.string().max(10).describe('Comes back') }),
  output: z.object({ text: z.string() }),
  run: ({ text }: { text: string }) => ({ text }),
});

const TOOLSETS = {
  plain: { tools: [defineTool(tool('extra'))] },
  conditional: {
    tools: [
      defineTool({ ...tool('extra_on'), available: () => true }),
      defineTool({ ...tool('extra_off'), available: () => false }),
    ],
  },
  taken: { tools: [defineTool(tool('parley_whoami'))] },
  twice: { name: 'parley', tools: [defineTool(tool('extra'))] },
  broken: {
    tools: [defineTool(tool('extra'))],
    services(): unknown {
      throw new Error('The lamp is missing.');
    },
  },
};

const [kind = 'plain', ...args] = process.argv.slice(2);
// The test names one of the keys above.
const spec = TOOLSETS[kind as keyof typeof TOOLSETS];
await main(args, [defineToolset({ name: 'extra', title: 'Extra', ...spec })]);
