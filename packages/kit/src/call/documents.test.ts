/** Resources, prompts and completions, through the protocol of both eras. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { SharedErrorCode } from './errors.ts';
import { definePrompt } from '../define/prompt.ts';
import { defineResource } from '../define/resource.ts';
import { connect } from '../testing/connect.ts';
import { defineTool } from '../define/tool.ts';
import { defineToolset } from '../define/toolset.ts';

const note = defineResource({
  name: 'note',
  title: 'Note',
  description: 'One note.',
  uri: 'notes://{id}/text',
  mimeType: 'text/plain',
  complete: { id: (typed) => ['alpha', 'beta'].filter((id) => id.startsWith(typed)) },
  read({ id }, ctx) {
    if (id === 'missing') throw ctx.error('not_found', 'No such note.');
    if (id === 'fault') throw new Error('secret path /etc/parley');
    if (id?.startsWith('error-') === true) throw ctx.error(id.slice(6) as SharedErrorCode, `Not now: ${id}.`);
    return { text: `note ${id}` };
  },
});
const picture = defineResource({
  name: 'picture',
  title: 'Picture',
  description: 'A picture.',
  uri: 'notes://picture',
  mimeType: 'image/png',
  read: () => ({ blob: 'aGk=' }),
});
const greet = definePrompt({
  name: 'greet',
  title: 'Greet',
  description: 'Greets someone.',
  arguments: z.object({ who: z.string().describe('Whom to greet'), how: z.string().optional() }),
  complete: { who: (typed) => ['Ada', 'Bob'].filter((name) => name.startsWith(typed)) },
  get({ who }, ctx) {
    if (who.startsWith('error-')) throw ctx.error(who.slice(6) as SharedErrorCode, `Not now: ${who}.`);
    return `Say hello to ${who}.`;
  },
});
const toolset = defineToolset({
  name: 'notes',
  title: 'Notes',
  tools: [],
  resources: [note, picture],
  prompts: [greet],
});

describe.each(['modern', 'legacy'] as const)('over %s', (era) => {
  test('lists fixed resources, templates and prompts apart', async () => {
    await using client = await connect(toolset, { era });
    const { resources } = await client.raw.listResources();
    expect(resources).toEqual([
      {
        uri: 'notes://picture',
        name: 'picture',
        title: 'Picture',
        description: 'A picture.',
        mimeType: 'image/png',
      },
    ]);
    const { resourceTemplates } = await client.raw.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['notes://{id}/text']);
    const { prompts } = await client.raw.listPrompts();
    expect(prompts[0]?.arguments).toEqual([
      { name: 'who', description: 'Whom to greet', required: true },
      { name: 'how', required: false },
    ]);
  });

  test('reads text and bytes', async () => {
    await using client = await connect(toolset, { era });
    const text = await client.raw.readResource({ uri: 'notes://a%20b/text' });
    expect(text.contents).toEqual([{ uri: 'notes://a%20b/text', mimeType: 'text/plain', text: 'note a b' }]);
    const bytes = await client.raw.readResource({ uri: 'notes://picture' });
    expect(bytes.contents).toEqual([{ uri: 'notes://picture', mimeType: 'image/png', blob: 'aGk=' }]);
  });

  test.each(['notes://missing/text', 'notes://nothing', 'other://x', 'notes://a/b/text'])(
    '%s is not found',
    async (uri) => {
      await using client = await connect(toolset, { era });
      await expect(client.raw.readResource({ uri })).rejects.toMatchObject({
        // The SDK's client shows the code of 2025 (-32002) as this one too.
        code: -32602,
        message: expect.stringContaining(`Resource not found: ${uri}`),
        data: { uri },
      });
    },
  );

  test('a hidden resource answers like one that never was', async () => {
    await using client = await connect(toolset, { era, as: { roles: [], grants: { notes: ['note'] } } });
    const messageFor = async (uri: string): Promise<string> => {
      const error: unknown = await client.raw.readResource({ uri }).catch((thrown: unknown) => thrown);
      return error instanceof Error ? error.message.replace(uri, '') : 'it was read';
    };
    expect(await messageFor('notes://picture')).toBe(await messageFor('notes://nothing'));
    expect(client.records.map(({ outcome }) => outcome)).toEqual(['denied', 'denied']);
  });

  test('the record of a denial says why, and of which toolset, as for tools', async () => {
    await using client = await connect(toolset, { era, as: { roles: [], grants: { notes: ['picture'] } } });
    const denied = async (asked: Promise<unknown>) => {
      await expect(asked).rejects.toThrow(/Resource not found|Unknown prompt/);
      const { outcome, code, toolset: of } = client.records.at(-1) ?? {};
      return [outcome, code, of];
    };
    const hidden = ['denied', 'no_grant', 'notes'];
    const absent = ['denied', 'unknown', ''];
    expect(await denied(client.raw.readResource({ uri: 'notes://a/text' }))).toEqual(hidden);
    expect(await denied(client.raw.readResource({ uri: 'notes://nothing' }))).toEqual(absent);
    expect(await denied(client.raw.getPrompt({ name: 'greet' }))).toEqual(hidden);
    expect(await denied(client.raw.getPrompt({ name: 'nobody' }))).toEqual(absent);
  });

  test('a fault inside a read shows nothing of itself', async () => {
    await using client = await connect(toolset, { era });
    const message = await client.raw.readResource({ uri: 'notes://fault/text' }).catch(String);
    expect(message).toContain('Internal error');
    expect(message).not.toContain('/etc/parley');
  });

  test.each<SharedErrorCode>(['unavailable', 'rate_limited', 'forbidden', 'conflict', 'invalid', 'declined'])(
    'a read that ends as %s is no fault of the request',
    async (code) => {
      await using client = await connect(toolset, { era });
      await expect(client.raw.readResource({ uri: `notes://error-${code}/text` })).rejects.toMatchObject({
        code: -32603,
        message: expect.stringContaining(`Not now: error-${code}.`),
        data: { code },
      });
      expect(client.records).toMatchObject([{ outcome: 'error', code }]);
    },
  );

  test.each([
    ['unavailable', -32603],
    ['rate_limited', -32603],
    ['invalid', -32602],
    ['not_found', -32602],
  ])('a prompt that ends as %s is answered with %i', async (code, rpc) => {
    await using client = await connect(toolset, { era });
    const asked = client.raw.getPrompt({ name: 'greet', arguments: { who: `error-${code}` } });
    await expect(asked).rejects.toMatchObject({ code: rpc, message: expect.stringContaining('Not now') });
  });

  test('gets a prompt, and names the argument that is missing', async () => {
    await using client = await connect(toolset, { era });
    const { messages } = await client.raw.getPrompt({ name: 'greet', arguments: { who: 'Ada' } });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Say hello to Ada.' } }]);
    await expect(client.raw.getPrompt({ name: 'greet', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(client.raw.getPrompt({ name: 'nope' })).rejects.toMatchObject({ code: -32602 });
  });

  test('completes arguments and variables', async () => {
    await using client = await connect(toolset, { era });
    const prompt = await client.raw.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'who', value: 'A' },
    });
    expect(prompt.completion.values).toEqual(['Ada']);
    const variable = await client.raw.complete({
      ref: { type: 'ref/resource', uri: 'notes://{id}/text' },
      argument: { name: 'id', value: 'b' },
    });
    expect(variable.completion.values).toEqual(['beta']);
  });
});

test('a fixed URI wins over a template that fits it too', async () => {
  const about = (name: string, uri: string) =>
    defineResource({ name, title: name, description: name, uri, read: () => ({ text: name }) });
  const overlapping = defineToolset({
    name: 'overlapping',
    title: 'Overlapping',
    tools: [],
    resources: [about('any', 'notes://{id}'), about('list', 'notes://list')],
  });
  await using client = await connect(overlapping);
  const read = async (uri: string) => (await client.raw.readResource({ uri })).contents;
  expect(await read('notes://list')).toMatchObject([{ text: 'list' }]);
  expect(await read('notes://other')).toMatchObject([{ text: 'any' }]);
});

test.each(['modern', 'legacy'] as const)('definitions carry their own _meta over %s', async (era) => {
  const _meta = { 'example/ui': { resourceUri: 'ui://x' } };
  const about = { title: 'X', description: 'X', _meta };
  const marked = defineToolset({
    name: 'marked',
    title: 'Marked',
    tools: [
      defineTool({
        ...about,
        name: 'x',
        effect: 'read',
        input: z.object({}),
        output: z.object({}),
        run: () => ({}),
      }),
    ],
    resources: [
      defineResource({ ...about, name: 'r', uri: 'x://r', read: () => ({ text: '' }) }),
      defineResource({ ...about, name: 't', uri: 'x://t/{id}', read: () => ({ text: '' }) }),
    ],
    prompts: [definePrompt({ ...about, name: 'p', arguments: z.object({}), get: () => '' })],
  });
  await using client = await connect(marked, { era });
  const { raw } = client;
  expect((await raw.listTools()).tools[0]).toMatchObject({ name: 'x', _meta });
  expect((await raw.listResources()).resources[0]).toMatchObject({ name: 'r', _meta });
  expect((await raw.listResourceTemplates()).resourceTemplates[0]).toMatchObject({ name: 't', _meta });
  expect((await raw.listPrompts()).prompts[0]).toMatchObject({ name: 'p', _meta });
});
