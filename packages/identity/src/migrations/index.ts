/** Migrations of identity, in order. */
import type { MigrationSet } from '@parley/store';
import { createIdentity } from './001-identity.ts';

/** Applied by whoever opens the store. */
export const identityMigrations: MigrationSet = {
  name: 'identity',
  migrations: { '001-identity': createIdentity },
};
