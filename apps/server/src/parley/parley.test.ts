/** `parley_whoami` and `parley_explain` in both eras: who sees what, and every reason why not. */
import type { Caller } from '@parley/kit';
import {
  createEngine,
  definePrompt,
  defineResource,
  defineTool,
  defineToolset,
  install,
  toolsetSource,
} from '@parley/kit';
import { connect, scenarios, testCaller } from '@parley/kit/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { parleyToolset } from './index.ts';
import type { ParleyServices } from './services.ts';
import { createParleyServices } from './services.ts';
import type { AppHost } from '../start/served-toolset.ts';

const tool = (
  name: string,
  more: { privileged?: boolean; unattended?: 'block'; available?: () => boolean } = {},
) =>
  defineTool({
    name,
    title: name,
    description: name,
    effect: 'read',
    ...more,
    input: z.object({}),
    output: z.object({}),
    run: async () => ({}),
  });

const disks = defineToolset({
  name: 'disks',
  title: 'Disks',
  resources: [
    defineResource({
      name: 'disk-list',
      uri: 'disks://list',
      title: 'Disks',
      description: 'All disks.',
      mimeType: 'text/plain',
      read: () => ({ text: '' }),
    }),
  ],
  prompts: [
    definePrompt({
      name: 'disk-tour',
      title: 'Tour',
      description: 'Shows the disks.',
      privileged: true,
      arguments: z.object({}),
      get: () => 'Show me the disks.',
    }),
  ],
  tools: [
    tool('disk_read'),
    tool('disk_wipe', { privileged: true }),
    tool('disk_guard', { unattended: 'block' }),
    tool('disk_off', { available: () => false }),
  ],
});

const member = { roles: ['member'], organizationId: 'org_test' };
const PEOPLE: Record<string, Caller> = {
  reader: testCaller({ id: 'key_reader', name: 'reader', ...member, grants: { disks: ['disk_read'] } }),
  wild: testCaller({ id: 'key_wild', name: 'wild', ...member, grants: { disks: ['*'] } }),
  robot: testCaller({
    id: 'key_robot',
    name: 'robot',
    ...member,
    grants: { disks: ['*'] },
    unattended: true,
  }),
  stranger: testCaller({ id: 'key_far', name: 'stranger', organizationId: 'org_far' }),
};

/** The services over a real engine; identity knows the people above and finds them in their organization only. */
function services(): ParleyServices {
  const engine = createEngine({ sources: [install(parleyToolset), install(disks)].map(toolsetSource) });
  const identity: Pick<
    AppHost['identity'],
    'organizationName' | 'callerNamed' | 'whyOfAgent' | 'lackOfAgent'
  > = {
    organizationName: async (id) => (id === 'org_test' ? 'Acme' : undefined),
    callerNamed: async (organizationId, name) => {
      const found = PEOPLE[name];
      return found?.organizationId === organizationId ? found : undefined;
    },
    whyOfAgent: async () => undefined,
    lackOfAgent: async ({ name }, tool) =>
      name === 'wild' && tool !== 'disk-list' ? 'The plugin is not granted db:read.' : undefined,
  };
  // Only these parts of the host are used by the services.
  return createParleyServices({ identity, engine: () => engine } as AppHost);
}

const options = () => ({ services: services() });
const ask = (caller: string, name: string) => ['parley_explain', { caller, tool: name }] as const;

describe('parley_whoami', () => {
  scenarios({ test, expect }, parleyToolset, options, [
    {
      name: 'an owner learns who they are and what they reach',
      call: ['parley_whoami', {}],
      gives: {
        caller: { id: 'caller_test', name: 'Test', unattended: false },
        organization: { id: 'org_test', name: 'Acme' },
        source: 'key',
        roles: ['owner'],
        toolsets: [
          { name: 'parley', title: 'Parley', tools: 2 },
          { name: 'disks', title: 'Disks', tools: 3 },
        ],
      },
      records: { ok: 1 },
    },
    {
      name: 'a member learns nothing of toolsets that they cannot reach',
      as: { ...member, grants: { parley: ['parley_whoami'] }, source: 'stdio' },
      call: ['parley_whoami', {}],
      gives: { source: 'stdio', toolsets: [{ name: 'parley', title: 'Parley', tools: 1 }] },
      hides: ['disks', 'Disks', 'user_test'],
      records: { ok: 1 },
    },
    {
      name: 'without its grant it does not exist',
      as: { grants: { disks: ['*'] } },
      call: ['parley_whoami', {}],
      unknown: true,
      records: { denied: 1 },
    },
    {
      name: 'an unknown field is named',
      call: ['parley_whoami', { who: 'me' }],
      fails: 'invalid',
      shows: ['who'],
      records: { error: 1 },
    },
  ]);
});

describe('parley_explain', () => {
  const explained = (name: string, call: readonly [string, unknown], reason: string) => ({
    name,
    call,
    gives: { reason, visible: reason === 'visible' },
    records: { ok: 1 },
  });
  scenarios({ test, expect }, parleyToolset, options, [
    explained('a tool that is seen is visible', ask('reader', 'disk_read'), 'visible'),
    explained('a tool that is not granted has no grant', ask('reader', 'disk_wipe'), 'no_grant'),
    explained('a wildcard does not give a privileged tool', ask('wild', 'disk_wipe'), 'privileged'),
    explained('nobody watching blocks a tool', ask('robot', 'disk_guard'), 'unattended'),
    explained('a tool may be absent right now', ask('wild', 'disk_off'), 'not_available'),
    explained('a tool may not exist', ask('wild', 'disk_melt'), 'unknown'),
    explained('a resource that is seen is visible', ask('wild', 'disk-list'), 'visible'),
    explained('a resource that is not granted has no grant', ask('reader', 'disk-list'), 'no_grant'),
    explained('a wildcard does not give a privileged prompt', ask('wild', 'disk-tour'), 'privileged'),
    {
      name: 'a tool that is seen, and refused for want of a capability, says what to do',
      call: ask('wild', 'disk_read'),
      gives: { reason: 'capability', visible: true },
      shows: ['every call of it is refused. The plugin is not granted db:read.'],
    },
    {
      name: 'a resource is called one',
      call: ask('wild', 'disk-list'),
      shows: ['disk-list for wild: The caller sees the resource and may read it.'],
    },
    {
      name: 'the text is a sentence for people',
      call: ask('wild', 'disk_wipe'),
      shows: ['disk_wipe for wild: The tool is privileged'],
    },
    {
      name: 'a caller that is unknown is not found, and the words are not said back',
      call: ask('nobody-here', 'disk_read'),
      fails: 'not_found',
      hides: ['nobody-here'],
      records: { error: 1 },
    },
    {
      name: 'a caller of another organization is not found either',
      call: ask('stranger', 'disk_read'),
      fails: 'not_found',
      hides: ['key_far', 'org_far', 'stranger'],
      records: { error: 1 },
    },
    {
      name: 'a member does not see it, whatever was granted',
      as: { ...member, grants: { '*': ['*'] } },
      call: ask('reader', 'disk_read'),
      unknown: true,
      records: { denied: 1 },
    },
    {
      name: 'a narrow key of an owner does not see it without its grant',
      as: { grants: { parley: ['parley_whoami'] } },
      call: ask('reader', 'disk_read'),
      unknown: true,
      records: { denied: 1 },
    },
    {
      name: 'bad input names each field',
      call: ['parley_explain', { caller: '', tool: 7 }],
      fails: 'invalid',
      shows: ['caller: must have at least 1 characters', 'tool: must be a string (got 7)'],
      records: { error: 1 },
    },
  ]);

  test('an unknown and a foreign caller get the same answer', async () => {
    await using client = await connect(parleyToolset, options());
    const answers = ['stranger', 'nobody'].map((caller) =>
      client.attempt('parley_explain', { caller, tool: 'disk_read' }),
    );
    const [foreign, unknown] = await Promise.all(answers);
    expect(foreign).toEqual(unknown);
  });
});
