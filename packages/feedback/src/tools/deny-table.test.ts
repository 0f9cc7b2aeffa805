/** Every tool and resource by every kind of caller, compared with the table that is written down in `deny-table.md`. */
import type { Caller } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { scratchStore } from '@parley/store/testing';
import { describe, expect, test } from 'vitest';
import type { Line } from '../../test/deny-table.ts';
import { callerWith, contentOf, grantNames, linesOf } from '../../test/deny-table.ts';
import type { TestApi } from '../../test/rest-api.ts';
import { openRest } from '../../test/rest-api.ts';
import type { World } from '../../test/rest-samples.ts';
import { fill, makeWorld, unknownWorld } from '../../test/rest-samples.ts';
import { onBothEngines } from '../testing/engines.ts';
import { feedbackResources } from '../resources.ts';
import { feedbackToolset, withBackend } from '../toolset.ts';
import { feedbackTools } from './index.ts';

const LONG_MS = 240_000;
const TOOLS = linesOf('Tools');
const RESOURCES = linesOf('Resources');
const TOOL_COLUMNS = [
  'visitor',
  'member',
  'admin',
  'owner',
  'member by name',
  'admin by name',
  'other grants',
  'unattended',
];
const RESOURCE_COLUMNS = ['visitor', 'member', 'admin', 'owner', 'its grant', 'other grants', 'unattended'];

/** A call of each tool; ids stand in it as in the samples of routes. */
const SAMPLES: Readonly<Record<string, Record<string, unknown>>> = {
  search_feedback: { query: 'dark', boardId: '{board}' },
  get_post: { postId: '{post}' },
  triage_post: { postId: '{post}', tagIds: ['{tag}'] },
  add_comment: { postId: '{post}', content: 'Yes' },
  create_post: { boardId: '{board}', title: 'New' },
  create_changelog: { title: 'New', content: 'Text' },
  find_feedback: { boardId: '{board}' },
  get_post_activity: { postId: '{post}' },
  vote_post: { postId: '{post}', voted: true },
  proxy_vote: { postId: '{post}', memberId: '{member}', action: 'add' },
  update_post: { postId: '{post}', title: 'Changed' },
  merge_post: { duplicatePostId: '{post}', canonicalPostId: '{otherPost}' },
  unmerge_post: { postId: '{mergedPost}' },
  delete_post: { postId: '{post}' },
  restore_post: { postId: '{deletedPost}' },
  update_comment: { commentId: '{comment}', content: 'Better' },
  delete_comment: { commentId: '{comment}' },
  react_to_comment: { commentId: '{comment}', emoji: '👍', action: 'add' },
  pin_comment: { postId: '{post}', commentId: '{comment}' },
  manage_roadmap_post: { roadmapId: '{roadmap}', postId: '{post}', action: 'add' },
  update_changelog: { changelogId: '{changelog}', title: 'Newer' },
  delete_changelog: { changelogId: '{changelog}' },
};

function inputOf(name: string, world: World): Record<string, unknown> {
  // A sample is an object, and stays one when ids are put in.
  return fill({ path: '' }, { body: SAMPLES[name] }, world).body as Record<string, unknown>;
}

/** Somebody of each column; `name` is what a grant has to name. */
async function callersOf(api: TestApi) {
  const admin = (await api.join('admin', 'Alex Admin')).caller;
  return async (column: string, name: string): Promise<Caller> => {
    const everything = { grants: ALL_GRANTS };
    switch (column) {
      case 'visitor':
        // What a key could never have: even then there is nothing.
        return { ...api.callers.visitor, grants: { feedback: ['*', name] } };
      case 'member':
        return callerWith(api, api.callers.member, ['*']);
      case 'admin':
        return { ...admin, ...everything };
      case 'owner':
        return { ...api.callers.admin, ...everything };
      case 'member by name':
        return callerWith(api, api.callers.member, [name]);
      case 'admin by name':
        return callerWith(api, admin, [name]);
      case 'its grant':
        return callerWith(api, api.callers.admin, [name]);
      case 'other grants':
        return callerWith(
          api,
          api.callers.admin,
          grantNames().filter((each) => each !== name),
        );
      case 'unattended':
        return { ...(await callerWith(api, admin, [name])), unattended: true };
      default:
        throw new Error(`Nobody calls as ${column}.`);
    }
  };
}

function clientOf(api: TestApi, as: Caller) {
  return connect(feedbackToolset, { services: withBackend(api.services), as });
}

/** How a call ends: `ok`, the code of a fault, or `hidden` when it is like a call of nothing. */
async function outcomeOf(api: TestApi, as: Caller, name: string, input: Record<string, unknown>) {
  await using client = await clientOf(api, as);
  const call = (tool: string) =>
    client.raw.callTool({ name: tool, arguments: input }).then(
      ({ isError, content, _meta }) => ({ isError, text: JSON.stringify([content, _meta]) }),
      (error: Error) => ({ isError: true, text: error.message.replace(tool, 'TOOL') }),
    );
  const answer = await call(name);
  const isListed = (await client.toolNames()).includes(name);
  if (answer.text === (await call('no_such_tool')).text && !isListed) return { end: 'hidden', text: '' };
  const code = /"(not_found|invalid|forbidden|conflict)"/.exec(answer.text)?.[1];
  const end = answer.isError === true ? (code ?? answer.text) : 'ok';
  return { end: isListed ? end : `${end}, though not listed`, text: answer.text };
}

describe('the table of tools and resources', () => {
  test('has a line for each, and no line without one', () => {
    const names = TOOLS.map((line) => line('tool')).toSorted();
    expect(names).toEqual(feedbackTools.map(({ name }) => name).toSorted());
    expect(names).toEqual(Object.keys(SAMPLES).toSorted());
    expect(RESOURCES.map((line) => [line('resource'), line('grant')])).toEqual(
      feedbackResources.map(({ uri, name }) => [uri, name]),
    );
  });
});

describe('tools', () => {
  test('are there for whoever the table says, and hidden from others', { timeout: LONG_MS }, async () => {
    await using store = await scratchStore();
    const api = await openRest(store);
    const callers = await callersOf(api);
    const shared = await makeWorld(api);
    const before = await contentOf(api);
    const wrong: string[] = [];
    const compare = async (line: Line, column: string, world: World) => {
      const name = line('tool');
      const { end, text } = await outcomeOf(api, await callers(column, name), name, inputOf(name, world));
      if (end !== line(column)) wrong.push(`${name} for ${column}: ${end} ${text}`);
    };
    const cells = TOOLS.flatMap((line) => TOOL_COLUMNS.map((column) => ({ line, column })));
    const isHidden = ({ line, column }: (typeof cells)[number]) => line(column) === 'hidden';
    for (const { line, column } of cells.filter(isHidden)) await compare(line, column, shared);
    expect(wrong).toEqual([]);
    expect(await contentOf(api)).toBe(before);
    for (const { line, column } of cells.filter((cell) => !isHidden(cell)))
      await compare(line, column, await makeWorld(api, { body: SAMPLES[line('tool')] }));
    expect(wrong).toEqual([]);
  });
});

describe('resources', () => {
  test('are there for whoever the table says, and hidden from others', { timeout: LONG_MS }, async () => {
    await using store = await scratchStore();
    const api = await openRest(store);
    const neighbour = await openRest(store, { slug: 'neighbour' });
    const callers = await callersOf(api);
    const world = await makeWorld(api);
    const wrong: string[] = [];
    for (const line of RESOURCES) {
      const [uri, name] = [line('resource'), line('grant')];
      for (const column of RESOURCE_COLUMNS) {
        await using client = await clientOf(api, await callers(column, name));
        const read = (at: string) =>
          client.raw.readResource({ uri: at }).then(
            () => 'ok',
            (error: Error) => error.message.replace(at, 'URI'),
          );
        const isListed = (await client.raw.listResources()).resources.some((each) => each.uri === uri);
        const end = await read(uri);
        const isHidden = !isListed && end === (await read('quackback://nothing'));
        if ((isHidden ? 'hidden' : end) !== line(column) || isListed === isHidden)
          wrong.push(`${uri} for ${column}: ${end}`);
      }
      expect(line('foreign')).toBe('own');
      await using client = await clientOf(neighbour, neighbour.callers.admin);
      const text = JSON.stringify(await client.raw.readResource({ uri }));
      for (const id of Object.values(world)) if (text.includes(id)) wrong.push(`${uri} shows ${id}`);
    }
    expect(wrong).toEqual([]);
  });
});

onBothEngines('tools and two organizations', (open) => {
  test('give the owner of another one what the table says', { timeout: LONG_MS }, async () => {
    const store = await open();
    const api = await openRest(store);
    const neighbour = await openRest(store, { slug: 'neighbour' });
    const world = await makeWorld(api);
    const unknown = unknownWorld(world);
    const before = await contentOf(api);
    const wrong: string[] = [];
    for (const line of TOOLS) {
      const name = line('tool');
      const as = await callerWith(neighbour, neighbour.callers.admin, [name]);
      const ask = async (asked: World) => {
        const { end, text } = await outcomeOf(neighbour, as, name, inputOf(name, asked));
        let plain = text;
        for (const [thing, id] of Object.entries(asked)) plain = plain.replaceAll(id, `{${thing}}`);
        return { end, plain, isClean: !Object.values(world).some((id) => text.includes(id)) };
      };
      const [foreign, nobody] = [await ask(world), await ask(unknown)];
      const isRight =
        line('foreign') === 'own'
          ? foreign.end === 'ok' && foreign.isClean
          : foreign.end === line('foreign') && foreign.plain === nobody.plain;
      if (!isRight) wrong.push(`${name}: ${JSON.stringify([foreign, nobody])}`);
    }
    expect(wrong).toEqual([]);
    expect(await contentOf(api)).toBe(before);
  });
});
