/** The tables of feedback, as queries see them. Times are milliseconds since the epoch. */
import type { Generated, GeneratedAlways } from 'kysely';

/** One row per organization that has used feedback. */
export interface SettingsRow {
  organization_id: string;
  /** 1 when the owner has switched the public pages on. */
  is_published: number;
  /** What the public pages call themselves; null: as the organization. */
  site_name: Generated<string | null>;
  /** `#RRGGBB`; null: the usual one. */
  accent_color: Generated<string | null>;
  created_at: number;
}

/** A picture of the public pages. */
export interface SiteImageRow {
  organization_id: string;
  kind: 'logo' | 'favicon';
  /** Its media type. */
  type: string;
  /** Base64. */
  data: string;
  /** Changes with what is in it. */
  version: string;
}

/** When somebody of the team last looked at a post. */
export interface ReadRow {
  organization_id: string;
  member_id: string;
  post_id: string;
  seen_at: number;
}

/** Up to when somebody of the team has read everything. */
export interface ReadMarkRow {
  organization_id: string;
  member_id: string;
  read_before: number;
}

/** A file that somebody imports over REST. */
export interface UploadRow {
  organization_id: string;
  id: string;
  file_name: string;
  size_bytes: number;
  state: 'uploading' | 'ready' | 'running' | 'checked' | 'done' | 'failed' | 'stopped';
  /** What the last run was asked, as JSON. */
  options: string;
  /** What came of the last run, as JSON. */
  report: string | null;
  /** Why the last run ended early. */
  fault: string | null;
  rows_done: Generated<number>;
  rows_total: Generated<number>;
  task_id: string | null;
  task_owner_id: string | null;
  user_id: string;
  created_at: number;
  updated_at: number;
}

/** A piece of such a file. */
export interface UploadPartRow {
  organization_id: string;
  import_id: string;
  number: number;
  size_bytes: number;
  /** Base64. */
  data: string;
}

export interface BoardRow {
  organization_id: string;
  id: string;
  name: string;
  slug: string;
  description: string | null;
  is_public: number;
  settings: string;
  position: Generated<number>;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

export interface StatusRow {
  organization_id: string;
  id: string;
  name: string;
  slug: string;
  color: string;
  category: 'active' | 'complete' | 'closed';
  position: number;
  show_on_roadmap: number;
  is_default: number;
  created_at: number;
}

export interface TagRow {
  organization_id: string;
  id: string;
  name: string;
  /** The name as it is compared: without case. */
  name_key: string;
  color: string;
  created_at: number;
}

/** Whether a post is in lists; follows from the other columns. */
export type PostState = 'listed' | 'hidden' | 'deleted';

export interface PostRow {
  /** The row number that the full-text index refers to. */
  seq: Generated<number>;
  organization_id: string;
  id: string;
  board_id: string;
  status_id: string;
  title: string;
  content: string;
  content_json: string | null;
  author_member_id: string;
  author_user_id: string;
  agent_name: string | null;
  owner_member_id: string | null;
  vote_count: number;
  /** Those of the count that came with an import and belong to nobody here; duplicates have their own. */
  imported_votes: Generated<number>;
  comment_count: number;
  /** The highest vote threshold that was announced. */
  vote_threshold: number;
  official_response: string | null;
  official_response_user_id: string | null;
  official_response_at: number | null;
  pinned_comment_id: string | null;
  merged_into_id: string | null;
  moderation: 'published' | 'pending' | 'spam' | 'archived';
  state: GeneratedAlways<PostState>;
  /** Title and content as plain words, for the index. */
  search_title: string;
  search_content: string;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

export interface PostTagRow {
  organization_id: string;
  post_id: string;
  tag_id: string;
}

/** How many posts there are per board, status and state; kept by triggers. */
export interface PostCountRow {
  organization_id: string;
  board_id: string;
  status_id: string;
  state: PostState;
  posts: number;
}

export interface CommentRow {
  organization_id: string;
  id: string;
  post_id: string;
  parent_id: string | null;
  content: string;
  author_member_id: string;
  author_user_id: string;
  agent_name: string | null;
  is_team_member: number;
  is_private: number;
  created_at: number;
  edited_at: number | null;
  deleted_at: number | null;
}

export interface VoteRow {
  organization_id: string;
  id: string;
  post_id: string;
  member_id: string;
  /** The merged post that this vote came from; '' for a vote of the post's own. */
  via_post_id: string;
  /** Where a vote on behalf of somebody came from. */
  source: string | null;
  /** Who voted on behalf of the member. */
  proxy_member_id: string | null;
  created_at: number;
}

export interface ReactionRow {
  organization_id: string;
  id: string;
  comment_id: string;
  member_id: string;
  emoji: string;
  created_at: number;
}

export interface RoadmapRow {
  organization_id: string;
  id: string;
  name: string;
  slug: string;
  description: string | null;
  is_public: number;
  position: number;
  created_at: number;
  updated_at: number;
}

export interface RoadmapPostRow {
  organization_id: string;
  roadmap_id: string;
  post_id: string;
  position: number;
  created_at: number;
}

export interface ChangelogRow {
  organization_id: string;
  id: string;
  title: string;
  content: string;
  author_user_id: string;
  published_at: number | null;
  /** When its publication was announced; null until then. */
  announced_at: number | null;
  /** A JSON list of words. */
  labels: Generated<string>;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

export interface ChangelogPostRow {
  organization_id: string;
  changelog_id: string;
  post_id: string;
  position: number;
}

export interface ActivityRow {
  organization_id: string;
  id: string;
  post_id: string;
  member_id: string;
  user_id: string;
  agent_name: string | null;
  action: string;
  from_value: string | null;
  to_value: string | null;
  created_at: number;
}

export interface SubscriptionRow {
  organization_id: string;
  id: string;
  post_id: string;
  member_id: string;
  reason: 'author' | 'comment' | 'vote' | 'manual';
  created_at: number;
}

/** A row of a file that an import has made a post from. */
export interface ImportRow {
  organization_id: string;
  /** The file and what was asked of it. */
  import_key: string;
  row_number: number;
  post_id: string;
}

/** An archive that was, or is being, imported into the organization. */
export interface ArchiveRow {
  organization_id: string;
  import_key: string;
  /** The number of the last line that is written. */
  lines_done: number;
  created_at: number;
  finished_at: number | null;
}

/** Who somebody of an archive is in the organization. */
export interface ArchivePersonRow {
  organization_id: string;
  import_key: string;
  source_id: string;
  target_id: string;
}

export interface FeedbackTables {
  feedback_settings: SettingsRow;
  feedback_site_images: SiteImageRow;
  feedback_reads: ReadRow;
  feedback_read_marks: ReadMarkRow;
  feedback_imports: UploadRow;
  feedback_import_parts: UploadPartRow;
  feedback_boards: BoardRow;
  feedback_statuses: StatusRow;
  feedback_tags: TagRow;
  feedback_posts: PostRow;
  feedback_post_tags: PostTagRow;
  feedback_post_counts: PostCountRow;
  feedback_comments: CommentRow;
  feedback_votes: VoteRow;
  feedback_reactions: ReactionRow;
  feedback_roadmaps: RoadmapRow;
  feedback_roadmap_posts: RoadmapPostRow;
  feedback_changelog: ChangelogRow;
  feedback_changelog_posts: ChangelogPostRow;
  feedback_activity: ActivityRow;
  feedback_subscriptions: SubscriptionRow;
  feedback_import_rows: ImportRow;
  feedback_archives: ArchiveRow;
  feedback_archive_people: ArchivePersonRow;
}
