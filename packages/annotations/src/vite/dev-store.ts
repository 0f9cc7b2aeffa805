/** Owns opening a project's data folder inside its dev server, as `parley start` would on the same folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEvents, eventMigrations } from '@parley/events';
import { createIdentity, identityMigrations } from '@parley/identity';
import { createEgress } from '@parley/kit/egress';
import type { AllowedNames, RouteSet } from '@parley/http';
import { openStore } from '@parley/store';
import type { Store } from '@parley/store';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { annotationMigrations } from '../migrations/index.ts';
import { createOverlayScript } from '../overlay-script.ts';
import { createAnnotationRoutes } from '../routes.ts';
import { createAnnotationServices } from '../services/index.ts';

/** The browser link over a data folder, and the token that the project's pages show. */
export interface DevStore {
  readonly routes: RouteSet;
  readonly token: string;
  close(): Promise<void>;
}

/** Opens the folder, brings its tables up to date and makes its owner when there is none. */
export async function openDevStore(
  dataDir: string,
  names: AllowedNames,
  onFault: (error: unknown) => void,
): Promise<DevStore> {
  const store = await openStore({ dataDir, onError: onFault });
  try {
    await keepOutOfGit(dataDir);
    await store.migrate([identityMigrations, taskMigrations, eventMigrations, annotationMigrations]);
    const organizationId = await ownerOf(store, dataDir);
    // Never started: what happens here is written down, and a server on the folder delivers it.
    const tasks = createTaskEngine({ store, onFault });
    const egress = createEgress();
    const events = createEvents({ store, tasks, egress, onFault });
    const services = createAnnotationServices({ store, onFault, events });
    const routes = createAnnotationRoutes(services, { names, overlayScript: createOverlayScript() });
    return {
      routes,
      token: await services.pageTokens.show(organizationId),
      async close() {
        await routes.close();
        await services.close();
        await tasks.stop();
        await egress.close();
        await store.close();
      },
    };
  } catch (error) {
    // An open connection would keep the dev server from ending.
    await store.close();
    throw error;
  }
}

// The folder stands in a project that is committed, and it holds keys.
async function keepOutOfGit(dataDir: string): Promise<void> {
  const file = join(dataDir, '.gitignore');
  await writeFile(file, '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function ownerOf(store: Store, dataDir: string): Promise<string> {
  const identity = createIdentity(store);
  try {
    await identity.bootstrap(async (key) => {
      await mkdir(dataDir, { recursive: true, mode: 0o700 });
      await writeFile(join(dataDir, 'owner.key'), `${key}\n`, { mode: 0o600 });
    });
    return await identity.firstOrganizationId();
  } finally {
    identity.close();
  }
}
