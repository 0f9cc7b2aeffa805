/** Nobody makes anything stronger than themselves: random sequences of keys, roles and promotions. */
import type { Caller, Grants } from '@parley/kit';
import { createEngine, defineTool, defineToolset, install, mayAdminister, ToolError } from '@parley/kit';
import { scratchStore } from '@parley/store/testing';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { found, settle } from '../test/people.ts';
import type { Identity } from './index.ts';

const RESOURCES = ['alpha', 'beta'];
const TOOLS = ['read', 'write', 'wipe'];
const ROLES = ['crew', 'guest', 'member', 'admin', 'owner'];

const toolsets = RESOURCES.map((resource) =>
  defineToolset({
    name: resource,
    title: resource,
    tools: TOOLS.map((tool) =>
      defineTool({
        name: `${resource}_${tool}`,
        title: tool,
        description: tool,
        effect: 'read',
        privileged: tool === 'wipe',
        input: z.object({}),
        output: z.object({}),
        run: async () => ({}),
      }),
    ),
  }),
);
const engine = createEngine({ installed: toolsets.map((toolset) => install(toolset)) });
const namesOf = (caller: Caller) => [...engine.view(caller).tools.keys()];
const isPrivileged = (resource: string, name: string) =>
  name.endsWith('_wipe') && (resource === '*' || name.startsWith(resource));

const toolName = fc.constantFrom(
  '*',
  ...RESOURCES.flatMap((resource) => TOOLS.map((tool) => `${resource}_${tool}`)),
);
const grants: fc.Arbitrary<Grants> = fc.dictionary(
  fc.constantFrom('*', ...RESOURCES),
  fc.uniqueArray(toolName, { minLength: 1, maxLength: 3 }),
  { maxKeys: 3 },
);
const roles = fc.uniqueArray(fc.constantFrom(...ROLES), { minLength: 1, maxLength: 2 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('key' as const), maker: fc.nat(), grants }),
  fc.record({
    kind: fc.constant('role' as const),
    maker: fc.nat(),
    name: fc.constantFrom('crew', 'guest'),
    grants,
  }),
  fc.record({ kind: fc.constant('roles' as const), maker: fc.nat(), member: fc.nat(), roles }),
  fc.record({ kind: fc.constant('add' as const), maker: fc.nat(), roles }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Everybody there is, by key, and what the steps did to them. */
interface World {
  readonly identity: Identity;
  readonly owner: Caller;
  readonly keys: string[];
  readonly users: string[];
}

async function settleWorld(identity: Identity, slug: string): Promise<World> {
  const owner = await found(identity, slug);
  for (const name of ['crew', 'guest']) await identity.saveRole(owner, { name, grants: { alpha: ['*'] } });
  const world: World = { identity, owner, keys: [], users: [] };
  await addPerson(world, owner, ['admin']);
  await addPerson(world, owner, ['crew']);
  return world;
}

/** Adds a person with a key that asks for everything, so that the key shows all that the person may do. */
async function addPerson(world: World, maker: Caller, given: readonly string[]): Promise<Caller | undefined> {
  const { identity, owner } = world;
  const userId = await identity.createUser({ name: 'P', email: null });
  await identity.addMember(maker, { userId, roles: given });
  world.users.push(userId);
  return callerOf(world, userId, owner);
}

async function callerOf(world: World, userId: string, owner: Caller): Promise<Caller | undefined> {
  const every = { '*': ['*', 'alpha_wipe', 'beta_wipe'] };
  const { text } = await world.identity.createKey(
    { ...owner, userId },
    { name: 'All', grants: every, expiresAt: null },
  );
  world.keys.push(text);
  return world.identity.authenticate(text, 'key');
}

async function take(world: World, maker: Caller, next: Step): Promise<Caller | undefined> {
  const { identity, owner } = world;
  if (next.kind === 'key') {
    const made = await identity.createKey(maker, { name: 'K', grants: next.grants, expiresAt: null });
    world.keys.push(made.text);
    return identity.authenticate(made.text, 'key');
  }
  if (next.kind === 'role') {
    await identity.saveRole(maker, next);
    return { ...maker, roles: [next.name], grants: next.grants };
  }
  if (next.kind === 'add') return addPerson(world, maker, next.roles);
  const userId = world.users[next.member % world.users.length] ?? '';
  await identity.setRoles(maker, { userId, roles: next.roles });
  return callerOf(world, userId, owner);
}

test('no key, role or member is ever stronger than whoever made it', { timeout: 60_000 }, async () => {
  await using store = await scratchStore();
  const { identity } = await settle(store, { isPrivileged });
  let runs = 0;
  let made = 0;
  let refused = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
    const world = await settleWorld(identity, `run-${(runs += 1)}`);
    for (const next of steps) {
      const key = world.keys[next.maker % world.keys.length] ?? '';
      const maker = await identity.authenticate(key, 'key');
      if (maker === undefined) continue;
      const result = await take(world, maker, next).catch((error: unknown) => {
        if (error instanceof ToolError) return undefined;
        throw error;
      });
      if (result === undefined) {
        refused += 1;
        continue;
      }
      made += 1;
      expect(namesOf(maker), JSON.stringify({ next, maker, result })).toEqual(
        expect.arrayContaining(namesOf(result)),
      );
      if (mayAdminister(result)) expect(mayAdminister(maker)).toBe(true);
      if (result.roles.includes('owner')) expect(maker.roles).toContain('owner');
    }
  });
  await fc.assert(property, { numRuns: 60 });
  // The property says something only when both happened often.
  expect(Math.min(made, refused)).toBeGreaterThan(50);
});
