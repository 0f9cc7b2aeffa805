/** Proposed diffs: an agent proposes, the person answers, and the answer belongs to the proposal it was given for. */
import { ToolError } from '@parley/kit';
import type { AnnotationRow, AnnotationTables } from '../schema.ts';
import type { Annotation, PageAnnotation } from '../shapes.ts';
import { agentReply, heldBy, refOf, refuseOthers } from './agent-actions.ts';
import type { Agent } from './holder.ts';
import type { Leases } from './leases.ts';
import type { ActingSession } from './person-actions.ts';
import { findNote } from './reading.ts';
import type { ActionParts } from './transitions.ts';
import { act, actOfPage, noteNotFound } from './transitions.ts';
import { waitFor } from './wait-for.ts';
import type { WatchEnd } from './watch.ts';

/** What came of a proposal. */
export interface DiffAnswer {
  readonly status: 'approved' | 'rejected';
  readonly message?: string;
}

/** An answer of the person to one proposal. */
export interface DiffVerdict {
  readonly id: string;
  readonly revision: number;
  readonly message?: string | undefined;
}

/** Proposals and their answers. */
export interface Diffs {
  propose(agent: Agent, id: string, diff: string, message?: string): Promise<Annotation>;
  answer(
    session: ActingSession,
    response: DiffAnswer['status'],
    verdict: DiffVerdict,
  ): Promise<PageAnnotation>;
  /** The answer, as soon as there is one; undefined after the time. */
  watch(agent: Agent, id: string, options: WatchEnd): Promise<DiffAnswer | undefined>;
}

/** True when the text has a file header or a hunk as `diff -u` and git write them, and at least one changed line. */
export function isUnifiedDiff(text: string): boolean {
  const lines = text.split(/\r?\n/);
  const hunk = lines.findIndex((line) => /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/.test(line));
  if (hunk === -1) return false;
  return lines.slice(hunk + 1).some((line) => /^[+-]/.test(line) && !/^(\+\+\+|---) /.test(line));
}

export function createDiffs(parts: ActionParts, leases: Leases, stopping: AbortSignal): Diffs {
  return {
    async propose(agent, id, diff, message) {
      if (!isUnifiedDiff(diff)) {
        throw new ToolError(
          'invalid',
          'diff: must be a unified diff, with a hunk header such as "@@ -1,3 +1,4 @@" and changed lines',
        );
      }
      const proposed = await act(parts, refOf(agent, id), async (before, tx) => {
        refuseOthers(before, agent);
        const session = await tx
          .db<AnnotationTables>()
          .selectFrom('annotation_sessions')
          .select('auto_approve')
          .where('id', '=', before.session_id)
          .executeTakeFirst();
        const isApproved = session?.auto_approve === 1;
        return {
          from: ['pending', 'acknowledged', 'diff_proposed'],
          set: {
            ...heldBy(agent, before, leases.until()),
            status: isApproved ? 'acknowledged' : 'diff_proposed',
            diff,
            diff_revision: before.diff_revision + 1,
            diff_response: isApproved ? 'approved' : null,
            diff_words: null,
          },
          replies: [agentReply(agent, message)],
        };
      });
      leases.tie(agent);
      return proposed;
    },

    answer(session, response, { id, revision, message }) {
      const ref = { organizationId: session.organization_id, sessionId: session.id, id };
      return actOfPage(parts, ref, (before) => {
        const words = message === undefined || message.trim() === '' ? null : message;
        return {
          from: ['diff_proposed'],
          revision,
          set: { status: 'acknowledged', diff_response: response, diff_words: words },
          replies: words === null ? [] : [{ author: 'user', author_name: null, message: words }],
          refusal:
            before.status === 'diff_proposed'
              ? 'This diff was replaced by a newer one. Look at the new one and answer that.'
              : `No diff of this annotation waits for an answer; it is ${before.status}.`,
        };
      });
    },

    watch: (agent, id, options) =>
      waitFor({
        ...options,
        stopping,
        held: (waiting) => parts.changes.held(waiting),
        arm: (wake) =>
          parts.changes.listen((change) => {
            const isOther =
              change.kind === 'notes'
                ? change.ids !== undefined && !change.ids.includes(id)
                : change.kind !== 'all';
            if (!isOther) wake();
          }),
        check: async () => answerOf(await findNote(parts.store, agent.organizationId, id), id),
      }),
  };
}

function answerOf(row: AnnotationRow | undefined, id: string): DiffAnswer | undefined {
  if (row === undefined) throw noteNotFound(id);
  if (row.diff === null)
    throw new ToolError(
      'conflict',
      'No diff was proposed for this annotation. Call propose_diff before waiting for the answer.',
    );
  if (row.diff_response !== null) {
    return { status: row.diff_response, ...(row.diff_words !== null && { message: row.diff_words }) };
  }
  if (row.status === 'diff_proposed') return undefined;
  throw new ToolError('conflict', `Nobody will answer this diff: the annotation is now ${row.status}.`);
}
