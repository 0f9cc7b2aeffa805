/** What stands before the tools on organizations, besides their grants: said once, for the tool and for another organization. */
import type { Caller } from '@parley/kit';
import { administratorsWithAll, isGranted, mayAdminister, ownersWithAll } from '@parley/kit';
import { MANAGEMENT } from './name.ts';

export const GUARDS = {
  ORGANIZATION_UPDATE: { available: administratorsWithAll },
  ORGANIZATION_DELETE: { privileged: true, unattended: 'block', available: ownersWithAll },
  ORGANIZATION_SETTINGS_UPDATE: {},
  ORGANIZATION_MEMBER_ADD: { unattended: 'block' },
  ORGANIZATION_MEMBER_UPDATE_ROLE: { unattended: 'block' },
  ORGANIZATION_MEMBER_REMOVE: { privileged: true, unattended: 'block' },
} as const;

/** A tool that takes the id of an organization. */
export type CrossingTool = keyof typeof GUARDS;

/** The same for routes, whose conditions are asked as they are written: with a key for the whole toolset. */
export const ORGANIZATION_UPDATE_GUARD = {
  name: 'ORGANIZATION_UPDATE',
  available: (_services: unknown, caller: Caller) =>
    mayAdminister(caller) && isGranted(caller.grants, MANAGEMENT, '*'),
};
