/** What the team's inbox is made of: moderation, counts, triage of many posts, following, settings. */
import * as z from 'zod';
import { ids } from './fields.ts';
import { PatchPost } from './posts.ts';

/** Whether everybody may see a post, and why not. */
export const MODERATION_STATES = ['published', 'pending', 'spam', 'archived'] as const;
export type ModerationState = (typeof MODERATION_STATES)[number];

/** The states of posts that are held back. */
export const HELD_STATES = ['pending', 'spam', 'archived'] as const;
export type HeldState = (typeof HELD_STATES)[number];

const posts = z.int().describe('How many posts');

/** How the posts that fit a filter are spread; what has none is left out. */
export const InboxCounts = z.object({
  total: posts,
  pending: z.int().describe('Posts that wait for the team, on the board when one is given'),
  byStatus: z.array(z.object({ statusId: z.string(), posts })),
  byBoard: z.array(z.object({ boardId: z.string(), posts })),
  byTag: z.array(z.object({ tagId: z.string(), posts })),
  byOwner: z.array(z.object({ ownerMemberId: z.string().nullable().describe('null: nobody'), posts })),
});
export type InboxCounts = z.infer<typeof InboxCounts>;

/** What can be changed about many posts at once. */
export const TriageChange = PatchPost.pick({
  statusId: true,
  tagIds: true,
  ownerMemberId: true,
  boardId: true,
});
export type TriageChange = z.infer<typeof TriageChange>;

/** The most posts that one triage takes. */
export const MAX_TRIAGED = 100;

/** The same change for many posts. */
export const BulkTriage = TriageChange.extend({
  ids: z.array(ids.post).min(1).max(MAX_TRIAGED).describe('IDs of 1 to 100 posts, each once'),
});

/** What became of one of them. */
export const TriageOutcome = z.object({
  id: z.string(),
  ok: z.boolean(),
  error: z.object({ code: z.string(), message: z.string() }).optional().describe('Why it was not changed'),
});

/** Whether the caller is told of what happens to a post. */
export const Following = z.object({ isFollowing: z.boolean() });
export type Following = z.infer<typeof Following>;

export const Settings = z.object({
  isPublished: z.boolean().describe('True when everybody may read what is public'),
});
export type Settings = z.infer<typeof Settings>;
