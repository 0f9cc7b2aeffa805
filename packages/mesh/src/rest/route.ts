/** What a handler of the management routes gets besides what was asked, and the `defineRoute` that gives it. */
import type { ConnectionAuth } from '@parley/connections';
import type { Events } from '@parley/events';
import { defineRouteFor } from '@parley/http/rest';
import type { Identity } from '@parley/identity';
import type { MeshServices } from '../services/index.ts';

export interface MeshScope {
  readonly services: MeshServices;
  readonly events: Events;
  readonly audit: Identity['audit'];
  readonly connectionAuth: ConnectionAuth;
}

export const defineRoute = defineRouteFor<MeshScope>();
