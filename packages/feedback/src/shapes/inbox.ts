/** What the team's inbox is made of: moderation, counts, triage of many posts, following, settings. */
import * as z from 'zod';
import { color, ids, line } from './fields.ts';
import { MODERATION_STATES, PatchPost, PostItem } from './posts.ts';

/** The states of posts that are held back. */
export const HELD_STATES = ['pending', 'spam', 'archived'] as const;
export type HeldState = (typeof HELD_STATES)[number];

/** What a page of the inbox shows: everything that is listed, a part of it, or what is held back. */
export const INBOX_VIEWS = ['all', 'unread', 'unanswered', ...HELD_STATES] as const;
export type InboxView = (typeof INBOX_VIEWS)[number];

/** A post in the inbox. */
export const InboxPost = PostItem.extend({
  isUnread: z.boolean().describe('True: the caller has not seen it, or not what was said since'),
  isAnswered: z.boolean().describe('True: it has an official response or a public comment of the team'),
  moderation: z.enum(MODERATION_STATES),
});
export type InboxPost = z.infer<typeof InboxPost>;

/** Whether the caller has seen a post. */
export const ReadMark = z.object({ isRead: z.boolean() });
export type ReadMark = z.infer<typeof ReadMark>;

/** Up to when the caller has read everything. */
export const ReadBefore = z.object({ readBefore: z.string() });

const posts = z.int().describe('How many posts');

/** How the posts that fit a filter are spread; what has none is left out. */
export const InboxCounts = z.object({
  total: posts,
  pending: z.int().describe('Posts that wait for the team, on the board when one is given'),
  unread: z.int().describe('Listed posts that the caller has not seen, 1,000 at most, whatever the filter'),
  unanswered: z.int().describe('Listed posts without a public word of the team, 1,000 at most'),
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

const imageAddress = z.string().nullable().describe('Where the public pages have it; null: there is none');

/** Whether the public pages are on, and how they look. */
export const Settings = z.object({
  isPublished: z.boolean().describe('True when everybody may read what is public'),
  siteName: z
    .string()
    .nullable()
    .describe('What the public pages call themselves; null: as the organization'),
  accentColor: z.string().nullable().describe('The colour of links and buttons; null: the usual one'),
  logo: imageAddress,
  favicon: imageAddress,
});
export type Settings = z.infer<typeof Settings>;

/** A change of the settings; what is absent stays. */
export const PatchSettings = z.object({
  isPublished: Settings.shape.isPublished.optional(),
  siteName: line(1, 100).nullable().optional().describe('Null: as the organization'),
  accentColor: color.nullable().optional().describe('#RRGGBB, e.g. #3b82f6; null: the usual one'),
});
export type PatchSettings = z.infer<typeof PatchSettings>;

/** The pictures that the public pages can have. */
export const SITE_IMAGES = ['logo', 'favicon'] as const;
export type SiteImageKind = (typeof SITE_IMAGES)[number];

/** The largest picture. */
export const MAX_IMAGE_BYTES = 256 * 1024;

/** A picture of the public pages. */
export const SiteImage = z.object({
  type: z.string().describe('Its media type, e.g. image/png'),
  data: z.string().describe('Base64'),
});
export type SiteImage = z.infer<typeof SiteImage>;

/** The same, or null where there is none. */
export const SiteImageOrNull = SiteImage.nullable();

/** A new one; what it is shows in its bytes. */
export const PutSiteImage = z.object({
  data: z
    .base64()
    .min(1)
    .max(Math.ceil(MAX_IMAGE_BYTES / 3) * 4)
    .describe('A PNG, JPEG, GIF, WebP or ICO picture of at most 256 KiB, as base64'),
});
