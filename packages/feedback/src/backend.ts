/** The one interface behind tools and resources: in this process over the services, or over HTTP to another server. */
import type { Context } from '@parley/kit';
import type { PostSort } from './shapes/posts.ts';
import type {
  Deleted,
  ShownActivity,
  ShownComment,
  ShownEntry,
  ShownExcerpt,
  ShownItem,
  ShownPage,
  ShownPlacement,
  ShownPost,
  ShownPostWithComments,
  ShownReactions,
  ShownThread,
  ShownVote,
} from './tools/shapes.ts';

/** What the tools of this toolset are given. */
export interface BackendSource {
  /** The backend as this caller has it; the signal of the call ends what it has under way. */
  backendFor(call: Pick<Context, 'caller' | 'signal'>): Promise<FeedbackBackend>;
}

export interface PostSearch {
  readonly query?: string | undefined;
  readonly boardId?: string | undefined;
  readonly status?: string | undefined;
  readonly tagIds?: readonly string[] | undefined;
  readonly sort: PostSort;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The wider search of the second tier. */
export interface WideSearch extends PostSearch {
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly ownerMemberId?: string | undefined;
  readonly showDeleted?: boolean | undefined;
}

/** What triage can set; what is absent stays. */
export interface Triage {
  readonly statusId?: string | undefined;
  readonly tagIds?: string[] | undefined;
  readonly ownerMemberId?: string | null | undefined;
  readonly officialResponse?: string | null | undefined;
}

/** A changelog entry to make, or what to change about one. */
export interface EntryInput {
  readonly title?: string | undefined;
  readonly content?: string | undefined;
  readonly publishedAt?: string | null | undefined;
  readonly linkedPostIds?: string[] | undefined;
}

/** One method per tool and resource. */
export interface FeedbackBackend {
  search(input: PostSearch): Promise<ShownPage<ShownItem>>;
  post(postId: string): Promise<ShownPostWithComments>;
  triage(postId: string, change: Triage): Promise<ShownPost>;
  addComment(input: {
    postId: string;
    content: string;
    parentId?: string | undefined;
    isPrivate?: boolean | undefined;
  }): Promise<ShownThread>;
  createPost(input: {
    boardId: string;
    title: string;
    content?: string | undefined;
    statusId?: string | undefined;
    tagIds?: string[] | undefined;
  }): Promise<ShownPost>;
  createEntry(input: {
    title: string;
    content: string;
    publishedAt?: string | undefined;
  }): Promise<ShownEntry>;

  boards(): Promise<object[]>;
  statuses(): Promise<object[]>;
  tags(): Promise<object[]>;
  roadmaps(): Promise<object[]>;
  members(): Promise<object[]>;

  findPosts(input: WideSearch): Promise<ShownPage<ShownExcerpt>>;
  findEntries(input: { limit: number; cursor?: string | undefined }): Promise<ShownPage<ShownExcerpt>>;
  activity(
    postId: string,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<ShownPage<ShownActivity>>;
  vote(postId: string, isVoted: boolean): Promise<ShownVote>;
  proxyVote(input: {
    postId: string;
    memberId: string;
    isVoted: boolean;
    source?: string | undefined;
  }): Promise<ShownVote>;
  updatePost(
    postId: string,
    change: { title?: string | undefined; content?: string | undefined; boardId?: string | undefined },
  ): Promise<ShownPost>;
  merge(duplicatePostId: string, canonicalPostId: string): Promise<ShownPost>;
  unmerge(postId: string): Promise<ShownPost>;
  deletePost(postId: string): Promise<Deleted>;
  restorePost(postId: string): Promise<ShownPost>;
  updateComment(commentId: string, content: string): Promise<ShownComment>;
  deleteComment(commentId: string): Promise<Deleted>;
  react(commentId: string, emoji: string, isOn: boolean): Promise<ShownReactions>;
  pin(postId: string, commentId: string | null): Promise<ShownPost>;
  placeOnRoadmap(input: Placement): Promise<ShownPlacement>;
  updateEntry(changelogId: string, change: EntryInput): Promise<ShownEntry>;
  deleteEntry(changelogId: string): Promise<Deleted>;
}

/** What to do with a post on a roadmap. */
export type Placement = { readonly roadmapId: string; readonly postId: string } & (
  | { readonly action: 'add' | 'remove' }
  | { readonly action: 'move'; readonly position: number }
);
