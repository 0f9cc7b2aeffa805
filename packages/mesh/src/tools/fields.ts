/** Fields that several management tools share. */
import type { Invitation, Member, Organization } from '@parley/identity';
import type { Context } from '@parley/kit';
import { GivenId } from '@parley/kit';
import * as z from 'zod';

/** An id that a caller gives. */
export const Id = GivenId;

/** A time, as every answer writes it. */
export function isoTime(at: number): string;
export function isoTime(at: number | null): string | null;
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** Who calls, with the request for the audit log. */
export function acting({ caller, request }: Pick<Context, 'caller' | 'request'>) {
  return { ...caller, requestId: request.id };
}

export const organizationFields = {
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  logo: z.string().nullable(),
  metadata: z.looseObject({}).nullable(),
  createdAt: z.string(),
};

/** The organization as answers have it. */
export function shownOrganization({ createdAt, metadata, ...organization }: Organization) {
  return { ...organization, metadata: metadata && { ...metadata }, createdAt: isoTime(createdAt) };
}

const userFields = {
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  image: z.string().nullable(),
};

/** A membership without its person. */
export const membershipFields = {
  id: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  role: z.array(z.string()),
};

export const memberFields = { ...membershipFields, createdAt: z.string(), user: z.object(userFields) };

/** The member as answers have it. */
export function shownMember(organizationId: string, member: Member) {
  const { id, userId, roles, name, email, image } = member;
  const user = { id: userId, name, email, image };
  return { id, organizationId, userId, role: [...roles], createdAt: isoTime(member.createdAt), user };
}

export const invitationFields = {
  id: z.string(),
  email: z.string(),
  role: z.array(z.string()),
  expiresAt: z.string(),
};

/** The invitation as answers have it. */
export function shownInvitation({ id, email, roles, expiresAt }: Invitation) {
  return { id, email, role: [...roles], expiresAt: isoTime(expiresAt) };
}
