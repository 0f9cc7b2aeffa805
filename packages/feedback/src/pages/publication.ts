/** The switch of the public pages, for commands that have no services of their own. */
import type { Caller } from '@parley/kit';
import { actorOf } from '../actor.ts';
import type { Settings } from '../shapes/inbox.ts';
import { guarded } from '../services/guard.ts';
import { createSettings } from '../services/people/settings.ts';
import { createSetup } from '../services/people/setup.ts';
import { WHO_MAY } from '../services/who-may.ts';
import type { Base } from '../services/write.ts';

/** Switches the pages of the caller's organization on or off; for administrators. */
export async function publishPages(
  parts: Omit<Base, 'now'>,
  caller: Caller,
  isPublished: boolean,
): Promise<Settings> {
  const { store, identity, events, tasks } = parts;
  const now = () => store.now();
  const base: Base = { store, identity, events, tasks, now };
  const settings = guarded(WHO_MAY.settings, createSettings(base, createSetup(store, now)));
  return settings.update(await actorOf(identity, caller), { isPublished });
}
