/** All management tools: what the modules here export. */
import { toolsIn } from '@parley/kit';
import * as code from './code.ts';
import * as databases from './databases.ts';
import * as users from './users.ts';

export const meshTools = toolsIn(users, code, databases);
