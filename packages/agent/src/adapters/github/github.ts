/** What GitHub is asked for, whoever asks it. */

/** A repository by its two parts, each checked before it comes here. */
export interface RepoName {
  readonly owner: string;
  readonly name: string;
}

/** owner/name. GitHub takes name.git for name too, and a repository with two names would pass by the deny list. */
export const REPO =
  /^[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}\/(?!\.{1,2}$)(?![^/]*\.[Gg][Ii][Tt]$)[A-Za-z0-9._-]{1,100}$/;

export interface PullSummary {
  readonly number: number;
  readonly title: string;
  readonly author: string;
  /** Null where GitHub does not say. */
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly changed_files: number | null;
  readonly url: string;
}

export interface IssueSummary {
  readonly number: number;
  readonly title: string;
  readonly state: string;
  readonly labels: string[];
  readonly url: string;
}

export interface RepoInfo {
  readonly name: string;
  readonly owner: string;
  readonly description: string | null;
  readonly url: string;
  readonly stargazerCount: number;
  readonly forkCount: number;
  readonly isArchived: boolean;
  readonly defaultBranchRef: string;
}

/** Something that was made. */
export interface Made {
  readonly number: number;
  readonly url: string;
}

export type ReviewEvent = 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';
export type IssueState = 'open' | 'closed' | 'all';

/** Reads are tried again, writes never; every failure is a `ToolError`. */
export interface GitHub {
  star(repo: RepoName, signal: AbortSignal): Promise<void>;
  unstar(repo: RepoName, signal: AbortSignal): Promise<void>;
  fork(repo: RepoName, organization: string | undefined, signal: AbortSignal): Promise<Fork>;
  pulls(repo: RepoName, limit: number, signal: AbortSignal): Promise<PullSummary[]>;
  createPull(repo: RepoName, pull: NewPull, signal: AbortSignal): Promise<Made>;
  review(repo: RepoName, review: NewReview, signal: AbortSignal): Promise<Review>;
  createIssue(repo: RepoName, issue: NewIssue, signal: AbortSignal): Promise<Made>;
  issues(repo: RepoName, wanted: WantedIssues, signal: AbortSignal): Promise<IssueSummary[]>;
  info(repo: RepoName, signal: AbortSignal): Promise<RepoInfo>;
  diff(repo: RepoName, pull: number, signal: AbortSignal): Promise<string>;
  comment(repo: RepoName, comment: NewComment, signal: AbortSignal): Promise<Comment>;
  follow(username: string, signal: AbortSignal): Promise<void>;
}

export interface Fork {
  readonly full_name: string;
  readonly url: string;
  readonly already_existed: boolean;
}

export interface NewPull {
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
}

export interface NewReview {
  readonly pull: number;
  readonly event: ReviewEvent;
  readonly body: string;
}

export interface Review {
  readonly review_id: number;
  readonly state: string;
}

export interface NewIssue {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

export interface WantedIssues {
  readonly state: IssueState;
  readonly limit: number;
}

export interface NewComment {
  readonly pull: number;
  readonly body: string;
}

export interface Comment {
  readonly comment_id: number;
  readonly url: string;
}
