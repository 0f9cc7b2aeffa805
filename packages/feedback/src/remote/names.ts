/** Where newer servers keep what our fields mean; asked only where the field itself is absent. */
import { fieldOf } from './faults.ts';

type Find = (thing: unknown) => unknown;

const named =
  (name: string): Find =>
  (thing) =>
    fieldOf(thing, name);

/** Who is in charge of a post; undefined when it does not say. */
function ownerIn(post: unknown): unknown {
  const names = ['ownerMemberId', 'ownerPrincipalId', 'ownerId'];
  return names.map((name) => fieldOf(post, name)).find((owner) => owner !== undefined);
}

function idsIn(list: unknown): unknown {
  return Array.isArray(list) ? list.map((item) => fieldOf(item, 'id')) : undefined;
}

function isPublicIn(thing: unknown): boolean | undefined {
  const audience = fieldOf(fieldOf(thing, 'audience'), 'kind') ?? fieldOf(thing, 'visibility');
  return audience === undefined ? undefined : audience === 'public';
}

function stateIn(entry: unknown): string | undefined {
  const publishedAt = fieldOf(entry, 'publishedAt');
  if (publishedAt === null) return 'draft';
  const at = typeof publishedAt === 'string' ? Date.parse(publishedAt) : Number.NaN;
  return Number.isNaN(at) ? undefined : at > Date.now() ? 'scheduled' : 'published';
}

const ELSEWHERE = new Map<string, Find>([
  ['ownerId', ownerIn],
  ['ownerMemberId', ownerIn],
  ['memberId', named('principalId')],
  ['mergedIntoId', named('canonicalPostId')],
  ['action', named('type')],
  ['isPublic', isPublicIn],
  ['state', stateIn],
  ['linkedPostIds', (entry) => idsIn(fieldOf(entry, 'linkedPosts'))],
  // Inputs of tools whose outcome stands in another field.
  ['tagIds', (post) => idsIn(fieldOf(post, 'tags'))],
  ['commentId', (post) => pinnedIn(fieldOf(post, 'pinnedComment'))],
]);

function pinnedIn(pinned: unknown): unknown {
  return pinned === null ? null : fieldOf(pinned, 'id');
}

/** What a thing says about one of our fields, under whatever name; undefined when it says nothing. */
export function told(thing: unknown, name: string): unknown {
  const own = fieldOf(thing, name);
  return own === undefined ? ELSEWHERE.get(name)?.(thing) : own;
}
