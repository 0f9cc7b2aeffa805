/** What people of the team do with notes of every page of their organization, in the name of the person who annotates. */
import type { AnnotationRow } from '../schema.ts';
import type { Annotation } from '../shapes.ts';
import { STATUSES } from '../shapes.ts';
import type { DiffAnswer, DiffVerdict } from './diffs.ts';
import { REOPENED } from './lapse.ts';
import type { ActionParts } from './transitions.ts';
import { act } from './transitions.ts';

/** Somebody of the team. */
export interface Teammate {
  readonly organizationId: string;
  readonly name: string;
}

export interface TeamActions {
  /** Agents hear it as the word of a person. */
  reply(
    by: Teammate,
    id: string,
    message: string,
    options?: { readonly reopen?: boolean },
  ): Promise<Annotation>;
  resolve(by: Teammate, id: string, summary?: string): Promise<Annotation>;
  dismiss(by: Teammate, id: string, reason?: string): Promise<Annotation>;
  reopen(by: Teammate, id: string): Promise<Annotation>;
  answerDiff(by: Teammate, response: DiffAnswer['status'], verdict: DiffVerdict): Promise<Annotation>;
}

export function createTeamActions(parts: ActionParts): TeamActions {
  const refOf = ({ organizationId }: Teammate, id: string) => ({ organizationId, id });
  const said = ({ name }: Teammate, message: string | undefined) =>
    message === undefined || message.trim() === ''
      ? []
      : [{ author: 'user' as const, author_name: name, message }];
  const closed = (status: 'resolved' | 'dismissed'): Partial<AnnotationRow> => ({
    status,
    lease_until: null,
    resolved_by: 'user',
    resolved_at: parts.now(),
  });
  const open = STATUSES.filter((status) => status !== 'resolved' && status !== 'dismissed');
  return {
    reply: (by, id, message, { reopen = false } = {}) =>
      act(parts, refOf(by, id), (before) => ({
        from: STATUSES,
        set: reopen && before.status !== 'pending' ? REOPENED : {},
        replies: said(by, message),
      })),
    resolve: (by, id, summary) =>
      act(parts, refOf(by, id), () => ({ from: open, set: closed('resolved'), replies: said(by, summary) })),
    dismiss: (by, id, reason) =>
      act(parts, refOf(by, id), () => ({ from: open, set: closed('dismissed'), replies: said(by, reason) })),
    reopen: (by, id) =>
      act(parts, refOf(by, id), () => ({
        from: STATUSES.filter((status) => status !== 'pending'),
        set: REOPENED,
      })),
    answerDiff: (by, response, { id, revision, message }) =>
      act(parts, refOf(by, id), (before) => ({
        from: ['diff_proposed'],
        revision,
        set: { status: 'acknowledged', diff_response: response, diff_words: message?.trim() || null },
        replies: said(by, message),
        refusal:
          before.status === 'diff_proposed'
            ? 'This diff was replaced by a newer one. Look at the new one and answer that.'
            : `No diff of this annotation waits for an answer; it is ${before.status}.`,
      })),
  };
}
