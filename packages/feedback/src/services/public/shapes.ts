/** What everybody may read: no e-mail, no member ids, nothing private. */
import type { PostItem, ReactionCount } from '../../shapes/posts.ts';

/** The organization whose feedback is published. */
export interface PublicSite {
  readonly organizationId: string;
  readonly name: string;
  /** `#RRGGBB`; null: the usual one. */
  readonly accentColor: string | null;
  /** The versions of its pictures; null where there is none. */
  readonly logo: string | null;
  readonly favicon: string | null;
}

/** Somebody who is signed in and reads, as identity writes its ids. */
export interface Viewer {
  readonly memberId: string;
}

/** A board that everybody may see. */
export interface PublicBoard {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly postCount: number;
}

/** A status as readers see it. */
export interface PublicStatus {
  readonly name: string;
  readonly slug: string;
  readonly color: string;
}

/** A post in a public list. */
export interface PublicPost extends Omit<PostItem, 'ownerId' | 'ownerMemberId' | 'status' | 'statusId'> {
  readonly status: PublicStatus | null;
  /** True when somebody of the team wrote it. */
  readonly isTeamMember: boolean;
}

/** A whole public post. */
export interface PublicPostDetail extends PublicPost {
  readonly officialResponse: string | null;
  readonly officialResponseAuthorName: string | null;
  readonly officialResponseAt: string | null;
  readonly pinnedCommentId: string | null;
}

/** A post that resembles a text. */
export type SimilarPost = Pick<PublicPost, 'id' | 'title' | 'voteCount'>;

/** A comment in the order of its thread. */
export interface PublicComment {
  readonly id: string;
  readonly parentId: string | null;
  /** 0 for a comment on the post itself. */
  readonly depth: number;
  /** Empty when it was deleted. */
  readonly content: string;
  readonly authorName: string | null;
  readonly isTeamMember: boolean;
  readonly isDeleted: boolean;
  /** True when the reader wrote it. */
  readonly isOwn: boolean;
  readonly createdAt: string;
  readonly editedAt: string | null;
  readonly reactions: readonly ReactionCount[];
}

/** A roadmap that everybody may see. */
export interface PublicRoadmap {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  /** True when everybody can see a post on it. */
  readonly hasPosts: boolean;
}

export interface PublicRoadmapPost {
  readonly id: string;
  readonly title: string;
  readonly voteCount: number;
  readonly boardName: string;
}

export interface RoadmapColumn {
  readonly status: PublicStatus;
  readonly total: number;
  readonly posts: readonly PublicRoadmapPost[];
  /** Where the column goes on; null at its end. */
  readonly cursor: string | null;
}

/** A published changelog entry. */
export interface PublicChange {
  readonly id: string;
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  readonly publishedAt: number;
  readonly updatedAt: number;
  readonly labels: readonly string[];
  readonly posts: readonly { readonly id: string; readonly title: string }[];
}
