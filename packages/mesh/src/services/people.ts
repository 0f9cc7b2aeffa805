/** People, as the others in their organization see them. */
import type { Identity } from '@parley/identity';

/** A person. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly image: string | null;
}

export interface People {
  /** Somebody of the organization; null for everybody else. */
  find(organizationId: string, userId: string): Promise<Person | null>;
}

export function createPeople(identity: Pick<Identity, 'memberOf'>): People {
  return {
    async find(organizationId, userId) {
      const member = await identity.memberOf(organizationId, userId);
      if (member === undefined) return null;
      const { name, email, image } = member;
      return { id: userId, name, email, image };
    },
  };
}
