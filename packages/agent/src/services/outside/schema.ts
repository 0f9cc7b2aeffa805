/** The tables of what goes out and what comes in, as queries see them. */

/** One use of something that may be used so often: a search, a write to GitHub, a call of a remote agent. */
export interface UseRow {
  id: string;
  organization_id: string;
  kind: string;
  /** Whose use it is: an agent, its session, or a caller from outside. */
  subject: string;
  /** What was used, where that is limited too. */
  target: string;
  created_at: number;
  /** From then on it counts no more. */
  expires_at: number;
}

/** A task that a remote agent gave to an agent of this server. */
export interface RemoteTaskRow {
  id: string;
  organization_id: string;
  agent_id: string;
  /** Who gave it; nobody else can ask for it. */
  caller_id: string;
  message: string;
  skill: string | null;
  depth: number;
  timeout_ms: number;
  state: 'submitted' | 'working' | 'completed' | 'failed';
  reply: string | null;
  created_at: number;
  updated_at: number;
}

export interface OutsideTables {
  agent_uses: UseRow;
  agent_remote_tasks: RemoteTaskRow;
}
