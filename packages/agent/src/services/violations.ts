/** What an agent did that its reputation has to know of; whoever keeps reputations is given it. */

export type Violation = 'path_escape' | 'blocked_address';

export type RecordViolation = (
  who: { readonly organizationId: string; readonly agentId: string },
  kind: Violation,
  detail: string,
) => Promise<void>;
