/** Long lists in pages, in both eras: cursors of this server alone, for one list as one kind of caller sees it now. */
import type { Answer } from '@parley/test-support/wire';
import { modern, sendModern } from '@parley/test-support/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bed } from '../../test/scripted-links.ts';
import { served, servedTool, startBed } from '../../test/scripted-links.ts';
import { openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';

const COUNT = 2_100;
const REFUSED = {
  code: -32602,
  message: 'Invalid cursor: it is not of this list, or the list has changed. List again without a cursor.',
};
const LISTS = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
} as const;
type Method = keyof typeof LISTS;
type Ask = (method: Method, params?: Record<string, unknown>) => Promise<Answer>;

let bed: Bed;
let gateway: TestGateway;
const many = <T>(make: (name: string) => T): T[] =>
  Array.from({ length: COUNT }, (_, at) => make(`n${String(at).padStart(5, '0')}`));

/** A connection with more of everything than a page holds. */
function long(id: string, organizationId: string, more: object = {}) {
  return served(id, {
    organizationId,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    tools: many((name) => servedTool(name)),
    resources: many((name) => ({ name, uri: `doc://${name}` })),
    templates: many((name) => ({ name: `t-${name}`, uriTemplate: `page://${name}/{id}` })),
    prompts: many((name) => ({ name: `p-${name}` })),
    ...more,
  });
}

beforeAll(async () => {
  bed = startBed();
  gateway = await startGateway({ connections: bed.gateway });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await bed[Symbol.asyncDispose]();
  expect(bed.faults).toEqual([]);
});

const ERAS: Record<string, (key: string, path: string) => Promise<Ask>> = {
  async modern(key, path) {
    return (method, params = {}) => sendModern({ port: gateway.port, key, path }, modern(method, params));
  },
  async legacy(key, path) {
    const session = await openSession({ port: gateway.port, key, path });
    return (method, params) => session.request(method, params);
  },
};

describe.each(Object.entries(ERAS))('a %s client', (era, asks) => {
  const id = `conn_${era}`;
  const path = `/mcp/${id}`;
  let ask: Ask;
  const methods = Object.keys(LISTS) as Method[];
  const firstCursors = async (from = ask) => {
    const cursors: string[] = [];
    // One after the other: all requests of a session have one id here.
    for (const method of methods) cursors.push((await from(method)).json.result.nextCursor);
    return cursors;
  };

  beforeAll(async () => {
    bed.give(gateway.owner.organizationId, long(id, gateway.owner.organizationId));
    ask = await asks(gateway.ownerKey, path);
  });

  test('reads every list to its end, page after page, nothing twice', async () => {
    for (const method of methods) {
      const names: string[] = [];
      const sizes: number[] = [];
      let cursor: string | undefined;
      do {
        const { result } = (await ask(method, cursor === undefined ? {} : { cursor })).json;
        const items = result[LISTS[method]] as { name: string }[];
        sizes.push(items.length);
        names.push(...items.map(({ name }) => name));
        cursor = result.nextCursor;
      } while (cursor !== undefined);
      expect(sizes).toEqual([1000, 1000, COUNT - 2000]);
      expect(new Set(names).size).toBe(COUNT);
    }
  });

  test('cannot use a cursor of another list, nor one that was bent or made up', async () => {
    const cursors = await firstCursors();
    expect(new Set(cursors).size).toBe(methods.length);
    for (const [at, method] of methods.entries()) {
      const own = cursors[at] ?? '';
      const bent = [0, 6, own.length - 1].map(
        (place) => `${own.slice(0, place)}${own[place] === 'A' ? 'B' : 'A'}${own.slice(place + 1)}`,
      );
      const made = [
        Buffer.from('n01000').toString('base64url'),
        '',
        `${own}=`,
        `${own}A`,
        'A'.repeat(100_000),
      ];
      for (const cursor of [...cursors.filter((each) => each !== own), ...bent, ...made])
        expect((await ask(method, { cursor })).json.error).toEqual(REFUSED);
      expect((await ask(method, { cursor: own })).json.error).toBeUndefined();
    }
  });

  test('shares a cursor with a key of the same rights, and with no other key', async () => {
    const grants = { [id]: ['*'] };
    const [mine, same, other] = await Promise.all([
      gateway.key(grants),
      gateway.key(grants),
      gateway.key({ [id]: ['*'], lab: ['echo'] }),
    ]);
    const cursors = await firstCursors(await asks(mine.text, path));
    const [like, unlike] = [await asks(same.text, path), await asks(other.text, path)];
    for (const [at, method] of methods.entries()) {
      const cursor = cursors[at];
      expect((await like(method, { cursor })).json.result[LISTS[method]]).toHaveLength(1000);
      // What it sees here is the same, and still it is somebody else.
      expect((await unlike(method)).json.result[LISTS[method]]).toHaveLength(1000);
      expect((await unlike(method, { cursor })).json.error).toEqual(REFUSED);
      expect((await ask(method, { cursor })).json.error).toEqual(REFUSED);
    }
  });

  test('cannot use a cursor of another organization that has the same', async () => {
    const { text, caller } = await gateway.stranger(`paging-${era}`);
    bed.give(caller.organizationId, long(id, caller.organizationId));
    const theirs = await asks(text, path);
    for (const [at, cursor] of (await firstCursors()).entries()) {
      const method = methods[at] as Method; // one for each
      expect((await theirs(method)).json.result[LISTS[method]]).toHaveLength(1000);
      expect((await theirs(method, { cursor })).json.error).toEqual(REFUSED);
    }
  });

  test('starts again when the list has changed, and not when another one has', async () => {
    const [tools, resources] = await firstCursors();
    const { organizationId } = gateway.owner;
    const after = [...many((name) => servedTool(name)), servedTool('zz-new')];
    bed.give(organizationId, long(id, organizationId, { tools: after }));
    await expect.poll(async () => (await ask('tools/list', { cursor: tools })).json.error).toEqual(REFUSED);
    expect((await ask('resources/list', { cursor: resources })).json.error).toBeUndefined();
    const again = (await ask('tools/list')).json.result.nextCursor;
    expect((await ask('tools/list', { cursor: again })).json.result.tools).toHaveLength(1000);
  });
});

test('a cursor is read alike on the hot path and through the SDK', async () => {
  const key = gateway.ownerKey;
  const answers = async (params: Record<string, unknown>) => {
    const message = modern('tools/list', params);
    const [hot, sdk] = [
      await sendModern({ port: gateway.port, key }, message),
      await sendModern({ port: gateway.sdkPort, key }, message),
    ];
    expect(hot.text).toBe(sdk.text);
    return hot.json.result;
  };
  const { nextCursor } = await answers({});
  expect((await answers({ cursor: nextCursor })).tools.length).toBeGreaterThan(0);
});
