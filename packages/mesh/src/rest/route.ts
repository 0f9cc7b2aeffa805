/** What a handler of the management routes gets besides what was asked, and the `defineRoute` that gives it. */
import type { ConnectionAuth } from '@parley/connections';
import type { Events } from '@parley/events';
import { defineRouteFor } from '@parley/http/rest';
import type { Identity } from '@parley/identity';
import type { Store } from '@parley/store';
import type { MeshServices } from '../services/index.ts';
import type { ConnectionHealth, VirtualMcpDesk } from '../services/served-connections.ts';

export interface MeshScope {
  readonly services: MeshServices;
  readonly events: Events;
  readonly identity: Identity;
  readonly audit: Identity['audit'];
  readonly connectionAuth: ConnectionAuth;
  readonly store: Store;
  readonly connectionHealth?: ConnectionHealth | undefined;
  readonly virtualMcps?: VirtualMcpDesk | undefined;
}

export const defineRoute = defineRouteFor<MeshScope>();
