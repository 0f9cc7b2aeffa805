/** All management tools: what the modules here export. */
import { toolsIn } from '@parley/kit';
import * as connections from './connections.ts';
import * as users from './users.ts';
import * as virtualMcps from './virtual-mcps.ts';
import * as virtualTools from './virtual-tools.ts';

export const meshTools = toolsIn(connections, users, virtualMcps, virtualTools);
