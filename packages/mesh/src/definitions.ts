/** Who may approve definitions of tools of connections: the right that stands behind the route. */
import type { Caller } from '@parley/kit';
import { isGranted, mayAdminister } from '@parley/kit';
import { MANAGEMENT } from './name.ts';

/** The right that grants give, as part of all of `self`. */
export const DEFINITIONS_APPROVE = 'definitions_approve';

/** Owners and administrators whose key holds all of `self`; no agent agrees to what it is going to use. */
export const DEFINITIONS_GUARD = {
  name: DEFINITIONS_APPROVE,
  available: (_services: unknown, caller: Caller) =>
    mayAdminister(caller) && caller.agent === undefined && isGranted(caller.grants, MANAGEMENT, '*'),
};
