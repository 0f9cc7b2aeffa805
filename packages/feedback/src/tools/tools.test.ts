import { rankOf } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { hintsOf, isTeam } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BackendSource } from '../backend.ts';
import { RESOURCE_ITEMS } from '../resources.ts';
import { remoteFeedbackToolset, remoteGrants } from '../remote/index.ts';
import { Board, ChangelogEntry, Member, Roadmap, Status, Tag } from '../shapes/nouns.ts';
import { Activity, Comment, PostDetail, PostItem } from '../shapes/posts.ts';
import { feedbackTools } from './index.ts';
import { ShownActivity, ShownComment, ShownEntry, ShownItem, ShownPost, turnTree } from './shapes.ts';

const none: BackendSource = {
  backendFor: () => Promise.reject(new Error('Nothing may be asked of a backend here.')),
};

const EVERYDAY = [
  'add_comment',
  'create_changelog',
  'create_post',
  'get_post',
  'search_feedback',
  'triage_post',
];
const SECOND_TIER = feedbackTools.filter((tool) => tool.privileged === 'by-name').map(({ name }) => name);
const LISTS = ['boards', 'members', 'roadmaps', 'statuses', 'tags'];

async function seenBy(caller: Partial<Caller>) {
  await using client = await connect(remoteFeedbackToolset, { services: none, as: caller });
  const { resources } = await client.raw.listResources();
  return { tools: await client.toolNames(), resources: resources.map(({ name }) => name) };
}

describe('what a caller sees', () => {
  test('six tools and five lists without --extended', async () => {
    const seen = await seenBy({ grants: remoteGrants(false), source: 'stdio' });
    expect(seen).toEqual({ tools: EVERYDAY, resources: LISTS });
  });

  test('everything with --extended', async () => {
    const { tools } = await seenBy({ grants: remoteGrants(true), source: 'stdio' });
    expect(tools).toEqual([...EVERYDAY, ...SECOND_TIER].toSorted());
    expect(SECOND_TIER).toHaveLength(16);
  });

  test('a member has no changelog tool, and a visitor has nothing', async () => {
    const grants = { feedback: ['*'] };
    const { tools } = await seenBy({ roles: ['member'], grants });
    expect(tools).toEqual(EVERYDAY.filter((name) => name !== 'create_changelog'));
    expect(await seenBy({ roles: ['user'], grants })).toEqual({ tools: [], resources: [] });
    expect(await seenBy({ roles: [], grants })).toEqual({ tools: [], resources: [] });
  });

  test('a grant names what a key has, tools and lists alike', async () => {
    const grants = { feedback: ['get_post', 'tags', 'vote_post'] };
    expect(await seenBy({ roles: ['member'], grants })).toEqual({
      tools: ['get_post', 'vote_post'],
      resources: ['tags'],
    });
  });

  test('deleting a post is gone when nobody is watching', async () => {
    const grants = { feedback: ['*', ...SECOND_TIER] };
    const { tools } = await seenBy({ grants, unattended: true });
    expect(tools).not.toContain('delete_post');
    expect(tools).toContain('delete_comment');
  });

  test('a hidden tool answers like one that does not exist', async () => {
    await using client = await connect(remoteFeedbackToolset, {
      services: none,
      as: { roles: ['member'], grants: { feedback: ['*'] } },
    });
    const faultOf = async (name: string) =>
      client.raw
        .callTool({ name, arguments: {} })
        .catch((error: Error) => error.message.replace(name, 'NAME'));
    const unknown = await faultOf('no_such_tool');
    for (const name of SECOND_TIER) expect(await faultOf(name)).toEqual(unknown);
  });

  test('who counts as the team is what identity says', () => {
    const roles = fc.array(fc.constantFrom('owner', 'admin', 'member', 'user', 'designer'), { maxLength: 4 });
    fc.assert(fc.property(roles, (held) => isTeam({ roles: held }) === (rankOf(held) !== 'user')));
  });
});

describe('definitions', () => {
  test('are those of the everyday set, with their limits, defaults and hints', async () => {
    await using client = await connect(remoteFeedbackToolset, {
      services: none,
      as: { grants: remoteGrants(false) },
    });
    const { tools } = await client.raw.listTools();
    const shown = tools.map(({ name, inputSchema, annotations }) => ({
      name,
      required: inputSchema.required ?? [],
      fields: Object.keys(inputSchema.properties ?? {}),
      hints: { ...annotations, title: undefined },
    }));
    const [read, create, update] = (['read', 'create', 'update'] as const).map((effect) => ({
      ...hintsOf(effect, true),
      title: undefined,
    }));
    expect(shown).toEqual([
      {
        name: 'add_comment',
        required: ['postId', 'content'],
        fields: ['postId', 'content', 'parentId', 'isPrivate'],
        hints: create,
      },
      {
        name: 'create_changelog',
        required: ['title', 'content'],
        fields: ['title', 'content', 'publishedAt'],
        hints: create,
      },
      {
        name: 'create_post',
        required: ['boardId', 'title'],
        fields: ['boardId', 'title', 'content', 'statusId', 'tagIds'],
        hints: create,
      },
      { name: 'get_post', required: ['postId'], fields: ['postId', 'limit', 'cursor'], hints: read },
      {
        name: 'search_feedback',
        required: [],
        fields: ['query', 'boardId', 'status', 'tagIds', 'sort', 'limit', 'cursor', 'fullText'],
        hints: read,
      },
      {
        name: 'triage_post',
        required: ['postId'],
        fields: ['postId', 'statusId', 'tagIds', 'ownerMemberId', 'officialResponse'],
        hints: update,
      },
    ]);
    const schemaOf = (name: string, field: string) =>
      new Map(Object.entries(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {})).get(
        field,
      );
    expect(schemaOf('search_feedback', 'limit')).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 20,
    });
    expect(schemaOf('search_feedback', 'sort')).toMatchObject({
      enum: ['newest', 'oldest', 'votes'],
      default: 'newest',
    });
    expect(schemaOf('add_comment', 'content')).toMatchObject({ minLength: 1, maxLength: 5000 });
    expect(schemaOf('create_post', 'title')).toMatchObject({ minLength: 1, maxLength: 200 });
    expect(schemaOf('create_post', 'content')).toMatchObject({ maxLength: 10_000 });
    expect(schemaOf('create_changelog', 'content')).toMatchObject({ minLength: 1, maxLength: 50_000 });
  });

  test('every field is described, and every id by an example or by what else is taken for it', async () => {
    await using client = await connect(remoteFeedbackToolset, {
      services: none,
      as: { grants: remoteGrants(true) },
    });
    const { tools } = await client.raw.listTools();
    for (const { name, inputSchema } of tools) {
      const fields = Object.entries(inputSchema.properties as Record<string, { description?: string }>);
      for (const [field, { description }] of fields) {
        const where = `${name}.${field}: ${description}`;
        expect(description, where).toBeTruthy();
        if (/ids?$/i.test(field))
          expect(description, where).toMatch(/_01h455vb4pex5vsknk084sn02|slug|name|^The /);
      }
    }
  });

  test('five lists, under their addresses', async () => {
    await using client = await connect(remoteFeedbackToolset, { services: none });
    const { resources } = await client.raw.listResources();
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual(
      LISTS.map((name) => [`quackback://${name}`, 'application/json']),
    );
  });
});

describe('shown fields', () => {
  test('are those of the other surfaces, less e-mail', () => {
    const names = (shape: { shape: object }) => Object.keys(shape.shape).toSorted();
    expect(names(ShownItem)).toEqual(names(PostItem));
    expect(names(ShownPost)).toEqual(names(PostDetail).filter((name) => name !== 'authorEmail'));
    expect(names(ShownComment)).toEqual(names(Comment));
    expect(names(ShownEntry)).toEqual(names(ChangelogEntry));
    expect(names(ShownActivity)).toEqual(names(Activity));
    const nouns = { boards: Board, statuses: Status, tags: Tag, roadmaps: Roadmap, members: Member };
    for (const [noun, shape] of Object.entries(nouns))
      expect(names(shape)).toEqual(expect.arrayContaining(names(RESOURCE_ITEMS[noun as keyof typeof nouns])));
  });

  test('a tree is turned at any depth, in order', () => {
    let tree: object = { id: 0, replies: [] };
    for (let id = 1; id < 100_000; id += 1) tree = { id, replies: [{ id: -id, replies: [] }, tree] };
    const [root] = turnTree([tree], (node) => ({ ...node, turned: true }));
    expect(root).toMatchObject({ id: 99_999, turned: true });
    expect(root?.replies?.map((reply) => reply.id)).toEqual([-99_999, 99_998]);
  });
});
