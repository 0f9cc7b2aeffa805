/** The tool for posts on roadmaps. */
import * as z from 'zod';
import { WHO_MAY } from '../services/who-may.ts';
import { ids } from '../shapes/fields.ts';
import { defineTool, ShownPlacement } from './shapes.ts';
import { availableFor } from '../team-surface.ts';

/** Adds, moves or removes a post of a roadmap. */
export const manageRoadmapPost = defineTool({
  name: 'manage_roadmap_post',
  title: 'Manage a post on a roadmap',
  description: 'Puts a post on a roadmap, moves it there, or takes it off.',
  effect: 'update',
  hints: { idempotentHint: false },
  privileged: 'by-name',
  available: availableFor(WHO_MAY.roadmaps.addPost),
  input: z.object({
    roadmapId: ids.roadmap,
    postId: ids.post,
    action: z.enum(['add', 'remove', 'move']).describe('add, remove or move'),
    position: z.int().min(0).optional().describe('For move: the new place, 0 is the first'),
  }),
  output: ShownPlacement,
  async run({ roadmapId, postId, action, position }, ctx, backend) {
    if (action === 'move') {
      if (position === undefined) throw ctx.error('invalid', 'position: is required for move');
      return backend.placeOnRoadmap({ roadmapId, postId, action, position });
    }
    if (position !== undefined) throw ctx.error('invalid', 'position: works with move only');
    return backend.placeOnRoadmap({ roadmapId, postId, action });
  },
});
