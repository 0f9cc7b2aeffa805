/** The real command line with the tools of the tasks lab. */
import { main } from '../../apps/server/src/index.ts';
import { labToolset } from './tasks-lab.ts';

await main(process.argv.slice(2), [labToolset]);
