/** What the management tools stand on: one service for each noun. */
import type { MeshHost } from '../toolset.ts';
import type { People } from './people.ts';
import { createPeople } from './people.ts';
import type { FindConnections } from './plugin-configs.ts';
import type { Projects } from './projects.ts';
import { createProjects } from './projects.ts';
import type { Tags } from './tags.ts';
import { createTags } from './tags.ts';
import type { Threads } from './threads.ts';
import { createThreads } from './threads.ts';

export interface MeshServices {
  readonly people: People;
  readonly projects: Projects;
  readonly tags: Tags;
  readonly threads: Threads;
}

/** What a test may choose. */
export interface MeshOptions {
  readonly now?: () => number;
  readonly findConnections?: FindConnections;
}

/** Builds the services over the base of this process. */
export function createMeshServices(
  { store, identity }: Pick<MeshHost, 'store' | 'identity'>,
  { now = Date.now, findConnections = async () => [] }: MeshOptions = {},
): MeshServices {
  return {
    people: createPeople(identity),
    projects: createProjects(store, { now, findConnections }),
    tags: createTags(store, now),
    threads: createThreads(store, now),
  };
}
