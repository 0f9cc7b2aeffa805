/** Boards, statuses, tags, roadmaps, members, changelog entries, webhooks and keys as every surface shows them. */
import * as z from 'zod';
import { EVENT_TYPES } from '../services/write.ts';
import { color, ids, line, moment, position, slug, text, time } from './fields.ts';

const description = text(0, 500).nullable();

export const Board = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  isPublic: z.boolean(),
  settings: z.looseObject({ moderation: z.boolean().optional() }),
  position: z.int().describe('Lists and pages show boards in this order'),
  postCount: z.int(),
  createdAt: time,
  updatedAt: time,
});
export type Board = z.infer<typeof Board>;

/** What a board is set to do; there is no other setting. */
export const BoardSettings = z.strictObject({
  moderation: z
    .boolean()
    .optional()
    .describe('True: posts of visitors wait until the team has published them'),
});

export const CreateBoard = z.object({
  name: line(1, 100),
  slug: slug.optional().describe('Made from the name when absent'),
  description: description.optional(),
  isPublic: z.boolean().optional(),
  settings: BoardSettings.optional().describe('Replaces all settings, e.g. {"moderation": true}'),
  position: position.optional().describe('Its place among the boards; absent: the last'),
});
export type CreateBoard = z.infer<typeof CreateBoard>;

export const PatchBoard = CreateBoard.partial();
export type PatchBoard = z.infer<typeof PatchBoard>;

/** The categories of statuses, in the order in which lists show them. */
export const CATEGORIES = ['active', 'complete', 'closed'] as const;

export const Status = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  color: z.string(),
  category: z.enum(CATEGORIES),
  position: z.int(),
  showOnRoadmap: z.boolean(),
  isDefault: z.boolean(),
  createdAt: time,
});
export type Status = z.infer<typeof Status>;

export const CreateStatus = z.object({
  name: line(1, 50),
  slug: z
    .string()
    .min(1)
    .max(50)
    .regex(/^[a-z0-9_]+$/, 'must be lower case letters, digits and underscores')
    .optional()
    .describe('Made from the name when absent'),
  color,
  category: z.enum(CATEGORIES).optional(),
  position: position.optional().describe('Absent: after the others of its category'),
  showOnRoadmap: z.boolean().optional(),
  isDefault: z.boolean().optional(),
});
export type CreateStatus = z.infer<typeof CreateStatus>;

/** A change of a status; slug and category stay as they are. */
export const PatchStatus = z.object({
  name: line(1, 50).optional(),
  color: color.optional(),
  position: position.optional(),
  showOnRoadmap: z.boolean().optional(),
  isDefault: z.boolean().optional(),
});
export type PatchStatus = z.infer<typeof PatchStatus>;

export const Tag = z.object({ id: z.string(), name: z.string(), color: z.string(), createdAt: time });
export type Tag = z.infer<typeof Tag>;

export const CreateTag = z.object({ name: line(1, 50), color: color.optional() });
export type CreateTag = z.infer<typeof CreateTag>;

export const PatchTag = CreateTag.partial();
export type PatchTag = z.infer<typeof PatchTag>;

export const Roadmap = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  isPublic: z.boolean(),
  position: z.int(),
  createdAt: time,
  updatedAt: time,
});
export type Roadmap = z.infer<typeof Roadmap>;

export const CreateRoadmap = z.object({
  name: line(1, 100),
  slug: slug.optional().describe('Made from the name when absent'),
  description: description.optional(),
  isPublic: z.boolean().optional(),
  position: position.optional(),
});
export type CreateRoadmap = z.infer<typeof CreateRoadmap>;

export const PatchRoadmap = CreateRoadmap.partial();
export type PatchRoadmap = z.infer<typeof PatchRoadmap>;

export const RoadmapPost = z.object({
  id: z.string(),
  title: z.string(),
  voteCount: z.int(),
  statusId: z.string().nullable(),
  board: z.object({ id: z.string(), name: z.string(), slug: z.string() }),
  position: z.int(),
});
export type RoadmapPost = z.infer<typeof RoadmapPost>;

export const RANKS = ['admin', 'member', 'user'] as const;

/** A member of the organization. */
export const Member = z.object({
  id: z.string(),
  userId: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  image: z.string().nullable(),
  role: z.enum(RANKS),
  createdAt: time,
});
export type Member = z.infer<typeof Member>;

/** Somebody with what they did. */
export const Person = z.object({
  memberId: z.string(),
  userId: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  image: z.string().nullable(),
  emailVerified: z.boolean(),
  joinedAt: time,
  postCount: z.int(),
  commentCount: z.int(),
  voteCount: z.int(),
});
export type Person = z.infer<typeof Person>;

export const PERSON_SORTS = ['newest', 'oldest', 'most_active', 'name'] as const;

export const ChangelogEntry = z.object({
  id: z.string(),
  title: z.string(),
  content: z.string().describe('Markdown'),
  state: z.enum(['draft', 'scheduled', 'published']),
  publishedAt: time.nullable(),
  labels: z.array(z.string()).describe('What kind of news it is, e.g. ["New", "Fixed"]'),
  linkedPostIds: z.array(z.string()),
  authorName: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
});
export type ChangelogEntry = z.infer<typeof ChangelogEntry>;

export const CreateChangelog = z.object({
  title: line(1, 200).describe('Title, 1 to 200 characters, e.g. "Dark mode is here"'),
  content: text(1, 50_000).describe('Markdown, 1 to 50,000 characters'),
  publishedAt: moment
    .nullable()
    .optional()
    .describe(
      'Date or time, e.g. 2026-03-01 or 2026-03-01T09:00:00Z; absent: a draft, past or now: published, future: scheduled',
    ),
  linkedPostIds: z.array(ids.post).max(100).optional().describe('Posts that this entry is about'),
  labels: z
    .array(line(1, 30))
    .max(5)
    .refine((labels) => new Set(labels.map((label) => label.toLowerCase())).size === labels.length, {
      error: 'must name each label once',
    })
    .optional()
    .describe('Up to 5 words that say what kind of news it is, e.g. ["New", "Fixed"]; [] clears them'),
});
export type CreateChangelog = z.infer<typeof CreateChangelog>;

/** A change of an entry; `publishedAt: null` takes it back to a draft. */
export const PatchChangelog = CreateChangelog.partial();
export type PatchChangelog = z.infer<typeof PatchChangelog>;

/** The events that webhooks can ask for. */
const eventTypes = z
  .array(z.enum(EVENT_TYPES))
  .min(1)
  .describe('What it hears of, e.g. ["post.created", "comment.created"]');
const boardIds = z.array(ids.board).max(50).describe('Only events of these boards; [] means all');
const webhookUrl = z
  .url()
  .max(2048)
  .regex(/^[^\s\p{C}]+$/u, 'must not contain blanks or control characters')
  .describe('Where events are sent, e.g. https://example.com/hooks');
const webhookState = z.enum(['enabled', 'disabled']);

/** A webhook; its secret is shown once, when it is made or rotated. */
export const Webhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  boardIds: z.array(z.string()),
  state: webhookState,
  failureCount: z.int().describe('Failed attempts since the last one that arrived'),
  disabledReason: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
});
export type Webhook = z.infer<typeof Webhook>;

export const CreateWebhook = z.object({ url: webhookUrl, events: eventTypes, boardIds: boardIds.optional() });
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const PatchWebhook = CreateWebhook.extend({
  state: webhookState.describe('disabled: nothing is sent; enabled: starts with a clean slate'),
}).partial();
export type PatchWebhook = z.infer<typeof PatchWebhook>;

/** How a receiver answered the test event. */
export const WebhookTest = z.object({
  status: z.int().nullable().describe('Its HTTP status; null when there was no answer'),
  durationMs: z.int(),
  error: z.string().nullable(),
});
export type WebhookTest = z.infer<typeof WebhookTest>;

/** Where a delivery stands. */
export const DELIVERY_STATUSES = ['pending', 'processing', 'delivered', 'dead', 'cancelled'] as const;

/** One event on its way to a webhook. */
export const Delivery = z.object({
  id: z.string(),
  webhookId: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  subject: z.string().nullable().describe('What the event is about'),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.int(),
  statusCode: z.int().nullable().describe('What the receiver answered last'),
  error: z.string().nullable(),
  nextAttemptAt: time.nullable(),
  createdAt: time,
  deliveredAt: time.nullable(),
});
export type Delivery = z.infer<typeof Delivery>;

const grants = z
  .record(z.string(), z.array(z.string()))
  .describe('Tools by toolset, e.g. {"feedback": ["get_post", "search_feedback"]}');

/** An API key; its text is shown once, when it is made. */
export const ApiKey = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe('The first characters, to tell keys apart'),
  role: z.enum(RANKS).nullable().describe('null: as its owner'),
  grants,
  userId: z.string(),
  createdAt: time,
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable(),
  revokedAt: time.nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;

export const CreateKey = z.object({
  name: line(1, 255),
  role: z.enum(RANKS),
  expiresAt: time.nullable().optional().describe('Absent or null: it does not expire'),
  grants: grants.optional().describe('Absent: all of feedback that its maker may use'),
});
export type CreateKey = z.infer<typeof CreateKey>;
