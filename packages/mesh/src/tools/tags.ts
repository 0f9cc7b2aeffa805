/** Tools on tags, and on which members have them. */
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { Id } from './fields.ts';

const Tag = z.object({
  id: z.string(),
  organizationId: z.string(),
  name: z.string(),
  createdAt: z.string(),
});

export const tagsList = defineTool({
  name: 'TAGS_LIST',
  title: 'List Tags',
  description: 'The tags of your organization, by name.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ tags: z.array(Tag) }),
  run: async (_input, { services, caller }) => ({ tags: await services.tags.list(caller.organizationId) }),
});

export const tagsCreate = defineTool({
  name: 'TAGS_CREATE',
  title: 'Create Tag',
  description: 'Makes a tag; one with the same name is returned as it is.',
  effect: 'create',
  input: z.object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(50)
      .regex(/^[^,]*$/, 'must have no comma')
      .describe('Without a comma'),
  }),
  output: z.object({ tag: Tag }),
  run: async ({ name }, { services, caller }) => ({
    tag: await services.tags.ensure(caller.organizationId, name),
  }),
});

export const tagsDelete = defineTool({
  name: 'TAGS_DELETE',
  title: 'Delete Tag',
  description: 'Deletes a tag and takes it off every member.',
  effect: 'delete',
  privileged: true,
  input: z.object({ tagId: Id }),
  output: z.object({ success: z.boolean(), tagId: z.string(), deleted: z.boolean() }),
  run: async (input, { services, caller }) => ({
    success: true,
    tagId: input.tagId,
    deleted: await services.tags.delete(caller.organizationId, input.tagId),
  }),
});

export const memberTagsGet = defineTool({
  name: 'MEMBER_TAGS_GET',
  title: 'Get Member Tags',
  description: 'The tags of a member.',
  effect: 'read',
  input: z.object({ memberId: Id }),
  output: z.object({ tags: z.array(Tag) }),
  run: async (input, { services, caller }) => ({
    tags: await services.tags.ofMember(caller.organizationId, input.memberId),
  }),
});

export const memberTagsSet = defineTool({
  name: 'MEMBER_TAGS_SET',
  title: 'Set Member Tags',
  description: 'Replaces all tags of a member.',
  effect: 'update',
  input: z.object({
    memberId: Id,
    tagIds: z.array(Id).max(100).describe('[] takes all off'),
  }),
  output: z.object({ success: z.boolean(), tags: z.array(Tag) }),
  run: async (input, { services, caller }) => ({
    success: true,
    tags: await services.tags.setOfMember(caller.organizationId, input.memberId, input.tagIds),
  }),
});
