/** The tables of annotations, as queries see them. */
import type { AnnotationStatus } from './shapes.ts';

/** A token that lets the pages of one project speak the browser link. */
export interface PageTokenRow {
  id: string;
  organization_id: string;
  project_id: string;
  hash: string;
  /** Sealed, so that the owner's own start command can print the tag again. */
  sealed: string;
  /** JSON list; empty: loopback pages and the configured origins. */
  allowed_origins: string;
  revoked_at: number | null;
  created_at: number;
}

/** One browser tab. */
export interface SessionRow {
  id: string;
  organization_id: string;
  project_id: string;
  page_token_id: string;
  token_hash: string;
  origin: string;
  url: string;
  title: string;
  viewport: string;
  user_agent: string;
  framework: string;
  auto_approve: number;
  last_number: number;
  created_at: number;
  last_seen_at: number;
  /** The session is active until then; connections push it forward. */
  live_until: number;
}

/** One annotation; `captured` is JSON that is written once. */
export interface AnnotationRow {
  id: string;
  organization_id: string;
  session_id: string;
  client_id: string;
  number: number;
  status: AnnotationStatus;
  annotation_text: string;
  intent: string;
  severity: string;
  captured: string;
  screenshot_id: string | null;
  diff: string | null;
  diff_revision: number;
  diff_response: 'approved' | 'rejected' | null;
  diff_words: string | null;
  /** JSON of the caller's name and source. */
  acknowledged_by: string | null;
  /** The key that holds the note, or held it last. */
  holder_id: string | null;
  /** The name that its client gave itself; empty when it gave none. */
  holder_client: string | null;
  /** The session or process it came over; empty when each request stood for itself. */
  holder_connection: string | null;
  /** How long the holder has it unless heard from; null: nobody holds it. */
  lease_until: number | null;
  /** How far the holder has been shown the thread. */
  shown_replies: number;
  edited_at: number | null;
  resolved_by: 'user' | 'agent' | null;
  resolved_at: number | null;
  created_at: number;
  updated_at: number;
}

/** One message of a thread. */
export interface ReplyRow {
  id: string;
  organization_id: string;
  annotation_id: string;
  position: number;
  author: 'agent' | 'user';
  author_name: string | null;
  message: string;
  created_at: number;
}

/** One picture. */
export interface ScreenshotRow {
  id: string;
  organization_id: string;
  project_id: string;
  session_id: string;
  mime_type: string;
  width: number;
  height: number;
  size_bytes: number;
  /** Base64. */
  data: string;
  created_at: number;
}

/** When a caller last used a tool, and with which client. */
export interface PresenceRow {
  organization_id: string;
  caller_id: string;
  /** The name that the client gave itself; empty when it gave none. */
  client: string;
  caller_name: string;
  last_seen_at: number;
}

export interface AnnotationTables {
  annotation_page_tokens: PageTokenRow;
  annotation_sessions: SessionRow;
  annotations: AnnotationRow;
  annotation_replies: ReplyRow;
  annotation_screenshots: ScreenshotRow;
  annotation_presence: PresenceRow;
}
