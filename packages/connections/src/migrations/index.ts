/** The migrations of connections, in order. */
import type { MigrationSet } from '@parley/store';
import type { ConnectionTables } from '../schema.ts';
import { seedSelfConnection } from '../self-connection.ts';
import { createConnections } from './001-connections.ts';
import { seedSelfConnections } from './002-self-connections.ts';
import { indexTexts } from './003-search.ts';
import { addGateway } from './004-gateway.ts';
import { createCredentials } from './005-credentials.ts';
import { extendVirtualMcps } from './006-virtual.ts';
import { rememberUsedIds } from './007-used-ids.ts';
import { keepAuthTrails } from './008-auth-trails.ts';

/** What the store applies for connections. */
export const connectionMigrations: MigrationSet = {
  name: 'connections',
  seed: seedSelfConnection,
  async clear(tx, organizationId, { databases }) {
    const rows = await tx
      .db<ConnectionTables>()
      .selectFrom('connections')
      .select('id')
      .where('organization_id', '=', organizationId)
      .execute();
    await databases.forget(
      tx,
      organizationId,
      rows.map(({ id }) => id),
    );
  },
  migrations: {
    '001-connections': createConnections,
    '002-self-connections': seedSelfConnections,
    '003-search': indexTexts,
    '004-gateway': addGateway,
    '005-credentials': createCredentials,
    '006-virtual': extendVirtualMcps,
    '007-used-ids': rememberUsedIds,
    '008-auth-trails': keepAuthTrails,
  },
};
