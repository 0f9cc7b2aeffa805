/** Who Parley says it is. */
import type { ServerInfo } from '@parley/kit';
import manifest from '../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;

/** What every result carries as server information. */
export const SERVER_INFO: ServerInfo = { name: 'parley', version: VERSION };
