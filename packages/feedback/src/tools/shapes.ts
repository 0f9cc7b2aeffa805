/** What tools answer: the fields of every surface less e-mail, with room for what another server adds. */
import type { Context } from '@parley/kit';
import { defineToolWith } from '@parley/kit';
import * as z from 'zod';
import type { BackendSource } from '../backend.ts';

/** Defines a tool of this toolset: `run` is given the backend as its caller has it. */
export const defineTool = defineToolWith((ctx: Context<BackendSource>) => ctx.services.backendFor(ctx));

type Nullable<Shape extends Record<string, z.ZodType>> = {
  [Field in keyof Shape]: z.ZodNullable<Shape[Field]>;
};

/** An object whose fields are null where the server does not tell them; unknown fields pass. */
function shown<Shape extends Record<string, z.ZodType>>(
  shape: Shape,
): z.ZodObject<Nullable<Shape>, z.core.$loose> {
  const fields = Object.entries(shape).map(([name, field]) => [name, field.nullable()]);
  // The same names, each with null added.
  return z.looseObject(Object.fromEntries(fields) as Nullable<Shape>);
}

const text = z.string();
const count = z.int();
const flag = z.boolean();

const foundFields = {
  id: text,
  title: text,
  voteCount: count,
  commentCount: count,
  boardId: text,
  boardSlug: text,
  boardName: text,
  statusId: text,
  status: shown({ slug: text, name: text }),
  authorName: text,
  ownerId: text,
  ownerMemberId: text,
  tags: z.array(shown({ id: text, name: text, color: text })),
  createdAt: text,
  updatedAt: text,
};

const itemFields = { ...foundFields, content: text };

const commentFields = {
  id: text,
  postId: text,
  parentId: text,
  content: text,
  authorName: text,
  memberId: text,
  isTeamMember: flag,
  isPrivate: flag.describe('True: only the team sees it'),
  createdAt: text,
  editedAt: text,
  deletedAt: text,
  reactions: z.array(shown({ emoji: text, count, hasReacted: flag })),
};

/** A comment by itself. */
export const ShownComment = shown(commentFields);
export type ShownComment = z.infer<typeof ShownComment>;

/** A comment with its replies; these are described one level deep, since a thread has no bound. */
export const ShownThread = shown({
  ...commentFields,
  replies: z.array(z.looseObject({})).describe('Comments of the same form, to any depth'),
});
export type ShownThread = z.infer<typeof ShownThread>;

const detailFields = {
  ...itemFields,
  contentJson: z.unknown(),
  officialResponse: text,
  officialResponseAuthorName: text,
  officialResponseAt: text,
  roadmapIds: z.array(text),
  pinnedComment: ShownComment,
  mergedIntoId: text,
  moderation: text.describe('published, pending, spam or archived'),
  deletedAt: text,
};

/** A post in a list. */
export const ShownItem = shown(itemFields);
export type ShownItem = z.infer<typeof ShownItem>;

/** A whole post. */
export const ShownPost = shown(detailFields);
export type ShownPost = z.infer<typeof ShownPost>;

const postAndComments = shown({
  ...detailFields,
  comments: z.array(ShownThread),
});

/** A whole post with all its comments. */
export type ShownPostWithComments = z.infer<typeof postAndComments>;

/** A post as a search returns it: the beginning of its text, or all of it. */
export const ShownFound = shown(foundFields).extend({
  excerpt: text.optional().describe('The first 200 characters'),
  content: text.optional().describe('The whole text, with fullText'),
});
export type ShownFound = z.infer<typeof ShownFound>;

/** A changelog entry. */
export const ShownEntry = shown({
  id: text,
  title: text,
  content: text,
  state: text.describe('draft, scheduled or published'),
  publishedAt: text,
  labels: z.array(text),
  linkedPostIds: z.array(text),
  authorName: text,
  createdAt: text,
  updatedAt: text,
});
export type ShownEntry = z.infer<typeof ShownEntry>;

/** One thing that happened to a post. */
export const ShownActivity = shown({
  id: text,
  postId: text,
  action: text,
  actorName: text,
  memberId: text,
  from: text,
  to: text,
  createdAt: text,
});
export type ShownActivity = z.infer<typeof ShownActivity>;

/** The outcome of a vote. */
export const ShownVote = shown({ voted: flag, voteCount: count });
export type ShownVote = z.infer<typeof ShownVote>;

/** The reactions of a comment. */
export const ShownReactions = z.object({ reactions: commentFields.reactions });
export type ShownReactions = z.infer<typeof ShownReactions>;

/** Where a post stands on a roadmap. */
export const ShownPlacement = z.object({
  roadmapId: text,
  postId: text,
  isOnRoadmap: flag,
  position: count.nullable(),
});
export type ShownPlacement = z.infer<typeof ShownPlacement>;

/** What is left of something that was deleted. */
export const Deleted = z.object({ id: text, isDeleted: z.literal(true) });
export type Deleted = z.infer<typeof Deleted>;

/** How every list tells where it ended. */
export const pageFields = {
  nextCursor: text.nullable().describe('Give it as cursor to get the next page; null at the end'),
  hasMore: flag,
  total: count.nullable().describe('How many match in all'),
};

/** A whole post with one page of its comments. */
export const ShownPostPage = postAndComments.extend({
  comments: z
    .array(ShownThread)
    .describe('Oldest first, with nested replies; one whose parent was on a page before stands by itself'),
  nextCursor: pageFields.nextCursor,
  hasMore: pageFields.hasMore,
});

/** What a list item is in `find_feedback`: no long texts. */
export const ShownExcerpt = z.looseObject({
  id: text.nullable(),
  title: text.nullable(),
  excerpt: text.describe('The first 200 characters'),
});
export type ShownExcerpt = z.infer<typeof ShownExcerpt>;

/** One page of a list as tools answer it. */
export interface ShownPage<Item> {
  items: Item[];
  nextCursor: string | null;
  hasMore: boolean;
  total: number | null;
}

/** Keeps the fields that a shape names and nothing else; what is absent is null. */
export function only<Shape extends z.ZodObject>(shape: Shape, value: object): z.infer<Shape> {
  const known = new Map<string, unknown>(Object.entries(value));
  const fields = Object.keys(shape.shape).map((name) => [name, known.get(name) ?? null]);
  // Exactly the names of the shape; the values are of the services, whose own shapes have the same names.
  return Object.fromEntries(fields) as z.infer<Shape>;
}

/** Turns every comment of a tree; by a loop, since a thread may be deeper than the stack. */
export function turnTree(
  roots: readonly unknown[],
  turn: (node: object) => Record<string, unknown>,
): ShownThread[] {
  const shownRoots: Record<string, unknown>[] = [];
  const open: [from: readonly unknown[], to: Record<string, unknown>[]][] = [[roots, shownRoots]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [from, to] = next;
    for (const node of from) {
      if (typeof node !== 'object' || node === null) continue;
      const replies: Record<string, unknown>[] = [];
      to.push({ ...turn(node), replies });
      if ('replies' in node && Array.isArray(node.replies)) open.push([node.replies, replies]);
    }
  }
  // Each was turned into the fields of a comment.
  return shownRoots as ShownThread[];
}
