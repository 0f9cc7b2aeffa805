/** Nobody makes anything stronger than themselves: random sequences of keys, roles and promotions. */
import type { Caller, Grants } from '@parley/kit';
import {
  ALL_GRANTS,
  createEngine,
  defineTool,
  defineToolset,
  install,
  mayAdminister,
  ToolError,
  toolsetSource,
} from '@parley/kit';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { onBothEngines } from '../test/engines.ts';
import { found, settle } from '../test/people.ts';
import type { Identity, NewKey } from './index.ts';
import { rankOf } from './index.ts';

// The role `member` has a grant on feedback, so that raising a `user` to it counts.
const RESOURCES = ['alpha', 'feedback'];
const TOOLS = ['read', 'write', 'wipe'];
const ROLES = ['crew', 'guest', 'user', 'member', 'admin', 'owner'];
const RANKS = ['user', 'member', 'admin'] as const;

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
const engine = createEngine({ sources: toolsets.map((toolset) => toolsetSource(install(toolset))) });
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
  fc.record({
    kind: fc.constant('key' as const),
    maker: fc.nat(),
    grants,
    role: fc.constantFrom(null, ...RANKS),
  }),
  fc.record({
    kind: fc.constant('role' as const),
    maker: fc.nat(),
    name: fc.constantFrom('crew', 'guest'),
    grants,
  }),
  fc.record({ kind: fc.constant('roles' as const), maker: fc.nat(), member: fc.nat(), roles }),
  fc.record({
    kind: fc.constant('rank' as const),
    maker: fc.nat(),
    member: fc.nat(),
    rank: fc.constantFrom(...RANKS),
  }),
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
  for (const name of ['crew', 'guest']) await identity.roles.save(owner, { name, grants: { alpha: ['*'] } });
  const world: World = { identity, owner, keys: [], users: [] };
  await addPerson(world, owner, ['admin']);
  await addPerson(world, owner, ['crew']);
  await addPerson(world, owner, ['user']);
  // Keys of the owner that are narrower than the owner, by rank alone and by grants alone.
  for (const role of RANKS) await addKey(world, owner, { grants: ALL_GRANTS, role });
  await addKey(world, owner, { grants: { alpha: ['*'] }, role: null });
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

async function addKey(world: World, maker: Caller, input: Pick<NewKey, 'grants' | 'role'>) {
  const { text } = await world.identity.createKey(maker, { name: 'K', expiresAt: null, ...input });
  world.keys.push(text);
  return world.identity.authenticate(text, 'key');
}

async function callerOf(world: World, userId: string, owner: Caller): Promise<Caller | undefined> {
  const every = { '*': ['*', 'alpha_wipe', 'feedback_wipe'] };
  return addKey(world, { ...owner, userId }, { grants: every, role: null });
}

/** What a step made, and what the same person could do before it. */
interface Outcome {
  readonly after: Caller | undefined;
  readonly before?: Caller | undefined;
}

async function take(world: World, maker: Caller, next: Step): Promise<Outcome> {
  const { identity, owner } = world;
  if (next.kind === 'key') return { after: await addKey(world, maker, next) };
  if (next.kind === 'role') {
    await identity.roles.save(maker, next);
    return { after: { ...maker, roles: [next.name], grants: next.grants } };
  }
  if (next.kind === 'add') return { after: await addPerson(world, maker, next.roles) };
  const userId = world.users[next.member % world.users.length] ?? '';
  const before = await callerOf(world, userId, owner);
  if (next.kind === 'roles') await identity.setRoles(maker, { userId, roles: next.roles });
  else {
    const member = await identity.memberOf(maker.organizationId, userId);
    await identity.setRank(maker, member?.id ?? '', next.rank);
  }
  return { before, after: await callerOf(world, userId, owner) };
}

onBothEngines('escalation', (open, engine) => {
  // The rule is in code; on PostgreSQL it is seen that the queries beneath it answer alike.
  const { numRuns, least } = engine === 'sqlite' ? { numRuns: 60, least: 50 } : { numRuns: 15, least: 5 };

  test('no key, role or member is ever stronger than whoever made it', async () => {
    const store = await open();
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
        const outcome = await take(world, maker, next).catch((error: unknown) => {
          if (error instanceof ToolError) return undefined;
          throw error;
        });
        if (outcome?.after === undefined) {
          refused += 1;
          continue;
        }
        made += 1;
        const { after, before } = outcome;
        const mayHave = [...namesOf(maker), ...(before === undefined ? [] : namesOf(before))];
        const told = JSON.stringify({ next, maker, before, after });
        expect(mayHave, told).toEqual(expect.arrayContaining(namesOf(after)));
        const givers = before === undefined ? [maker] : [maker, before];
        if (mayAdminister(after)) expect(givers.some(mayAdminister), told).toBe(true);
        if (after.roles.includes('owner')) expect(givers.flatMap((giver) => giver.roles)).toContain('owner');
        if (rankOf(after.roles) !== 'user') {
          expect(
            givers.some((giver) => rankOf(giver.roles) !== 'user'),
            told,
          ).toBe(true);
        }
      }
    });
    await fc.assert(property, { numRuns });
    // The property says something only when both happened often.
    expect(Math.min(made, refused)).toBeGreaterThan(least);
  });
});
