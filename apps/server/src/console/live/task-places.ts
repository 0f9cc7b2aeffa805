/** Where tasks belong: signals of tasks carry their id alone. */
import type { Store } from '@parley/store';
import { placesOfTasks } from '@parley/tasks';
import type { Happening } from './topics.ts';
import { topicsOfKind } from './topics.ts';

/** What has changed when these tasks have. */
export async function whereTasksBelong(store: Store, ids: readonly string[]): Promise<Happening[]> {
  const places = await placesOfTasks(store, ids);
  return places.flatMap(({ id, organizationId, ownerId, kind }): Happening[] => [
    { topic: 'tasks', id, organizationId, ownerId },
    ...topicsOfKind(kind).map((topic) => ({ topic, id: null, organizationId })),
  ]);
}
