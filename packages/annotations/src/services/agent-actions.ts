/** What an agent does with a note: acknowledge, resolve, dismiss, reply. */
import type { Caller } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { toJson } from '@parley/store';
import type { AnnotationRow } from '../schema.ts';
import type { Annotation } from '../shapes.ts';
import { STATUSES } from '../shapes.ts';
import type { ActionParts, NewReply } from './transitions.ts';
import { act, lastReply } from './transitions.ts';

/** The actions of an agent. */
export interface AgentActions {
  acknowledge(caller: Caller, id: string, message?: string): Promise<Annotation>;
  resolve(caller: Caller, id: string, summary?: string): Promise<Annotation>;
  dismiss(caller: Caller, id: string, reason: string): Promise<Annotation>;
  reply(caller: Caller, id: string, message: string): Promise<Annotation>;
}

/** The words of an agent as a reply. */
export function agentReply(caller: Caller, message: string | undefined): NewReply | undefined {
  if (message === undefined || message.trim() === '') return undefined;
  return { author: 'agent', author_name: caller.name, message };
}

/** Creates the actions. */
export function createAgentActions(parts: ActionParts): AgentActions {
  const refOf = (caller: Caller, id: string) => ({ organizationId: caller.organizationId, id });

  const close = (caller: Caller, id: string, status: 'resolved' | 'dismissed', words: string | undefined) =>
    act(parts, refOf(caller, id), async (before, tx) => ({
      from: STATUSES,
      set: {
        status,
        resolved_by: 'agent',
        resolved_at: before.status === status ? before.resolved_at : parts.now(),
      },
      reply: await unlessRepeated(tx, before, status, agentReply(caller, words)),
    }));

  return {
    acknowledge: (caller, id, message) =>
      act(parts, refOf(caller, id), () => ({
        from: ['pending'],
        set: {
          status: 'acknowledged',
          acknowledged_by: toJson({ name: caller.name, source: caller.source }),
        },
        reply: agentReply(caller, message),
      })),
    resolve: (caller, id, summary) => close(caller, id, 'resolved', summary),
    dismiss: (caller, id, reason) => close(caller, id, 'dismissed', reason),
    reply: (caller, id, message) =>
      act(parts, refOf(caller, id), () => ({
        from: STATUSES,
        set: {},
        reply: agentReply(caller, message),
      })),
  };
}

/** Closing twice with the same words says them once. */
async function unlessRepeated(
  tx: StoreTransaction,
  before: AnnotationRow,
  status: string,
  reply: NewReply | undefined,
): Promise<NewReply | undefined> {
  if (reply === undefined || before.status !== status) return reply;
  const last = await lastReply(tx, before.id);
  return last?.author === 'agent' && last.message === reply.message ? undefined : reply;
}
