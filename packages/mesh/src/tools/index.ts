/** All management tools: what the modules here export. */
import { toolsIn } from '@parley/kit';
import * as events from './events.ts';
import * as users from './users.ts';

export const meshTools = toolsIn(events, users);
