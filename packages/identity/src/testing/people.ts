/** The people of a bed: organizations with owners, whoever joins them, and the keys that all of them act with. */
import type { Identity } from '../identity.ts';
import type { Caller, Grants } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';

/** Somebody of an organization, acting with a key that may do all that they may. */
export interface BedPerson {
  readonly caller: Caller;
  readonly userId: string;
  readonly memberId: string;
  readonly email: string;
  readonly key: string;
  readonly keyId: string;
}

/** An organization with nobody but its owner. */
export interface NewOrganization {
  readonly id: string;
  readonly slug: string;
  readonly owner: BedPerson;
}

/** One organization; `colleague` is a second member. */
export interface BedOrganization extends NewOrganization {
  readonly admin: BedPerson;
  readonly member: BedPerson;
  readonly colleague: BedPerson;
}

/** A new key of somebody, as the person that it lets in. */
export async function keyOf(identity: Identity, maker: Caller, grants: Grants): Promise<BedPerson> {
  const { text, info } = await identity.createKey(maker, { name: 'Key', grants, expiresAt: null });
  const caller = await identity.authenticate(text, 'key');
  const member = await identity.memberOf(maker.organizationId, info.userId);
  if (caller === undefined || member === undefined) throw new Error('A new key is not accepted.');
  const { id: memberId, userId } = member;
  return { caller, userId, memberId, email: member.email ?? '', key: text, keyId: info.id };
}

/** A new organization; its owner is called `Ada` and has an address of their own. */
export async function foundOrganization(identity: Identity, slug: string): Promise<NewOrganization> {
  const owner = { name: 'Ada Owner', email: `ada@${slug}.example` };
  const made = await identity.createOrganization({ slug, name: slug, owner });
  const founder = testCaller({ ...made, id: made.userId });
  return { id: made.organizationId, slug, owner: await keyOf(identity, founder, ALL_GRANTS) };
}

/** Who joins, and what their key may do; absent: all that they may. */
export interface Joining {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly grants?: Grants;
}

/** Somebody more in the organization of its owner. */
export async function joinOrganization(
  identity: Identity,
  { owner: { caller } }: NewOrganization,
  { name, email, roles, grants = ALL_GRANTS }: Joining,
): Promise<BedPerson> {
  const userId = await identity.ensureUser({ email, name });
  await identity.addMember(caller, { userId, roles });
  return keyOf(identity, { ...caller, id: userId, userId }, grants);
}

/** An organization with somebody of every role. */
export async function settle(identity: Identity, slug: string): Promise<BedOrganization> {
  const founded = await foundOrganization(identity, slug);
  const join = (name: string, role: string) =>
    joinOrganization(identity, founded, {
      name,
      email: `${name.toLowerCase()}@${slug}.example`,
      roles: [role],
    });
  return {
    ...founded,
    admin: await join('Alex', 'admin'),
    member: await join('Mia', 'member'),
    colleague: await join('Cem', 'member'),
  };
}
