/** The tables of identity, as queries see them. */
import type { Generated } from 'kysely';
import type { Rank } from './roles.ts';

/** An organization: every other row in the system belongs to one. */
export interface OrganizationRow {
  id: string;
  slug: string;
  name: string;
  description: string | null;
  logo: string | null;
  metadata: string | null;
  created_at: number;
}

/** What the console of an organization shows. */
export interface OrganizationSettingsRow {
  organization_id: string;
  sidebar_items: string | null;
  enabled_plugins: string | null;
  created_at: number;
  updated_at: number;
}

/** Somebody who may join with a link; the token itself is never stored. */
export interface InvitationRow {
  id: string;
  organization_id: string;
  /** In lower case. */
  email: string;
  roles: string;
  token_hash: string;
  /** The user whose rights of now are the ceiling when it is accepted. */
  invited_by: string;
  expires_at: number;
  accepted_at: number | null;
  created_at: number;
}

/** One act; rows are only added, and each holds the hash of the one before. */
export interface AuditRow {
  organization_id: string;
  seq: number;
  id: string;
  at: number;
  caller_id: string;
  user_id: string | null;
  source: string;
  request_id: string | null;
  action: string;
  target: string;
  changed: string;
  outcome: 'ok' | 'denied';
  prev_hash: string;
  hash: string;
}

/** The newest entry of an organization's chain. */
export interface AuditHeadRow {
  organization_id: string;
  seq: number;
  hash: string;
  /** The oldest entry that is kept, and the hash of the one before it, which is gone. */
  first_seq: Generated<number>;
  first_prev_hash: Generated<string>;
}

/** A person. */
export interface UserRow {
  id: string;
  /** In lower case. */
  email: string | null;
  name: string;
  image: string | null;
  /** 1 once the person has shown that the e-mail is theirs. */
  email_verified: 0 | 1;
  created_at: number;
}

/** A person's membership in an organization. */
export interface MemberRow {
  id: string;
  organization_id: string;
  user_id: string;
  created_at: number;
}

/** One role of a member; a member may hold several. */
export interface MemberRoleRow {
  member_id: string;
  organization_id: string;
  role: string;
}

/** A role an organization made itself. */
export interface RoleRow {
  id: string;
  organization_id: string;
  name: string;
  grants: string;
  created_at: number;
}

/** An API key; the secret itself is never stored. */
export interface ApiKeyRow {
  id: string;
  organization_id: string;
  user_id: string;
  public_id: string;
  name: string;
  hash: string;
  grants: string;
  /** The rank that the key is narrowed to; null: as its owner. */
  role: Rank | null;
  /** The connection that the key acts for. */
  connection_id: string | null;
  /** What it says of the agent that it acts as; null: it acts as its owner. */
  agent: string | null;
  metadata: string | null;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  created_at: number;
}

/** Somebody who is signed in; the token itself is never stored. */
export interface SignInSessionRow {
  token_hash: string;
  organization_id: string;
  member_id: string;
  seen_at: number;
  created_at: number;
}

/** Somebody of the team who is signed in to the console; the token itself is never stored. */
export interface WebSessionRow {
  id: string;
  token_hash: string;
  user_id: string;
  /** The one that they look at. */
  organization_id: string;
  method: string;
  device: string;
  /** When they last showed who they are. */
  proven_at: number;
  seen_at: number;
  created_at: number;
}

/** A link that signs somebody in once. */
export interface SignInLinkRow {
  token_hash: string;
  user_id: string;
  organization_id: string;
  expires_at: number;
}

export interface PasswordRow {
  user_id: string;
  /** With everything that is needed to make it again. */
  hash: string;
  changed_at: number;
}

export interface PasskeyRow {
  id: string;
  user_id: string;
  name: string;
  credential_id: string;
  /** COSE, in base64url. */
  public_key: string;
  counter: number;
  transports: string;
  used_at: number | null;
  created_at: number;
}

/** A challenge that a browser has answered; it is worth one answer. */
export interface UsedChallengeRow {
  id: string;
  expires_at: number;
}

/** How often signing in failed in a row. */
export interface SignInAttemptRow {
  bucket: string;
  failures: number;
  last_at: number;
}

export interface IdentityTables {
  organizations: OrganizationRow;
  organization_settings: OrganizationSettingsRow;
  invitations: InvitationRow;
  audit_log: AuditRow;
  audit_heads: AuditHeadRow;
  users: UserRow;
  members: MemberRow;
  member_roles: MemberRoleRow;
  roles: RoleRow;
  api_keys: ApiKeyRow;
  sign_in_sessions: SignInSessionRow;
  web_sessions: WebSessionRow;
  sign_in_links: SignInLinkRow;
  passwords: PasswordRow;
  passkeys: PasskeyRow;
  used_challenges: UsedChallengeRow;
  sign_in_attempts: SignInAttemptRow;
}
