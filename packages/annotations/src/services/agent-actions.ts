/** What an agent does with a note: acknowledge, resolve, dismiss, reply. */
import { ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { toJson } from '@parley/store';
import type { AnnotationRow } from '../schema.ts';
import type { Annotation } from '../shapes.ts';
import { STATUSES } from '../shapes.ts';
import type { Agent } from './holder.ts';
import {
  HELD,
  holderName,
  holderOf,
  isElsewhere,
  isHeld,
  isHolder,
  isHolderKnown,
  nameOf,
} from './holder.ts';
import type { Leases } from './leases.ts';
import type { NewReply } from './thread.ts';
import { lastReply } from './thread.ts';
import type { ActionParts, NoteRef, Step } from './transitions.ts';
import { act } from './transitions.ts';
import { refuseUnseen, tellUnseen } from './words.ts';

/** How a note is taken up. */
export interface Taking {
  /** Also a note that another agent holds. */
  readonly takeover?: boolean;
}

export interface AgentActions {
  acknowledge(agent: Agent, id: string, message?: string, taking?: Taking): Promise<Annotation>;
  resolve(agent: Agent, id: string, summary?: string): Promise<Annotation>;
  dismiss(agent: Agent, id: string, reason: string): Promise<Annotation>;
  reply(agent: Agent, id: string, message: string): Promise<Annotation>;
}

/** The note that an agent acts on. */
export function refOf(agent: Agent, id: string): NoteRef {
  return { organizationId: agent.organizationId, id, agent };
}

/** The words of an agent as a reply. */
export function agentReply(agent: Agent, message: string | undefined): NewReply | undefined {
  if (message === undefined || message.trim() === '') return undefined;
  return { author: 'agent', author_name: nameOf(agent), message };
}

/** What makes an agent the holder of a note. */
export function heldBy(agent: Agent, before: AnnotationRow, leaseUntil: number): Partial<AnnotationRow> {
  return {
    ...holderOf(agent),
    acknowledged_by: toJson({ name: nameOf(agent), source: agent.source }),
    lease_until: leaseUntil,
    // Another agent's reading is not this one's.
    ...(!isHolder(before, agent) && { shown_replies: 0 }),
  };
}

/** Leaves the note of another agent alone. */
export function refuseOthers(before: AnnotationRow, agent: Agent): void {
  if (!isHeld(before) || !isHolderKnown(before) || isHolder(before, agent)) return;
  throw new ToolError(
    'conflict',
    isElsewhere(before, agent)
      ? 'Another connection of your key and client holds this annotation. If that is gone, take it over: acknowledge with takeover: true.'
      : `${holderName(before)} holds this annotation. Leave it to that agent, or take it over first: acknowledge with takeover: true.`,
  );
}

export function createAgentActions(parts: ActionParts, leases: Leases): AgentActions {
  const close = (agent: Agent, id: string, status: 'resolved' | 'dismissed', words: string | undefined) =>
    tellUnseen(
      parts.store,
      agent,
      id,
      act(parts, refOf(agent, id), async (before, tx) => {
        refuseOthers(before, agent);
        await refuseUnseen(tx, before, agent);
        const said = [await unlessRepeated(tx, before, status, agentReply(agent, words))];
        const isOpen = before.status !== 'resolved' && before.status !== 'dismissed';
        return {
          from: STATUSES,
          set: {
            status,
            lease_until: null,
            resolved_by: 'agent',
            resolved_at: before.status === status ? before.resolved_at : parts.now(),
          },
          // A full thread can be ended, but not gone on with by ending it again and again.
          ...(isOpen ? { notices: said } : { replies: said }),
        };
      }),
    );

  return {
    async acknowledge(agent, id, message, { takeover = false } = {}) {
      const taken = await act(parts, refOf(agent, id), (before) => {
        const step = takeover && isHeld(before) ? takingOver(agent, before) : takingUp(before, agent);
        const set = { ...heldBy(agent, before, leases.until()), ...step.set };
        return { ...step, set, replies: [agentReply(agent, message)] };
      });
      leases.tie(agent);
      return taken;
    },
    resolve: (agent, id, summary) => close(agent, id, 'resolved', summary),
    dismiss: (agent, id, reason) => close(agent, id, 'dismissed', reason),
    reply: (agent, id, message) =>
      act(parts, refOf(agent, id), () => ({
        from: STATUSES,
        set: {},
        replies: [agentReply(agent, message)],
      })),
  };
}

function takingUp(before: AnnotationRow, agent: Agent): Step {
  const status = `This annotation is already ${before.status}`;
  // Two clients of the same name and key may look alike, so "yours" is never said for certain.
  const rest = isHolder(before, agent)
    ? 'If that was not you, go on with another.'
    : 'Go on with another; acknowledge with takeover: true only when that agent is gone.';
  return {
    from: ['pending'],
    set: { status: 'acknowledged' },
    refusal: isHeld(before)
      ? `${status} by ${holderName(before)}. ${rest}`
      : `${status}. Only the person can reopen it.`,
  };
}

/** A proposal stays, so that the person's answer to it finds the new holder. */
function takingOver(agent: Agent, before: AnnotationRow): Step {
  const said = `Took this note over from ${holderName(before)}.`;
  return { from: HELD, set: {}, notices: isHolder(before, agent) ? [] : [agentReply(agent, said)] };
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
