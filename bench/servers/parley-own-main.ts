/** `parley mcp` as it is shipped, on an existing data folder. */
import { main } from '../../apps/server/src/cli/main.ts';

await main(['mcp', '--init', ...process.argv.slice(2)]);
