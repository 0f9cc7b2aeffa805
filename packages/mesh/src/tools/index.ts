/** All management tools: what the modules here export. */
import { toolsIn } from '@parley/kit';
import * as apiKeys from './api-keys.ts';
import * as members from './members.ts';
import * as organizations from './organizations.ts';
import * as users from './users.ts';

export const meshTools = toolsIn(apiKeys, members, organizations, users);
