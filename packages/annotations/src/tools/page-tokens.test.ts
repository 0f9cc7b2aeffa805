import { connect, scenarios } from '@parley/kit/testing';
import type { Scenario } from '@parley/kit/testing';
import { scratchStore } from '@parley/store/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Desk } from '../../test/notes.ts';
import { openDesk, ORGANIZATION, ORIGIN } from '../../test/notes.ts';
import { annotationsToolset } from '../toolset.ts';

const NAMES = ['list_page_tokens', 'revoke_page_token', 'update_page_token'];
const UNKNOWN = 'ptk_01h455vb4pex5vsknk084sn02q';
const NAMED = { grants: { annotations: ['*', ...NAMES] } };

let store: Awaited<ReturnType<typeof scratchStore>>;
let desk: Desk;
let own: string;
let foreign: string;

beforeAll(async () => {
  store = await scratchStore();
  desk = await openDesk(store);
});
afterAll(async () => {
  await desk.services.close();
  await store[Symbol.asyncDispose]();
});
beforeEach(async () => {
  const { pageTokens } = desk.services;
  const tokenOf = async (organizationId: string) => {
    const text = await pageTokens.show(organizationId);
    const [token] = await pageTokens.list(organizationId, 1);
    await pageTokens.allow(organizationId, token!.id, []);
    expect(await pageTokens.find(text, ORIGIN)).toMatchObject({ id: token!.id });
    return token!.id;
  };
  own = await tokenOf(ORGANIZATION);
  foreign = await tokenOf('org_stranger');
});

function table(rows: readonly Scenario[]): void {
  const named = rows.map((row) => ({ as: NAMED, ...row }));
  scenarios({ test, expect }, annotationsToolset, () => ({ services: desk.services }), named);
}

table([
  {
    name: 'tokens are listed without their text, hash or those of strangers',
    call: () => ['list_page_tokens', {}],
    shows: ['"state":"valid"', '"origins":[]'],
    hides: ['parley_page_', 'hash', 'sealed', 'org_stranger'],
    records: { ok: 1 },
  },
  {
    name: 'a token is bound to origins as browsers write them',
    call: () => [
      'update_page_token',
      {
        id: own,
        origins: ['https://Shop.example/', 'http://localhost:5173', 'http://localhost:5173', 'null'],
      },
    ],
    gives: { state: 'valid', origins: ['https://shop.example', 'http://localhost:5173', 'null'] },
  },
  {
    name: 'an empty list lifts the binding',
    call: () => ['update_page_token', { id: own, origins: [] }],
    gives: { origins: [] },
  },
  ...[
    'shop.example',
    'https://shop.example/cart',
    'https://a@shop.example',
    'file:///',
    'ftp://x',
    '*',
    '',
  ].map((origin): Scenario => ({
    name: `"${origin}" is no origin, and the answer names the field`,
    call: () => ['update_page_token', { id: own, origins: [origin] }],
    fails: 'invalid',
    shows: ['origins.0: must be an origin such as https://shop.example'],
  })),
  {
    name: 'more origins than fit are refused',
    call: () => [
      'update_page_token',
      { id: own, origins: Array.from({ length: 51 }, (_, index) => `http://localhost:${3000 + index}`) },
    ],
    fails: 'invalid',
    shows: ['origins'],
  },
  ...['update_page_token', 'revoke_page_token'].flatMap((tool): Scenario[] => [
    {
      name: `${tool} of an unknown token says so`,
      call: () => [tool, { id: UNKNOWN, ...(tool === 'update_page_token' && { origins: [] }) }],
      fails: 'not_found',
      shows: [`Error: Page token not found: ${UNKNOWN}`],
    },
    {
      name: `${tool} of a stranger's token is answered like an unknown one`,
      call: () => [tool, { id: foreign, ...(tool === 'update_page_token' && { origins: [] }) }],
      fails: 'not_found',
      shows: ['Error: Page token not found: '],
    },
  ]),
]);

test('a revoked token stays revoked, cannot be bound again, and the next start makes another', async () => {
  await using admin = await connect(annotationsToolset, { services: desk.services, as: NAMED });
  const before = await desk.services.pageTokens.show(ORGANIZATION);
  const first = await admin.call('revoke_page_token', { id: own });
  expect(first).toMatchObject({ state: 'revoked' });
  expect(await admin.call('revoke_page_token', { id: own })).toEqual(first);
  expect(await admin.attempt('update_page_token', { id: own, origins: [] })).toMatchObject({
    code: 'conflict',
  });
  expect(await desk.services.pageTokens.find(before, ORIGIN)).toBeUndefined();
  const next = await desk.services.pageTokens.show(ORGANIZATION);
  expect(next).not.toBe(before);
  const { pageTokens } = await admin.call('list_page_tokens', {});
  expect(pageTokens.map(({ state }) => state)).toEqual([
    'valid',
    ...pageTokens.slice(1).map(() => 'revoked'),
  ]);
  await expect(desk.services.pageTokens.create(ORGANIZATION)).rejects.toMatchObject({ code: 'conflict' });
});

test.each([
  ['an owner whose grant is a wildcard', {}],
  ['a member whose key names them', { ...NAMED, roles: ['member' as const] }],
  ['an administrator without the toolset', { grants: { feedback: ['*'] } }],
])('%s does not see them, and a call is answered like an unknown tool', async (_name, as) => {
  await using client = await connect(annotationsToolset, { services: desk.services, as });
  const { tools } = await client.raw.listTools();
  expect(tools.map(({ name }) => name).filter((name) => NAMES.includes(name))).toEqual([]);
  const unknown = await client.raw.callTool({ name: 'no_such_tool', arguments: {} }).catch(String);
  for (const name of NAMES) {
    const answer = await client.raw.callTool({ name, arguments: { id: own, origins: [] } }).catch(String);
    expect(JSON.stringify(answer)).toBe(JSON.stringify(unknown).replace('no_such_tool', name));
  }
  expect(await desk.services.pageTokens.isValid(own, ORIGIN)).toBe(true);
});

test('whoever is named sees all three', async () => {
  await using client = await connect(annotationsToolset, { services: desk.services, as: NAMED });
  const { tools } = await client.raw.listTools();
  expect(tools.map(({ name }) => name).filter((name) => NAMES.includes(name))).toEqual(NAMES);
});
