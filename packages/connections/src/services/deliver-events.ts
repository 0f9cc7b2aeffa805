/** Events to connections: `ON_EVENTS` of their server is called for somebody who asked for them, with what they may use. */
import type { Deliver, DeliveryAnswer } from '@parley/events';
import type { Caller } from '@parley/kit';
import { withoutTexts } from '../secrets/without-secrets.ts';
import type { CallFailure, UpstreamAnswer } from '../upstream.ts';
import { targetOf } from './ask-upstream.ts';
import type { Base } from './base.ts';
import { actsAsAdministrator } from './rights.ts';
import { findRow } from './rows.ts';

const ON_EVENTS = 'ON_EVENTS';
// As long as a delivery waits.
const CALL_MS = 30_000;

export interface DeliverParts extends Pick<Base, 'store'> {
  readonly upstream: Pick<Base['upstream'], 'call'>;
  /** Somebody as they stand now; undefined when they are no member any more. */
  callerOf(organizationId: string, userId: string): Promise<Caller | undefined>;
}

export function createDeliver(parts: DeliverParts): Deliver {
  const { store, upstream } = parts;
  return async ({ organizationId, connectionId, createdBy }, events, signal) => {
    const row = await findRow(store, organizationId, connectionId);
    if (row === undefined) return { kind: 'declined', error: 'The connection was deleted.' };
    if (row.status === 'inactive') return { kind: 'unauthorized', error: 'The connection is inactive.' };
    const caller = await someoneOf(parts, organizationId, createdBy);
    if (caller === undefined)
      return { kind: 'declined', error: 'Whoever subscribed is no longer a member. Subscribe again.' };
    const target = await targetOf(parts, caller, row);
    if (target === undefined)
      return { kind: 'waiting', error: 'A virtual MCP is not called. It waits for EVENT_ACK.' };
    // Calling a program means starting it, which takes the same right as storing it.
    if (target.type === 'STDIO' && !actsAsAdministrator(caller))
      return { kind: 'declined', error: 'Only owners and administrators start STDIO connections.' };
    const by = { caller, signal, limitMs: CALL_MS };
    const answer = await upstream.call(target, ON_EVENTS, { events }, by);
    // What a server says of a failure is kept with the delivery.
    return answerOf(
      answer.ok
        ? { ...answer, data: withoutTexts(answer.data, target.secrets) }
        : { ...answer, message: withoutTexts(answer.message, target.secrets) },
    );
  };
}

/** The first of them who is still a member. */
async function someoneOf(
  { callerOf }: DeliverParts,
  organizationId: string,
  userIds: readonly string[],
): Promise<Caller | undefined> {
  for (const userId of userIds) {
    const caller = await callerOf(organizationId, userId);
    if (caller !== undefined) return caller;
  }
  return undefined;
}

function answerOf(outcome: UpstreamAnswer | CallFailure): DeliveryAnswer {
  if (!outcome.ok) {
    const kind = outcome.status === 'auth_required' ? 'unauthorized' : 'failed';
    return { kind, error: outcome.message };
  }
  if (outcome.outcome === 'answered') return { kind: 'answered', answer: outcome.data };
  if (outcome.outcome === 'failed') return { kind: 'failed', error: `${ON_EVENTS} of the server failed.` };
  return { kind: 'declined', error: `The server has no tool ${ON_EVENTS}.` };
}
