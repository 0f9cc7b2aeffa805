/** The members of organizations, as the management tools see them. */
import type { Identity, Member } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { isTeam, ToolError } from '@parley/kit';
import type { Reach } from './reach.ts';

/** A member, and where. */
export interface Membership {
  readonly organizationId: string;
  readonly member: Member;
}

export interface Members {
  list(organizationId: string, page: { readonly limit: number; readonly offset: number }): Promise<Member[]>;
  /** Adds somebody whom the caller knows from an organization; a member stays as they are. */
  add(
    caller: Caller,
    input: {
      readonly organizationId?: string | undefined;
      readonly userId: string;
      readonly roles: readonly string[];
    },
  ): Promise<Membership>;
  setRoles(
    caller: Caller,
    input: {
      readonly organizationId?: string | undefined;
      readonly memberId: string;
      readonly roles: readonly string[];
    },
  ): Promise<Membership>;
  /** False when there was nobody to remove. */
  remove(
    caller: Caller,
    input: { readonly organizationId?: string | undefined; readonly memberIdOrEmail: string },
  ): Promise<boolean>;
}

export function createMembers(identity: Identity, reach: Reach): Members {
  /**
   * True when the user is in an organization that the caller reaches; others are not there for them. A visitor there is
   * known as one alone: nobody has shown who they are.
   */
  async function isKnown(caller: Caller, userId: string, roles: readonly string[]): Promise<boolean> {
    // Also beside the role of a visitor, one of the team gives its grants.
    const isForTeam = roles.some((role) => isTeam({ roles: [role] }));
    for (const { id } of await reach.organizations(caller)) {
      const member = await identity.memberOf(id, userId);
      if (member !== undefined && (isTeam(member) || !isForTeam)) return true;
    }
    return false;
  }

  async function memberIn(organizationId: string, userId: string): Promise<Member> {
    const member = await identity.memberOf(organizationId, userId);
    if (member === undefined) throw new ToolError('not_found', 'No such user.');
    return member;
  }

  return {
    list: (organizationId, page) => identity.pageMembers(organizationId, page),
    async add(caller, { organizationId: wanted, userId, roles }) {
      const there = await reach.inside(caller, wanted, 'ORGANIZATION_MEMBER_ADD');
      const { organizationId } = there;
      if (await isKnown(caller, userId, roles)) await identity.addMember(there, { userId, roles });
      return { organizationId, member: await memberIn(organizationId, userId) };
    },
    async setRoles(caller, { organizationId, memberId, roles }) {
      const there = await reach.inside(caller, organizationId, 'ORGANIZATION_MEMBER_UPDATE_ROLE');
      const member = await identity.setRoles(there, { memberId, roles });
      return { organizationId: there.organizationId, member };
    },
    async remove(caller, { organizationId, memberIdOrEmail }) {
      const there = await reach.inside(caller, organizationId, 'ORGANIZATION_MEMBER_REMOVE');
      const found = await identity.findMember(there.organizationId, memberIdOrEmail);
      if (found === undefined) return false;
      await identity.removeMemberById(there, found.id);
      return true;
    },
  };
}
