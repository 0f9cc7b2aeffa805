/** Everything that the conformance fixture has, asked for directly and through a connection, in the four pairs of eras. */
import type { Client } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../conformance/fixture/index.ts';
import type { RunningThrough, UpstreamEra } from '../conformance/through.ts';
import { startThrough } from '../conformance/through.ts';
import { differencesOf } from './fixtures/differences.ts';
import { DIFFERENCES } from './fixtures/named-differences.ts';
import { clientOf } from './fixtures/server.ts';

const CLIENTS = { modern: '2026', legacy: '2025' } as const;

/** Arguments of tools that want some. */
const ARGUMENTS: Readonly<Record<string, Record<string, unknown>>> = {
  test_sampling: { prompt: 'Say something' },
  test_elicitation: { message: 'Who are you?' },
  json_schema_2020_12_tool: { name: 'Ada', contactMethod: 'phone', phone: '1' },
  test_x_mcp_header: { region: 'eu-grün', level: 2 },
  greet: { name: 'Ada' },
  slow_compute: { seconds: 0.05, label: 'sum' },
  confirm_delete: { filename: 'a.txt' },
  test_prompt_with_arguments: { arg1: 'one', arg2: 'two' },
  test_prompt_with_embedded_resource: { resourceUri: 'test://static-text' },
};

/** One answer for all forms; whoever asks takes what it asked for. */
const FORM: Record<string, Record<string, string | number | boolean | string[]>> = {
  'Who are you?': { username: 'ada', email: 'ada@acme.example' },
  'Please check these values.': { name: 'Ada', age: 36, score: 1.5, status: 'pending', verified: false },
  'Please choose.': { untitledSingle: 'option1', untitledMulti: ['option1', 'option2'] },
  'Please confirm': { ok: true },
  'Delete a.txt?': { confirm: true },
  'Step 2: What is your favorite color?': { color: 'green' },
  'What context should the prompt use?': { context: 'tests' },
};
const answers = {
  ask: (message: string) => (FORM[message] ?? { name: 'Ada' }) as Record<string, string>,
  sample: () => 'Paris',
  roots: ['file:///work'],
};

interface Asked {
  readonly name: string;
  ask(client: Client): Promise<unknown>;
}

/** An answer, or the error in its place. */
async function ended(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    const { code, message, data } = error as Error & { code?: unknown; data?: unknown };
    return { error: { code, message, data } };
  }
}

// They come and go by what other tools of the fixture do, which is what those are for.
const SOMETIMES = new Set(['test_sometimes_there', 'test_sometimes_there_prompt']);
const always = <Item extends { readonly name: string }>(items: readonly Item[] = []) =>
  items.filter(({ name }) => !SOMETIMES.has(name));
const TOOLS = new Set<string>(always(fixture.tools).map(({ name }) => name));
const PROMPTS = new Set<string>(always(fixture.prompts).map(({ name }) => name));
const isTest = (uri: string) => uri.startsWith('test://');

/** Everything of the fixture that there is to ask for, by what its server lists; the lists have all that it serves. */
async function allOf(client: Client): Promise<Asked[]> {
  const tools = (await client.listTools()).tools.filter(({ name }) => TOOLS.has(name));
  const resources = (await client.listResources()).resources.filter(({ uri }) => isTest(uri));
  const listed = (await client.listResourceTemplates()).resourceTemplates;
  const resourceTemplates = listed.filter(({ uriTemplate }) => isTest(uriTemplate));
  const prompts = (await client.listPrompts()).prompts.filter(({ name }) => PROMPTS.has(name));
  expect([tools.length, resources.length, resourceTemplates.length, prompts.length]).toEqual([
    TOOLS.size,
    3,
    1,
    PROMPTS.size,
  ]);
  return [
    {
      name: 'list of tools',
      async ask(to) {
        const { tools: found, ...rest } = await to.listTools();
        return { ...rest, tools: always(found) };
      },
    },
    { name: 'list of resources', ask: (to) => to.listResources() },
    { name: 'list of templates', ask: (to) => to.listResourceTemplates() },
    {
      name: 'list of prompts',
      async ask(to) {
        const { prompts: found, ...rest } = await to.listPrompts();
        return { ...rest, prompts: always(found) };
      },
    },
    ...tools.map(({ name }) => ({
      name: `tool ${name}`,
      ask: (to: Client) => to.callTool({ name, arguments: ARGUMENTS[name] ?? {} }),
    })),
    { name: 'tool with bad arguments', ask: (to) => to.callTool({ name: 'greet', arguments: { name: 7 } }) },
    { name: 'unknown tool', ask: (to) => to.callTool({ name: 'nothing_of_the_sort', arguments: {} }) },
    ...resources.map(({ uri }) => ({
      name: `resource ${uri}`,
      ask: (to: Client) => to.readResource({ uri }),
    })),
    ...resourceTemplates.map(({ uriTemplate }) => ({
      name: `template ${uriTemplate}`,
      ask: (to: Client) => to.readResource({ uri: uriTemplate.replace('{id}', 'a%20b') }),
    })),
    { name: 'unknown resource', ask: (to) => to.readResource({ uri: 'test://nothing' }) },
    ...prompts.map(({ name }) => ({
      name: `prompt ${name}`,
      ask: (to: Client) =>
        to.getPrompt({ name, arguments: (ARGUMENTS[name] ?? {}) as Record<string, string> }),
    })),
    { name: 'unknown prompt', ask: (to) => to.getPrompt({ name: 'nothing_of_the_sort' }) },
    {
      name: 'completion',
      ask: (to) =>
        to.complete({
          ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
          argument: { name: 'arg1', value: 'o' },
        }),
    },
  ];
}

async function connected(url: string, era: 'modern' | 'legacy'): Promise<Client> {
  const client = clientOf(era, answers);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

const used = new Set<string>();

describe.each<UpstreamEra>(['2026', '2025'])('check 1: an upstream of %s', (upstream) => {
  let through: RunningThrough;
  let direct: Client;
  let all: Asked[];
  const plain = new Map<string, unknown>();

  beforeAll(async () => {
    through = await startThrough(upstream);
    direct = await connected(through.direct, upstream === '2026' ? 'modern' : 'legacy');
    all = await allOf(direct);
    for (const { name, ask } of all) plain.set(name, await ended(ask(direct)));
  });

  afterAll(async () => {
    await direct.close();
    await through.close();
  });

  test.each(['modern', 'legacy'] as const)('a %s client gets what it gets directly', async (era) => {
    const client = await connected(through.mcp, era);
    try {
      const pair = `${CLIENTS[era]} to ${upstream}`;
      const unnamed: string[] = [];
      for (const { name, ask } of all) {
        for (const { path, before, after } of differencesOf(plain.get(name), await ended(ask(client)))) {
          const place = `${name}: ${path}`;
          const named = DIFFERENCES.find(({ pairs, at }) => pairs.includes(pair) && at.test(place));
          if (named !== undefined) used.add(`${pair} ${named.at.source}`);
          else unnamed.push(`${place}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`);
        }
      }
      expect(unnamed).toEqual([]);
    } finally {
      await client.close();
    }
  });
});

test('check 1: every difference that is named is there', () => {
  const named = DIFFERENCES.flatMap(({ pairs, at }) => pairs.map((pair) => `${pair} ${at.source}`));
  expect(named.filter((one) => !used.has(one))).toEqual([]);
});
