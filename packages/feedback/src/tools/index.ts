/** All tools: six for every day, then those that need an explicit grant. */
import { createChangelog, deleteChangelog, updateChangelog } from './changelog.ts';
import { addComment, deleteComment, pinComment, reactToComment, updateComment } from './comments.ts';
import { findFeedback, getPostActivity } from './finding.ts';
import {
  deletePost,
  mergePost,
  proxyVote,
  restorePost,
  unmergePost,
  updatePost,
  votePost,
} from './post-changes.ts';
import { createPost, getPost, searchFeedback, triagePost } from './posts.ts';
import { manageRoadmapPost } from './roadmaps.ts';

/** The tools of the toolset. */
export const feedbackTools = [
  searchFeedback,
  getPost,
  triagePost,
  addComment,
  createPost,
  createChangelog,
  findFeedback,
  getPostActivity,
  votePost,
  proxyVote,
  updatePost,
  mergePost,
  unmergePost,
  deletePost,
  restorePost,
  updateComment,
  deleteComment,
  reactToComment,
  pinComment,
  manageRoadmapPost,
  updateChangelog,
  deleteChangelog,
] as const;
