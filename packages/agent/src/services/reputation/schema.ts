/** The tables of reputation, as queries see them. */

/** The score of an agent as it was attested last. */
export interface ReputationRow {
  organization_id: string;
  agent_id: string;
  overall: number;
  /** As JSON. */
  components: string;
  computed_at: number;
  created_at: number;
  updated_at: number;
}

/** What counts against an agent's security. */
export type ViolationKind = 'blocked_address' | 'path_escape' | 'self_grant' | 'bad_signature';

/** Something about an agent that its score is made of. */
export interface ReputationEventRow {
  organization_id: string;
  agent_id: string;
  id: string;
  kind: ViolationKind | 'debit_refused';
  detail: string;
  created_at: number;
  updated_at: number;
}

/** What a person thinks of an agent; one row for each person. */
export interface ReviewRow {
  organization_id: string;
  agent_id: string;
  /** The id of a user. */
  reviewer: string;
  rating: number;
  created_at: number;
  updated_at: number;
}

/** A score that was signed. */
export interface AttestationRow {
  organization_id: string;
  agent_id: string;
  id: string;
  overall: number;
  level: string;
  /** As JSON. */
  components: string;
  computed_at: number;
  /** 1: the first of its day. */
  counted: number;
  /** Of the entry that was signed for it. */
  hash: string;
  seq: number;
  created_at: number;
  updated_at: number;
}

export interface ReputationTables {
  agent_reputation: ReputationRow;
  reputation_events: ReputationEventRow;
  agent_reviews: ReviewRow;
  reputation_attestations: AttestationRow;
}
