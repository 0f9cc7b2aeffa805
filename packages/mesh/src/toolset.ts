/** The toolset `self`: the management tools over the services of this process. */
import type { Events } from '@parley/events';
import type { Identity } from '@parley/identity';
import type { Engine, Host } from '@parley/kit';
import { defineToolset } from '@parley/kit';
import type { Store } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import { meshMigrations } from './migrations/index.ts';
import { MANAGEMENT } from './name.ts';
import { createMeshServices } from './services/index.ts';
import { MEMBER_TOOLS } from './tools/member-tools.ts';
import { meshTools } from './tools/index.ts';

export type MeshHost = Host<{
  readonly store: Store;
  readonly identity: Identity;
  readonly events: Events;
  readonly tasks: TaskEngine;
  engine(): Engine;
}>;

export const meshToolset = defineToolset({
  name: MANAGEMENT,
  title: 'Management',
  tools: meshTools,
  roles: { member: MEMBER_TOOLS },
  migrations: meshMigrations,
  services: (host: MeshHost) => createMeshServices(host),
});
