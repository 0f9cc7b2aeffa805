/** The table of the code of projects, as queries see it. */

/** Where the code of a project lies on this machine, and how it is checked. */
export interface ProjectCodeRow {
  project_id: string;
  organization_id: string;
  /** A real path. */
  folder: string;
  /** What the shell runs to see whether work on it is right. */
  check_command: string | null;
  /** What the shell runs first in a new worktree. */
  install_command: string | null;
  created_at: number;
  updated_at: number;
}

export interface ProjectTables {
  project_code: ProjectCodeRow;
}
