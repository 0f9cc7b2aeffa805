/** What the management tools stand on: one service for each noun. */
import type { CloudEvent } from '@parley/events';
import { createNewestEvents } from '../resources.ts';
import type { MeshHost } from '../toolset.ts';
import type { EventBus } from './event-bus.ts';
import { createEventBus } from './event-bus.ts';
import type { People } from './people.ts';
import { createPeople } from './people.ts';

export interface MeshServices {
  readonly people: People;
  readonly eventBus: EventBus;
  /** The newest events of a type or pattern, the newest first. */
  newestEvents(organizationId: string, type: string): Promise<CloudEvent[]>;
}

/** Builds the services over the base of this process. */
export function createMeshServices(host: Pick<MeshHost, 'store' | 'identity' | 'events'>): MeshServices {
  return {
    people: createPeople(host.identity),
    // Connections are rows to come; until then an organization has the one that stands for itself.
    eventBus: createEventBus({ events: host.events, hasConnection: async () => false }),
    newestEvents: createNewestEvents(host.events),
  };
}
