/** What the server at hand calls people and what it has; learnt from its posts, since no route tells its version. */
import { ToolError } from '@parley/kit';
import type { Triage } from '../backend.ts';
import { splitId } from '../ids.ts';
import type { Send } from './client.ts';
import { NotOffered } from './faults.ts';

/** The two names of the person in charge of a post. */
type OwnerField = 'ownerMemberId' | 'ownerPrincipalId';

/** What has been learnt so far. */
export interface Dialect {
  readonly ownerField: OwnerField | undefined;
  readonly hasResponses: boolean | undefined;
  /** Looks at whatever a route of posts has answered. */
  learn(data: unknown): void;
}

/** Knows nothing yet. */
export function createDialect(): Dialect {
  let ownerField: OwnerField | undefined;
  let hasResponses: boolean | undefined;
  return {
    get ownerField() {
      return ownerField;
    },
    get hasResponses() {
      return hasResponses;
    },
    learn(data) {
      const post: unknown = Array.isArray(data) ? data[0] : data;
      if (typeof post !== 'object' || post === null) return;
      if ('ownerPrincipalId' in post) ownerField = 'ownerPrincipalId';
      else if ('ownerMemberId' in post) ownerField = 'ownerMemberId';
      // Only a whole post shows all that a post can have.
      if ('officialResponse' in post) hasResponses = true;
      else if ('ownerPrincipalId' in post && 'pinnedComment' in post) hasResponses = false;
    },
  };
}

/** True for the id of a person on a newer server. */
export function isPrincipal(id: string): boolean {
  return splitId(id)?.prefix === 'principal';
}

/** The change in the words of the server; what it is known to lack is refused before anything is changed. */
export async function worded(
  postId: string,
  { ownerMemberId, ...change }: Triage,
  { dialect, send }: { readonly dialect: Dialect; readonly send: Send },
): Promise<Record<string, unknown>> {
  const isOpen =
    (change.officialResponse !== undefined && dialect.hasResponses === undefined) ||
    (ownerMemberId === null && dialect.ownerField === undefined);
  if (isOpen) dialect.learn((await send({ method: 'GET', path: ['posts', postId] })).data);
  if (change.officialResponse !== undefined && dialect.hasResponses === false)
    throw new NotOffered(
      'official responses',
      'This feedback server does not offer official responses. Nothing was changed: leave officialResponse out, or say it with add_comment.',
    );
  if (ownerMemberId === undefined) return change;
  return { ...change, [ownerFieldFor(ownerMemberId, dialect)]: ownerMemberId };
}

function ownerFieldFor(owner: string | null, { ownerField }: Dialect): OwnerField {
  if (owner === null) return ownerField ?? 'ownerMemberId';
  if (ownerField === 'ownerPrincipalId' && !isPrincipal(owner))
    throw new ToolError(
      'invalid',
      'ownerMemberId: this feedback server knows people by ids that begin with principal_. Read quackback://members for them.',
    );
  return ownerField ?? (isPrincipal(owner) ? 'ownerPrincipalId' : 'ownerMemberId');
}
