/** Owns the shapes of /api/v1 as far as the screens of feedback use them. */

/** A tag on a post. */
export interface Tag {
  readonly id: string;
  readonly name: string;
  readonly color: string;
}

/** Whether everybody may see a post, and why not. */
export type Moderation = 'published' | 'pending' | 'spam' | 'archived';

/** A post in a list. */
export interface Post {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  readonly voteCount: number;
  readonly commentCount: number;
  readonly boardId: string;
  readonly boardSlug: string;
  readonly boardName: string;
  readonly statusId: string | null;
  readonly authorName: string | null;
  readonly ownerMemberId: string | null;
  readonly tags: readonly Tag[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A post in the inbox. */
export interface InboxPost extends Post {
  readonly isUnread: boolean;
  readonly isAnswered: boolean;
  readonly moderation: Moderation;
}

/** A comment with its replies. */
export interface Comment {
  readonly id: string;
  readonly parentId: string | null;
  readonly content: string;
  readonly authorName: string | null;
  readonly memberId: string | null;
  readonly isTeamMember: boolean;
  readonly isPrivate: boolean;
  readonly createdAt: string;
  readonly editedAt: string | null;
  readonly deletedAt: string | null;
  readonly reactions: readonly {
    readonly emoji: string;
    readonly count: number;
    readonly hasReacted: boolean;
  }[];
  readonly replies: readonly Comment[];
}

/** A whole post. */
export interface PostDetail extends Post {
  readonly authorEmail?: string | null;
  readonly officialResponse: string | null;
  readonly officialResponseAuthorName: string | null;
  readonly officialResponseAt: string | null;
  readonly roadmapIds: readonly string[];
  readonly pinnedComment: { readonly id: string } | null;
  readonly mergedIntoId: string | null;
  readonly moderation: Moderation;
  readonly deletedAt: string | null;
}

/** A board. */
export interface Board {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly isPublic: boolean;
  readonly settings: { readonly moderation?: boolean };
  readonly position: number;
  readonly postCount: number;
}

/** The groups of statuses, in the order of lists. */
export const CATEGORIES = ['active', 'complete', 'closed'] as const;

/** A status. */
export interface Status {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly color: string;
  readonly category: (typeof CATEGORIES)[number];
  readonly position: number;
  readonly showOnRoadmap: boolean;
  readonly isDefault: boolean;
}

/** A roadmap. */
export interface Roadmap {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly isPublic: boolean;
  readonly position: number;
}

/** Somebody on the team. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: 'admin' | 'member' | 'user';
}

/** How the posts that fit a filter are spread, and how many wait. */
export interface Counts {
  readonly total: number;
  readonly pending: number;
  readonly unread: number;
  readonly unanswered: number;
}

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: { readonly cursor: string | null; readonly hasMore: boolean; readonly total: number };
}

/** Whether the public pages are on, and how they look. */
export interface Settings {
  readonly isPublished: boolean;
  readonly siteName: string | null;
  readonly accentColor: string | null;
  readonly logo: string | null;
  readonly favicon: string | null;
}
