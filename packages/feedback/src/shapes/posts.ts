/** Posts, comments and votes as every surface shows them. */
import * as z from 'zod';
import { ids, line, text, time } from './fields.ts';

/** The reactions that a comment can have. */
export const EMOJIS = ['👍', '❤️', '🎉', '😄', '🤔', '👀'] as const;

export const TagOnPost = z.object({ id: z.string(), name: z.string(), color: z.string() });

/** A post in a list. */
export const PostItem = z.object({
  id: z.string(),
  title: z.string(),
  content: z.string(),
  voteCount: z.int(),
  commentCount: z.int(),
  boardId: z.string(),
  boardSlug: z.string(),
  boardName: z.string(),
  statusId: z.string().nullable(),
  status: z.object({ slug: z.string(), name: z.string() }).nullable(),
  authorName: z.string().nullable(),
  ownerId: z.string().nullable(),
  ownerMemberId: z.string().nullable().describe('Same as ownerId'),
  tags: z.array(TagOnPost),
  createdAt: time,
  updatedAt: time,
});
export type PostItem = z.infer<typeof PostItem>;

/** How often a comment got an emoji, and whether the reader is among them. */
export const ReactionCount = z.object({ emoji: z.string(), count: z.int(), hasReacted: z.boolean() });
export type ReactionCount = z.infer<typeof ReactionCount>;

const commentFields = {
  id: z.string(),
  postId: z.string(),
  parentId: z.string().nullable(),
  content: z.string(),
  authorName: z.string().nullable(),
  memberId: z.string().nullable(),
  isTeamMember: z.boolean(),
  isPrivate: z.boolean(),
  createdAt: time,
  editedAt: time.nullable(),
  deletedAt: time.nullable().describe('Set on a stub: the comment is gone, its replies are not'),
  reactions: z.array(ReactionCount),
};

/** A comment by itself. */
export const Comment = z.object(commentFields);
export type Comment = z.infer<typeof Comment>;

/** A comment with the replies below it, to any depth. */
export interface CommentNode extends Comment {
  replies: CommentNode[];
}
export const CommentNode: z.ZodType<CommentNode> = z.object({
  ...commentFields,
  replies: z.lazy(() => z.array(CommentNode)),
});

/** Whether everybody may see a post, and why not. */
export const MODERATION_STATES = ['published', 'pending', 'spam', 'archived'] as const;
export type ModerationState = (typeof MODERATION_STATES)[number];

/** A whole post. */
export const PostDetail = PostItem.extend({
  contentJson: z.unknown().describe('Rich content, or null'),
  authorEmail: z.string().nullable().optional().describe('For administrators only'),
  officialResponse: z.string().nullable(),
  officialResponseAuthorName: z.string().nullable(),
  officialResponseAt: time.nullable(),
  roadmapIds: z.array(z.string()),
  pinnedComment: Comment.nullable(),
  mergedIntoId: z.string().nullable(),
  moderation: z.enum(MODERATION_STATES).describe('What is not published is seen by the team alone'),
  deletedAt: time.nullable(),
});
export type PostDetail = z.infer<typeof PostDetail>;

export const POST_SORTS = ['newest', 'oldest', 'votes'] as const;
export type PostSort = (typeof POST_SORTS)[number];

/** Somebody of the team who reads, and up to when they have read everything. */
export interface ReaderMark {
  readonly organizationId: string;
  /** As identity writes it. */
  readonly memberId: string;
  readonly readBefore: number;
}

/** What a list of posts can be narrowed to. */
export interface PostFilter {
  readonly boardId?: string | undefined;
  /** At least one of these; for surfaces that show some boards only. */
  readonly boardIds?: readonly string[] | undefined;
  /** Slug of a status. */
  readonly status?: string | undefined;
  readonly tagIds?: readonly string[] | undefined;
  readonly search?: string | undefined;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly ownerMemberId?: string | undefined;
  readonly showDeleted?: boolean | undefined;
  /** Those that this reader has not seen. */
  readonly unreadBy?: ReaderMark | undefined;
  /** Those without a public word of the team. */
  readonly isUnanswered?: boolean | undefined;
}

/** One page that is asked for. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** One page of anything. */
export interface Page<T> {
  readonly items: T[];
  readonly cursor: string | null;
  readonly hasMore: boolean;
  readonly total: number;
}

const MAX_CONTENT = 10_000;
const MAX_RICH_CONTENT = 100_000;

const contentJson = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => JSON.stringify(value).length <= MAX_RICH_CONTENT,
    'must have at most 100,000 characters as JSON',
  );

export const CreatePost = z.object({
  boardId: ids.board.describe('Board ID, slug or name, e.g. ideas; quackback://boards lists them'),
  title: line(1, 200).describe('Title, e.g. "Dark mode"'),
  content: text(0, MAX_CONTENT).optional().describe('What it is about'),
  contentJson: contentJson.nullable().optional().describe('Rich content, at most 100,000 characters as JSON'),
  statusId: ids.status
    .optional()
    .describe("Status ID, slug or name, e.g. planned; absent: the board's default"),
  tagIds: z.array(ids.tag).max(100).optional().describe('IDs or names of its tags'),
  createdAt: time.optional().describe('When it was made; administrators only, for imports'),
});
export type CreatePost = z.infer<typeof CreatePost>;

/** A change of a post; what is absent stays. */
export const PatchPost = z.object({
  title: line(1, 200).optional(),
  content: text(0, MAX_CONTENT).optional(),
  contentJson: contentJson.nullable().optional(),
  statusId: ids.status.optional(),
  tagIds: z.array(ids.tag).max(100).optional().describe('Replaces all tags; [] clears them'),
  ownerMemberId: ids.member.nullable().optional().describe('Team member in charge; null unassigns'),
  officialResponse: text(0, MAX_CONTENT).nullable().optional().describe('null or "" clears it'),
  boardId: ids.board.optional(),
});
export type PatchPost = z.infer<typeof PatchPost>;

export const CreateComment = z.object({
  content: text(1, 5000).describe('What to say'),
  parentId: ids.comment.nullable().optional().describe('The comment to reply to'),
  isPrivate: z.boolean().optional().describe('True: only the team sees it'),
});
export type CreateComment = z.infer<typeof CreateComment>;

/** The outcome of a vote. */
export const VoteResult = z.object({ voted: z.boolean(), voteCount: z.int() });
export type VoteResult = z.infer<typeof VoteResult>;

/** Somebody who voted. */
export const Voter = z.object({
  memberId: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  source: z.string().nullable().describe('Where a vote on behalf of somebody came from'),
  proxyMemberId: z.string().nullable().describe('Who voted on their behalf'),
  createdAt: time,
});
export type Voter = z.infer<typeof Voter>;

/** One thing that happened to a post. */
export const Activity = z.object({
  id: z.string(),
  postId: z.string(),
  action: z.string(),
  actorName: z.string().nullable(),
  memberId: z.string().nullable(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  createdAt: time,
});
export type Activity = z.infer<typeof Activity>;
