/** Tools for changelog entries; all of them need an administrator. */
import * as z from 'zod';
import { WHO_MAY } from '../services/who-may.ts';
import { ids, moment } from '../shapes/fields.ts';
import { CreateChangelog, PatchChangelog } from '../shapes/nouns.ts';
import { Deleted, defineTool, ShownEntry } from './shapes.ts';
import { availableFor } from '../team-surface.ts';

/** Writes an entry. */
export const createChangelog = defineTool({
  name: 'create_changelog',
  title: 'Create a changelog entry',
  description: 'Writes a changelog entry: a draft, or published at the given time. Needs an administrator.',
  effect: 'create',
  available: availableFor(WHO_MAY.changelog.create),
  input: CreateChangelog.pick({ title: true, content: true }).extend({
    publishedAt: moment
      .optional()
      .describe('Date or time, e.g. 2026-03-01 or 2026-03-01T09:00:00Z; absent: a draft'),
  }),
  output: ShownEntry,
  run: (input, _ctx, backend) => backend.createEntry(input),
});

/** Changes an entry. */
export const updateChangelog = defineTool({
  name: 'update_changelog',
  title: 'Update a changelog entry',
  description: 'Changes a changelog entry. What is not given stays as it is. Needs an administrator.',
  effect: 'update',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.changelog.update),
  input: z.object({
    changelogId: ids.changelog,
    title: PatchChangelog.shape.title,
    content: PatchChangelog.shape.content,
    publishedAt: moment
      .nullable()
      .optional()
      .describe('Date or time, e.g. 2026-03-01T09:00:00Z; null: a draft again'),
    linkedPostIds: z
      .array(ids.post)
      .max(100)
      .optional()
      .describe('Replaces its posts, e.g. ["post_01h455vb4pex5vsknk084sn02q"]; [] clears them'),
  }),
  output: ShownEntry,
  async run({ changelogId, ...change }, ctx, backend) {
    if (Object.values(change).every((value) => value === undefined))
      throw ctx.error(
        'invalid',
        'Nothing to change: give at least one of title, content, publishedAt and linkedPostIds.',
      );
    return backend.updateEntry(changelogId, change);
  },
});

/** Takes an entry away. */
export const deleteChangelog = defineTool({
  name: 'delete_changelog',
  title: 'Delete a changelog entry',
  description: 'Deletes a changelog entry. Needs an administrator.',
  effect: 'delete',
  privileged: 'by-name',
  available: availableFor(WHO_MAY.changelog.delete),
  input: z.object({ changelogId: ids.changelog }),
  output: Deleted,
  run: ({ changelogId }, _ctx, backend) => backend.deleteEntry(changelogId),
});
