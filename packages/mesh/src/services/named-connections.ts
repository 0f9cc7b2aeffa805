/** Who may act for connections that they name, instead of for the one that their key is bound to. */
import type { Caller } from '@parley/kit';
import { isGranted, mayAdminister } from '@parley/kit';
import { MANAGEMENT } from '../name.ts';

/** Owners and administrators, with a key only when it may do everything here. */
export function mayNameConnections(caller: Caller): boolean {
  return mayAdminister(caller) && isGranted(caller.grants, MANAGEMENT, '*');
}
