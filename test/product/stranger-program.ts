/** The real command line with the toolsets of a stranger: one line each. */
import { main } from '../../apps/server/src/index.ts';
import { lanternToolset } from './lantern/index.ts';

await main(process.argv.slice(2), [lanternToolset]);
