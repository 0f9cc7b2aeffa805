/** Webhooks hear of everything that happens: who may manage them, the same for the route and the command. */
import type { Caller } from '@parley/kit';
import { isGranted, mayAdminister } from '@parley/kit';

/** The right that grants give, as `self:webhooks_manage`; `*:*` is needed besides. */
export const WEBHOOKS_MANAGE = 'webhooks_manage';

/** Owners and administrators who may do everything; never an agent. */
export function mayManageWebhooks(caller: Caller): boolean {
  return mayAdminister(caller) && caller.agent === undefined && isGranted(caller.grants, '*', '*');
}

export const WEBHOOKS_GUARD = {
  name: WEBHOOKS_MANAGE,
  available: (_services: unknown, caller: Caller) => mayManageWebhooks(caller),
};
