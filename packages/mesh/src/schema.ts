/** The tables of the mesh, as queries see them. */

/** What people work on together; every organization has `org-admin`. */
export interface ProjectRow {
  id: string;
  organization_id: string;
  slug: string;
  name: string;
  description: string | null;
  enabled_plugins: string | null;
  ui: string | null;
  created_at: number;
  updated_at: number;
}

/** How a plugin is set up in a project. */
export interface PluginConfigRow {
  id: string;
  organization_id: string;
  project_id: string;
  plugin_id: string;
  connection_id: string | null;
  /** Sealed, since plugins keep their keys there. */
  settings: string | null;
  created_at: number;
  updated_at: number;
}

/** A conversation of one person. */
export interface ThreadRow {
  organization_id: string;
  user_id: string;
  id: string;
  title: string;
  description: string | null;
  hidden: 0 | 1;
  status: ThreadStatus;
  created_at: number;
  updated_at: number;
  created_by: string;
  updated_by: string | null;
}

/** How far the newest answer of a thread is. */
export type ThreadStatus = 'in_progress' | 'requires_action' | 'failed' | 'completed';

/** One message of a thread. */
export interface ThreadMessageRow {
  organization_id: string;
  user_id: string;
  id: string;
  thread_id: string;
  role: 'user' | 'assistant' | 'system';
  parts: string;
  metadata: string | null;
  created_at: number;
  updated_at: number;
}

/** A word that members are marked with. */
export interface TagRow {
  id: string;
  organization_id: string;
  name: string;
  /** The name as it is compared: without case. */
  name_key: string;
  created_at: number;
}

/** A tag on a member. */
export interface MemberTagRow {
  id: string;
  organization_id: string;
  member_id: string;
  tag_id: string;
}

export interface MeshTables {
  projects: ProjectRow;
  project_plugin_configs: PluginConfigRow;
  threads: ThreadRow;
  thread_messages: ThreadMessageRow;
  organization_tags: TagRow;
  member_tags: MemberTagRow;
}
