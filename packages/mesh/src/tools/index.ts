/** All management tools: what the modules here export. */
import { toolsIn } from '@parley/kit';
import * as dashboards from './dashboards.ts';
import * as monitoring from './monitoring.ts';
import * as users from './users.ts';

export const meshTools = toolsIn(dashboards, monitoring, users);
