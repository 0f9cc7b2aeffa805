/** Migrations of identity, in order. */
import type { MigrationSet } from '@parley/store';
import { createIdentity } from './001-identity.ts';
import { addPeople } from './002-people.ts';
import { addAgentKeys } from './004-agent-keys.ts';
import { addOrganizations } from './003-organizations.ts';
import { addAuditIndexes } from './005-audit-indexes.ts';
import { addSignIn } from './006-sign-in.ts';

/** Applied by the program that opens the store. */
export const identityMigrations: MigrationSet = {
  name: 'identity',
  migrations: {
    '001-identity': createIdentity,
    '002-people': addPeople,
    '003-organizations': addOrganizations,
    '004-agent-keys': addAgentKeys,
    '005-audit-indexes': addAuditIndexes,
    '006-sign-in': addSignIn,
  },
};
