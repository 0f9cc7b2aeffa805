/** All management tools: what the modules here export. */
import { toolsIn } from '@parley/kit';
import * as apiKeys from './api-keys.ts';
import * as code from './code.ts';
import * as connections from './connections.ts';
import * as databases from './databases.ts';
import * as events from './events.ts';
import * as members from './members.ts';
import * as organizations from './organizations.ts';
import * as projects from './projects.ts';
import * as tags from './tags.ts';
import * as threads from './threads.ts';
import * as dashboards from './dashboards.ts';
import * as monitoring from './monitoring.ts';
import * as users from './users.ts';
import * as virtualMcps from './virtual-mcps.ts';
import * as virtualTools from './virtual-tools.ts';

export const meshTools = toolsIn(
  apiKeys,
  code,
  connections,
  dashboards,
  databases,
  events,
  members,
  monitoring,
  organizations,
  projects,
  tags,
  threads,
  users,
  virtualMcps,
  virtualTools,
);
