/** What an agent needs to know before it triages: five lists, read fresh each time. */
import { defineResource } from '@parley/kit';
import * as z from 'zod';
import type { BackendSource, FeedbackBackend } from './backend.ts';
import { WHO_MAY } from './services/who-may.ts';
import { availableFor } from './team-surface.ts';

type Noun = 'boards' | 'statuses' | 'tags' | 'roadmaps' | 'members';

const text = z.string().nullable();
const flag = z.boolean().nullable();

/** The fields of each item; no list shows any other. */
export const RESOURCE_ITEMS = {
  boards: z.object({
    id: text,
    name: text,
    slug: text,
    description: text,
    isPublic: flag,
    postCount: z.number().nullable(),
  }),
  statuses: z.object({
    id: text,
    name: text,
    slug: text,
    color: text,
    category: text,
    isDefault: flag,
    showOnRoadmap: flag,
  }),
  tags: z.object({ id: text, name: text, color: text }),
  roadmaps: z.object({ id: text, name: text, slug: text, isPublic: flag }),
  members: z.object({ id: text, name: text, role: text }),
} as const satisfies Record<Noun, z.ZodObject>;

function listOf(name: Noun, title: string, description: string) {
  return defineResource<BackendSource>({
    name,
    title,
    description,
    mimeType: 'application/json',
    uri: `quackback://${name}`,
    available: availableFor(WHO_MAY[name].list),
    async read(_variables, ctx) {
      const backend: Pick<FeedbackBackend, Noun> = await ctx.services.backendFor(ctx);
      return { text: JSON.stringify(await backend[name]()) };
    },
  });
}

/** The five lists. */
export const feedbackResources = [
  listOf(
    'boards',
    'Boards',
    'The boards that posts stand on. create_post and searches take their id, slug or name as boardId.',
  ),
  listOf(
    'statuses',
    'Statuses',
    'The statuses that a post can have. triage_post takes their id or slug as statusId, searches take the slug as status.',
  ),
  listOf('tags', 'Tags', 'The tags that a post can have. Their ids or names go into tagIds.'),
  listOf(
    'roadmaps',
    'Roadmaps',
    'The roadmaps that posts can be put on. manage_roadmap_post takes their id or slug as roadmapId.',
  ),
  listOf('members', 'Team members', 'The team. triage_post takes their id or name as ownerMemberId.'),
];
