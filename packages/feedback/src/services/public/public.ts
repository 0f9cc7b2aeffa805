/** Everything that everybody may read, behind one object; it writes nothing. */
import type { Identity, IdentityTables } from '@parley/identity';
import type { Store } from '@parley/store';
import type { SiteImageKind } from '../../shapes/inbox.ts';
import type { Page, PageQuery } from '../../shapes/posts.ts';
import { findImage } from '../people/settings.ts';
import type { SimilarText } from '../posts/similar.ts';
import { similarPosts } from '../posts/similar.ts';
import { publicBoards, publicSite, publicStatuses } from './boards.ts';
import { publicChange, publicChanges } from './changelog.ts';
import { publicComments } from './comments.ts';
import type { PublicPostQuery } from './posts.ts';
import { isFollowing, isOwnUntouched, mergedInto, publicPost, publicPosts, votedAmong } from './posts.ts';
import type { RoadmapQuery } from './roadmap.ts';
import { publicRoadmaps, roadmapColumns } from './roadmap.ts';
import type {
  PublicBoard,
  PublicChange,
  PublicComment,
  PublicPost,
  PublicPostDetail,
  PublicRoadmap,
  PublicSite,
  PublicStatus,
  RoadmapColumn,
  SimilarPost,
  Viewer,
} from './shapes.ts';

/** The public side of one organization. */
export interface PublicReading {
  readonly site: PublicSite;
  /** A picture of the site, as it is stored. */
  image(kind: SiteImageKind): ReturnType<typeof findImage>;
  boards(): Promise<PublicBoard[]>;
  statuses(): Promise<PublicStatus[]>;
  posts(query: PublicPostQuery): Promise<Page<PublicPost>>;
  post(id: string): Promise<PublicPostDetail | undefined>;
  comments(postId: string, viewer?: Viewer): Promise<PublicComment[]>;
  mergedInto(postId: string): Promise<string | undefined>;
  isOwnUntouched(viewer: Viewer, postId: string): Promise<boolean>;
  isFollowing(viewer: Viewer, postId: string): Promise<boolean>;
  /** Posts of a public board that share the telling words of a text. */
  similar(boardId: string, text: SimilarText): Promise<SimilarPost[]>;
  votedAmong(viewer: Viewer, postIds: readonly string[]): Promise<ReadonlySet<string>>;
  roadmaps(): Promise<PublicRoadmap[]>;
  roadmapColumns(query: RoadmapQuery): Promise<RoadmapColumn[]>;
  changes(query: PageQuery): Promise<Page<PublicChange>>;
  change(id: string): Promise<PublicChange | undefined>;
}

/**
 * Creates the function that gives the public side of an organization by its slug, of the first one without; undefined
 * while that is off, or when there is none.
 */
export function createPublicReading(parts: {
  readonly store: Store;
  readonly identity: Pick<Identity, 'firstOrganizationId'>;
  readonly now: () => number;
}): (slug?: string) => Promise<PublicReading | undefined> {
  const { store, identity, now } = parts;
  return async (slug) => {
    const id =
      slug === undefined ? await identity.firstOrganizationId() : await organizationWith(store, slug);
    const site = id === undefined ? undefined : await publicSite(store, id);
    return site && readingOf(store, site, now);
  };
}

async function organizationWith(store: Store, slug: string): Promise<string | undefined> {
  const organizations = store.db<IdentityTables>().selectFrom('organizations');
  return (await organizations.select('id').where('slug', '=', slug).executeTakeFirst())?.id;
}

function readingOf(store: Store, site: PublicSite, now: () => number): PublicReading {
  const { organizationId } = site;
  const asked = () => ({ organizationId, now: now() });
  return {
    site,
    image: (kind) => findImage(store, organizationId, kind),
    boards: () => publicBoards(store, organizationId),
    statuses: () => publicStatuses(store, organizationId),
    posts: (query) => publicPosts(store, organizationId, query),
    post: (id) => publicPost(store, organizationId, id),
    comments: (postId, viewer) => publicComments(store, { organizationId, postId, viewer }),
    mergedInto: (postId) => mergedInto(store, organizationId, postId),
    isOwnUntouched: (viewer, postId) => isOwnUntouched(store, organizationId, viewer, postId),
    isFollowing: (viewer, postId) => isFollowing(store, organizationId, viewer, postId),
    async similar(boardId, text) {
      const posts = await similarPosts(store, { organizationId, boardId }, text);
      return posts.map(({ id, title, voteCount }) => ({ id, title, voteCount }));
    },
    votedAmong: (viewer, postIds) => votedAmong(store, organizationId, viewer, postIds),
    roadmaps: () => publicRoadmaps(store, organizationId),
    roadmapColumns: (query) => roadmapColumns(store, organizationId, query),
    changes: (query) => publicChanges(store, asked(), query),
    change: (id) => publicChange(store, asked(), id),
  };
}
