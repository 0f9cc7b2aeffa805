/** A catalog written down: what it lists, what only code can tell, and what does not fit it. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { administratorsOnly, teamOnly } from '../access/availability.ts';
import type { Caller } from '../access/caller.ts';
import { createCatalog } from './catalog.ts';
import {
  asksCode,
  describeCatalog,
  describedCatalog,
  fitsDescription,
  mergeDescriptions,
} from './written-catalog.ts';
import { createEngine } from '../call/engine.ts';
import { toolsetSource } from './source.ts';
import { createListing } from './listing.ts';
import { definePrompt } from '../define/prompt.ts';
import { defineResource } from '../define/resource.ts';
import { testCaller } from '../testing/callers.ts';
import type { AnyTool } from '../define/tool.ts';
import { defineTool } from '../define/tool.ts';
import { defineToolset, install } from '../define/toolset.ts';

const tool = (name: string, more: Partial<AnyTool> = {}): AnyTool =>
  defineTool({
    name,
    title: name,
    description: `Does ${name}.`,
    effect: 'read',
    ...more,
    input: z.object({ count: z.int().min(1).describe('How many') }),
    output: z.object({ done: z.boolean() }),
    run: () => ({ done: true }),
  });

const disks = defineToolset({
  name: 'disks',
  title: 'Disks',
  tools: [
    tool('disk_wipe', { privileged: true }),
    tool('disk_read'),
    tool('disk_guard', { unattended: 'block' }),
    tool('disk_audit', { available: administratorsOnly }),
    tool('disk_share', { available: teamOnly }),
  ],
  resources: [
    defineResource({
      name: 'disk',
      title: 'Disk',
      description: 'A disk.',
      uri: 'disk://one',
      read: () => ({ text: '' }),
    }),
  ],
  prompts: [
    definePrompt({
      name: 'tidy',
      title: 'Tidy',
      description: 'Tidies.',
      arguments: z.object({}),
      get: () => 'Tidy.',
    }),
  ],
});
const lamps = defineToolset({ name: 'lamps', title: 'Lamps', tools: [tool('lamp_on')] });
const moody = defineToolset({
  name: 'moody',
  title: 'Moody',
  tools: [tool('maybe', { available: () => true })],
});

const installed = [install(disks), install(lamps)];
/** As the build writes it and a start reads it. */
const written = (...toolsets: Parameters<typeof install>[0][]) =>
  JSON.parse(
    JSON.stringify(describeCatalog(createCatalog(toolsets.map((toolset) => install(toolset))))),
  ) as ReturnType<typeof describeCatalog>;
const listingOf = (...toolsets: Parameters<typeof install>[0][]) =>
  createListing(describedCatalog(written(...toolsets)));

const member = { roles: ['member'] };
const PEOPLE: readonly (readonly [string, Caller])[] = [
  ['an owner', testCaller()],
  ['a member with a wildcard', testCaller({ ...member, grants: { '*': ['*'] } })],
  ['a member with the name', testCaller({ ...member, grants: { disks: ['disk_wipe'] } })],
  ['an unattended key', testCaller({ ...member, grants: { disks: ['*'] }, unattended: true })],
  ['a visitor', testCaller({ roles: ['user'], grants: { '*': ['*'] } })],
  ['a schedule', testCaller({ source: 'schedule' })],
  ['nobody', testCaller({ grants: {} })],
];

test.each(PEOPLE)('%s is listed the same bytes from a description as from the engine', (_who, caller) => {
  const engine = createEngine({ sources: installed.map(toolsetSource) });
  const listing = listingOf(disks, lamps);
  expect(listing.list(caller).json).toBe(engine.list(caller).json);
  expect(listing.narrow(['lamps']).list(caller).json).toBe(engine.narrow(['lamps']).list(caller).json);
});

test('a bad cursor is refused as by the engine', () => {
  const listing = listingOf(lamps);
  expect(() => listing.list(testCaller(), 'nonsense!')).toThrow('Invalid cursor');
});

test('what an engine serves besides tools is counted', () => {
  const { resources, prompts, toolsets } = listingOf(disks, lamps).catalogFor(testCaller());
  expect([resources.length, prompts.length]).toEqual([1, 1]);
  expect(toolsets).toEqual([
    { name: 'disks', title: 'Disks' },
    { name: 'lamps', title: 'Lamps' },
  ]);
});

test('a condition that only code can answer is told, for the toolsets that are served', () => {
  const description = written(lamps, moody);
  expect(asksCode(description, [])).toBe(true);
  expect(asksCode(description, ['moody'])).toBe(true);
  expect(asksCode(description, ['lamps'])).toBe(false);
  expect(asksCode(written(disks, lamps), [])).toBe(false);
  const agents = moody.tools.map((tool) => ({ ...tool, callers: 'agents' as const }));
  expect(asksCode(written(defineToolset({ ...moody, tools: agents })), [])).toBe(false);
});

test('what only code can answer stays hidden until the code is there', () => {
  expect(listingOf(moody).list(testCaller()).json).toBe('[]');
});

test('descriptions together list like one catalog', () => {
  const together = createListing(describedCatalog(mergeDescriptions(written(lamps), written(disks))));
  const engine = createEngine({ sources: installed.map(toolsetSource) });
  expect(together.list(testCaller()).json).toBe(engine.list(testCaller()).json);
});

test('names that collide are told apart as by the engine', () => {
  const other = defineToolset({
    name: 'other',
    title: 'Other',
    tools: [tool('lamp_on', { _meta: { a: 1 } })],
  });
  const together = mergeDescriptions(written(other), written(lamps));
  const engine = createEngine({ sources: [other, lamps].map((set) => toolsetSource(install(set))) });
  const { json } = createListing(describedCatalog(together)).list(testCaller());
  expect(json).toBe(engine.list(testCaller()).json);
  expect(json).toContain('"name":"other_lamp_on"');
  expect(json).toContain('"_meta":{"a":1}');
  expect(fitsDescription(engine.common, together)).toBe(true);
});

test('a catalog fits its own description, and no other guard does', () => {
  const description = written(disks, lamps);
  expect(fitsDescription(createCatalog(installed), description)).toBe(true);
  const guarded = (more: Partial<AnyTool>) =>
    createCatalog([
      install(disks),
      install(defineToolset({ name: 'lamps', title: 'Lamps', tools: [tool('lamp_on', more)] })),
    ]);
  expect(fitsDescription(guarded({ privileged: true }), description)).toBe(false);
  expect(fitsDescription(guarded({ unattended: 'block' }), description)).toBe(false);
  expect(fitsDescription(guarded({ available: administratorsOnly }), description)).toBe(false);
  expect(fitsDescription(createCatalog([install(disks)]), description)).toBe(false);
});
