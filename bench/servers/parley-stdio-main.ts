/** `parley mcp` with the bench tools, on an existing data folder. */
import { parseArgs } from 'node:util';
import { main } from '../../apps/server/src/cli/main.ts';
import { benchToolset } from './parley-toolset.ts';

const { values } = parseArgs({
  strict: false,
  options: { tools: { type: 'string' }, data: { type: 'string' } },
});

await main(['mcp', 'bench', '--init', '--data', String(values.data)], [benchToolset(Number(values.tools))]);
