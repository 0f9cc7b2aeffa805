/** The tables of identity, as queries see them. */

/** An organization: every other row in the system belongs to one. */
export interface OrganizationRow {
  id: string;
  slug: string;
  name: string;
  created_at: number;
}

/** A person. */
export interface UserRow {
  id: string;
  email: string | null;
  name: string;
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
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  created_at: number;
}

/** All tables of identity. */
export interface IdentityTables {
  organizations: OrganizationRow;
  users: UserRow;
  members: MemberRow;
  member_roles: MemberRoleRow;
  roles: RoleRow;
  api_keys: ApiKeyRow;
}
