/** Owns what the screens of feedback call the shapes of /api/v1, and the order of their groups. */
import type { CommentNode, InboxCounts, Post as WholePost, PostItem } from '../../../api/schema.ts';

export type { Board, InboxPost, Member, Roadmap, Settings, Status } from '../../../api/schema.ts';

/** A post in a list. */
export type Post = PostItem;

/** A whole post. */
export type PostDetail = WholePost;

/** A comment with its replies. */
export type Comment = CommentNode;

/** How the posts that fit a filter are spread, and how many wait. */
export type Counts = InboxCounts;

/** A tag on a post. */
export type Tag = PostItem['tags'][number];

/** Whether everybody may see a post, and why not. */
export type Moderation = WholePost['moderation'];

/** The groups of statuses, in the order of lists. */
export const CATEGORIES = ['active', 'complete', 'closed'] as const;
