/** All management tools: what the modules here export. */
import { toolsIn } from '@parley/kit';
import * as projects from './projects.ts';
import * as tags from './tags.ts';
import * as threads from './threads.ts';
import * as users from './users.ts';

export const meshTools = toolsIn(projects, tags, threads, users);
