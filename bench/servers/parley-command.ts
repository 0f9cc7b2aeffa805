/** The command line as it is shipped. */
import { main } from '../../apps/server/src/cli/main.ts';

await main(process.argv.slice(2));
