/** The table of the sessions of agents, as queries see it. */

/** One run of an agent, or the calls of one of its keys that follow each other closely. */
export interface SessionRow {
  id: string;
  organization_id: string;
  agent_id: string;
  /** Whose calls it holds together; null for a run. */
  caller_id: string | null;
  source: string;
  project_id: string | null;
  depth: number;
  unattended: number;
  started_at: number;
  /** When the timer ends it; null: it has none. */
  deadline_at: number | null;
  /** What the timer can be extended to at most. */
  latest_at: number | null;
  ended_at: number | null;
  created_at: number;
  /** When it was last seen to act, to the minute. */
  updated_at: number;
}

export interface SessionTables {
  agent_sessions: SessionRow;
}
