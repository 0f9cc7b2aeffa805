/** Answers of other servers: passed on word for word, asked about in both eras, and refused when they are none. */
import { describe, expect, test } from 'vitest';
import type { ToolAnswer } from './tool-answer.ts';
import { toolsetSource } from '../catalog/source.ts';
import { defineOutsidePrompt, defineOutsideResource } from '../define/outside-document.ts';
import type { OutsideCall } from '../define/outside-tool.ts';
import { defineOutsideTool } from '../define/outside-tool.ts';
import { defineToolset, install } from '../define/toolset.ts';
import { testCaller } from '../testing/callers.ts';
import { connect } from '../testing/connect.ts';
import { scriptedSource } from '../testing/scripted-source.ts';
import { createEngine } from './engine.ts';
import type { Exchange } from './exchange.ts';
import type { TaskCall, TaskSeam } from './task-seam.ts';

const nothing = defineToolset({ name: 'nothing', title: 'Nothing', tools: [] });
const ERAS = ['modern', 'legacy'] as const;
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
const question = (message: string) => ({
  method: 'elicitation/create' as const,
  params: { message, requestedSchema: { type: 'object' as const, properties: {} } },
});
const asks = (state: string | undefined, ...keys: readonly string[]): ToolAnswer => ({
  resultType: 'input_required',
  inputRequests: Object.fromEntries(keys.map((key) => [key, question(key)])),
  ...(state !== undefined && { requestState: state }),
});

/** A tool whose server does what the test says, and what it was called with. */
function upstream(answer: (call: OutsideCall, count: number) => unknown) {
  const rounds: Pick<OutsideCall, 'requestState' | 'inputResponses'>[] = [];
  const tool = defineOutsideTool({
    name: 'remote',
    title: 'Remote',
    description: 'Of another server.',
    effect: 'run',
    inputSchema: { type: 'object' },
    call(_args, call) {
      const { requestState, inputResponses } = call;
      rounds.push({ requestState, inputResponses });
      // Another server answers what it likes.
      return answer(call, rounds.length) as ToolAnswer;
    },
  });
  const source = scriptedSource();
  source.give('org_test', defineToolset({ name: 'conn_1', title: 'Remote', tools: [tool] }));
  return { tool, source, rounds };
}

describe.each(ERAS)('an outside tool over %s', (era) => {
  test('gives its result word for word', async () => {
    const { source } = upstream(() => ({
      ...text('fine'),
      structuredContent: { a: 1 },
      _meta: { 'x/y': 2 },
    }));
    await using client = await connect(nothing, { era, sources: [source] });
    expect(await client.raw.callTool({ name: 'remote', arguments: {} })).toMatchObject({
      ...text('fine'),
      structuredContent: { a: 1 },
      _meta: { 'x/y': 2 },
    });
  });

  test('asks in as many rounds as it needs, and gets its own state and the answers back', async () => {
    const { source, rounds } = upstream((call, count) => {
      if (count === 1) return asks('state one', 'name');
      if (count === 2) return asks(undefined, 'city', 'colour');
      return text(JSON.stringify(call.inputResponses));
    });
    const answers = { ask: (message: string) => ({ said: message }) };
    await using client = await connect(nothing, { era, answers, sources: [source] });
    const said = (key: string) => ({ action: 'accept', content: { said: key } });
    const last = { city: said('city'), colour: said('colour') };
    expect(await client.raw.callTool({ name: 'remote', arguments: {} })).toMatchObject(
      text(JSON.stringify(last)),
    );
    expect(rounds).toEqual([
      { requestState: undefined, inputResponses: undefined },
      { requestState: 'state one', inputResponses: { name: said('name') } },
      { requestState: undefined, inputResponses: last },
    ]);
  });

  test('hears that the person declined', async () => {
    const { source } = upstream((call, count) =>
      count === 1 ? asks('s', 'name') : text(JSON.stringify(call.inputResponses)),
    );
    await using client = await connect(nothing, {
      era,
      answers: { ask: () => undefined },
      sources: [source],
    });
    const answer = await client.raw.callTool({ name: 'remote', arguments: {} });
    expect(answer).toMatchObject(text('{"name":{"action":"decline"}}'));
  });

  test('is not asked again when its client cannot answer', async () => {
    const { source, rounds } = upstream(() => asks('s', 'name'));
    await using client = await connect(nothing, { era, sources: [source] });
    const answer = await client.raw
      .callTool({ name: 'remote', arguments: {} })
      .catch((error: unknown) => error);
    if (era === 'modern') expect(answer).toMatchObject({ code: -32021 });
    else expect(answer).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'declined' } });
    expect(rounds).toHaveLength(1);
  });

  test.each([
    ['no answer', null],
    ['a text', 'fine'],
    ['a list', []],
    ['nothing in it', {}],
    ['content that is no list', { content: 'fine' }],
    ['content with a hole', { content: [null] }],
    ['isError that is a text', { ...text('secret'), isError: 'secret' }],
    ['a result of a type that nobody knows', { ...text('secret'), resultType: 'secret' }],
    ['a question without content', { resultType: 'input_required' }],
    ['questions in a list', { resultType: 'input_required', inputRequests: [question('x')] }],
    [
      'a question of a method that nobody knows',
      { resultType: 'input_required', inputRequests: { a: { method: 'tools/call', params: {} } } },
    ],
    [
      'a question without parameters',
      { resultType: 'input_required', inputRequests: { a: { method: 'elicitation/create' } } },
    ],
    ['too many questions', asks('s', ...Array.from({ length: 33 }, (_, index) => `q${index}`))],
    ['a key that is too long', asks('s', 'k'.repeat(201))],
    ['a state that is no text', { ...asks('s', 'a'), requestState: { secret: 1 } }],
    ['a state that is too long', asks('s'.repeat(64 * 1024 + 1), 'a')],
    ['a task without an id', { resultType: 'task' }],
  ])('refuses %s', async (_name, given) => {
    const { source, rounds } = upstream(() => given);
    await using client = await connect(nothing, { era, answers: { ask: () => ({}) }, sources: [source] });
    const answer = await client.raw.callTool({ name: 'remote', arguments: {} });
    expect(answer).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'invalid_result' } });
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(rounds).toHaveLength(1);
  });

  test('a result that is too large is cut, and an error of its own stays one', async () => {
    const { source } = upstream((call, count) => {
      if (count === 1) return text('x'.repeat(2 * 1024 * 1024));
      throw call.error('unavailable', 'The other server is away.');
    });
    await using client = await connect(nothing, { era, sources: [source] });
    const codes = [];
    for (let count = 0; count < 2; count += 1) {
      const { _meta } = await client.raw.callTool({ name: 'remote', arguments: {} });
      codes.push(_meta?.['dev.parley/code']);
    }
    expect(codes).toEqual(['too_large', 'unavailable']);
  });

  test.each([
    ['a list that its schema promises', [1], { type: 'array' }, { result: [1] }],
    ['a list that nothing promises', [1], undefined, { result: [1] }],
    ['a text', 'a', { type: 'string' }, { result: 'a' }],
    ['nothing at all', null, { type: 'null' }, { result: null }],
    ['an object where a list was possible', { a: 1 }, { type: ['object', 'array'] }, { result: { a: 1 } }],
    ['an object', { a: 1 }, { type: 'object' }, { a: 1 }],
  ])('gives %s as data that clients of its era can read', async (_name, data, outputSchema, wrapped) => {
    const definition = { name: 'listing', inputSchema: { type: 'object' as const }, outputSchema };
    const listing = defineOutsideTool({
      name: 'listing',
      definition,
      title: 'Listing',
      description: 'Of another server.',
      effect: 'read',
      inputSchema: definition.inputSchema,
      ...(outputSchema !== undefined && { outputSchema }),
      call: async () => ({ ...text('said'), structuredContent: data as never }),
    });
    const source = scriptedSource();
    source.give('org_test', defineToolset({ name: 'conn_1', title: 'Remote', tools: [listing] }));
    await using client = await connect(nothing, { era, sources: [source] });
    // The client of the SDK holds the data against the schema that it was listed.
    await client.raw.listTools();
    const result = await client.raw.callTool({ name: 'listing', arguments: {} });
    expect(result).toMatchObject({
      ...text('said'),
      structuredContent: era === 'modern' ? data : wrapped,
    });
    expect(result.isError).not.toBe(true);
  });

  test.each([
    ['a block of no known type', { content: [{ type: 'canary' }] }, 'content.0'],
    ['a text that is none', { content: [{ type: 'text', text: 5 }] }, 'content.0'],
    [
      'a picture that is no base64',
      { content: [{ type: 'image', data: '!canary', mimeType: 'a/b' }] },
      'data',
    ],
    ['a picture without its kind', { content: [{ type: 'image', data: 'aGk=' }] }, 'content.0'],
    [
      'a document without content',
      { content: [{ type: 'resource', resource: { uri: 'x:a' } }] },
      'content.0',
    ],
    ['a link without a name', { content: [{ type: 'resource_link', uri: 'x:canary' }] }, 'content.0'],
    ['hints that are none', { content: [{ ...text('a').content[0], annotations: 'canary' }] }, 'content.0'],
    ['the second block', { content: [...text('a').content, { type: 'canary' }] }, 'content.1'],
    ['a _meta that is none', { ...text('a'), _meta: 'canary' }, '_meta'],
  ])(
    'refuses %s as an answer of the other server, and names its place alone',
    async (_name, answer, place) => {
      const { source } = upstream(() => answer);
      await using client = await connect(nothing, { era, sources: [source] });
      const { isError, content, _meta } = await client.raw.callTool({ name: 'remote', arguments: {} });
      expect([isError, _meta?.['dev.parley/code']]).toEqual([true, 'invalid_result']);
      expect(JSON.stringify(content)).toContain(`${place} is not as MCP writes it`);
      expect(JSON.stringify(content)).not.toContain('canary');
    },
  );

  test('resources and prompts are listed, read and completed word for word, and ask too', async () => {
    const source = scriptedSource();
    const page = defineOutsideResource({
      definition: { name: 'My page.txt', uri: 'x://page', size: 7, _meta: { 'x/a': 1 } },
      read: async (uri, { inputResponses }) =>
        inputResponses === undefined
          ? asksAny('s', 'why')
          : { contents: [{ uri, text: JSON.stringify(inputResponses), _meta: { 'x/b': 2 } }] },
    });
    const part = defineOutsideResource({
      definition: { name: 'part', uriTemplate: 'x://parts/{id}', description: 'P' },
      read: async (uri) => ({ contents: [{ uri, blob: 'aGk=' }] }),
      complete: (argument, typed) => [`${argument} ${typed}`],
    });
    const broken = defineOutsideResource({
      definition: { name: 'broken', uri: 'x://broken' },
      read: async () => JSON.parse('{"contents":"secret"}'),
    });
    const untold = defineOutsideResource({
      definition: { name: 'untold', uri: 'x://untold' },
      read: async () => JSON.parse('{"contents":[{"uri":"x://untold","text":{"secret":1}}]}'),
    });
    const rude = defineOutsidePrompt({
      definition: { name: 'rude' },
      get: async () => JSON.parse('{"messages":[{"role":"secret","content":{"type":"text","text":"a"}}]}'),
    });
    const greet = defineOutsidePrompt({
      definition: { name: 'greet', arguments: [{ name: 'who', required: true }], _meta: { 'x/c': 3 } },
      get: async ({ who }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `Hi ${who}` } }],
      }),
      complete: (argument) => [argument],
    });
    source.give(
      'org_test',
      defineToolset({
        name: 'conn_1',
        title: 'R',
        tools: [],
        resources: [page, part, broken, untold],
        prompts: [greet, rude],
      }),
    );
    await using client = await connect(nothing, {
      era,
      answers: { ask: () => ({ ok: true }) },
      sources: [source],
    });
    const { resources } = await client.raw.listResources();
    expect(resources[0]).toEqual({ name: 'My page.txt', uri: 'x://page', size: 7, _meta: { 'x/a': 1 } });
    const { resourceTemplates } = await client.raw.listResourceTemplates();
    expect(resourceTemplates).toEqual([{ name: 'part', uriTemplate: 'x://parts/{id}', description: 'P' }]);
    const read = await client.raw.readResource({ uri: 'x://page' });
    const why = JSON.stringify({ why: { action: 'accept', content: { ok: true } } });
    expect(read.contents).toEqual([{ uri: 'x://page', text: why, _meta: { 'x/b': 2 } }]);
    expect((await client.raw.readResource({ uri: 'x://parts/a%20b' })).contents).toEqual([
      { uri: 'x://parts/a%20b', blob: 'aGk=' },
    ]);
    for (const refused of [
      await client.raw.readResource({ uri: 'x://broken' }).catch(String),
      await client.raw.readResource({ uri: 'x://untold' }).catch(String),
      await client.raw.getPrompt({ name: 'rude' }).catch(String),
    ]) {
      expect(refused).toContain('cannot be passed on');
      expect(refused).not.toContain('secret');
    }
    expect((await client.raw.listPrompts()).prompts).toEqual([
      { name: 'greet', arguments: [{ name: 'who', required: true }], _meta: { 'x/c': 3 } },
      { name: 'rude' },
    ]);
    expect((await client.raw.getPrompt({ name: 'greet', arguments: { who: 'Ada' } })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Hi Ada' } },
    ]);
    const ref = { type: 'ref/resource', uri: 'x://parts/{id}' } as const;
    const { completion } = await client.raw.complete({ ref, argument: { name: 'id', value: 'b' } });
    expect(completion.values).toEqual(['id b']);
  });
});

// A read may ask like a call.
const asksAny = (state: string, key: string) => asks(state, key) as never;

describe('the state of another server', () => {
  const exchange = (more: Partial<Exchange> = {}): Exchange => ({
    info: { id: '1', era: 'modern', client: null },
    signal: () => AbortSignal.any([]),
    capabilities: { elicitation: {} },
    ...more,
  });
  const start = () => {
    const made = upstream((_call, count) => (count === 1 ? asks('the secret state', 'name') : text('done')));
    const twin = toolsetSource(install(defineToolset({ name: 'twin', title: 'Twin', tools: [made.tool] })));
    const engine = createEngine({ sources: [made.source, twin] });
    return { ...made, engine };
  };
  const stateOf = (answer: ToolAnswer) => String('requestState' in answer ? answer.requestState : '');

  test('is not shown to the client, and what nobody asked for is not passed on', async () => {
    const { engine, rounds } = start();
    const asked = await engine.call(testCaller(), 'conn_1_remote', { a: 1 }, exchange());
    expect(JSON.stringify(asked)).not.toContain('secret state');
    const inputResponses = { name: { action: 'accept' }, other: { action: 'accept' } };
    const back = exchange({ requestState: stateOf(asked), inputResponses });
    expect(await engine.call(testCaller(), 'conn_1_remote', { a: 1 }, back)).toMatchObject(text('done'));
    expect(rounds[1]).toEqual({
      requestState: 'the secret state',
      inputResponses: { name: { action: 'accept' } },
    });
  });

  test.each([
    { name: 'another caller', caller: { id: 'caller_other' } },
    { name: 'another organization', caller: { organizationId: 'org_other' }, tool: 'remote' },
    { name: 'other arguments', args: { a: 2 } },
    { name: 'a tool of the same name in another toolset', tool: 'remote' },
    {
      name: 'another state',
      change: (state: string) => `${state.startsWith('A') ? 'B' : 'A'}${state.slice(1)}`,
    },
  ])(
    'is refused with $name, and nothing is called',
    async ({ caller = {}, args = { a: 1 }, tool = 'conn_1_remote', change = (state: string) => state }) => {
      const { engine, rounds } = start();
      const asked = await engine.call(testCaller(), 'conn_1_remote', { a: 1 }, exchange());
      const back = exchange({
        requestState: change(stateOf(asked)),
        inputResponses: { name: { action: 'accept' } },
      });
      await expect(engine.call(testCaller(caller), tool, args, back)).rejects.toThrow(
        'Invalid or expired requestState',
      );
      expect(rounds).toHaveLength(1);
    },
  );

  test('ends after ten rounds', async () => {
    const { source, rounds } = upstream(() => asks('again', 'name'));
    const engine = createEngine({ sources: [source] });
    let answer = await engine.call(testCaller(), 'remote', {}, exchange());
    for (let round = 1; round <= 10; round += 1) {
      answer = await engine.call(testCaller(), 'remote', {}, exchange({ requestState: stateOf(answer) }));
    }
    expect(answer).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'invalid_result' } });
    expect(rounds).toHaveLength(11);
  });

  const theirs = { resultType: 'task', taskId: 'theirs', status: 'working' } as const;
  const tasksOf = (made: TaskCall[]): TaskSeam => ({
    extension: { name: 'tasks', methods: {} },
    handleSchema: {},
    canFollow: () => true,
    admit: () => undefined,
    call: () => Promise.reject(new Error('No task.')),
    async follow(call) {
      made.push(call);
      return { resultType: 'task', taskId: 'task_ours' };
    },
  });

  test('a task of the other server is followed by one of ours for a client that follows tasks', async () => {
    const { source, rounds } = upstream(() => theirs);
    const made: TaskCall[] = [];
    const engine = createEngine({ sources: [source], tasks: tasksOf(made) });
    const follows = exchange({ capabilities: { extensions: { tasks: {} } } });
    const answer = await engine.call(testCaller(), 'remote', { a: 1 }, follows);
    expect(answer).toEqual({ resultType: 'task', taskId: 'task_ours' });
    expect(made).toMatchObject([{ args: { a: 1 }, prepared: { followed: theirs } }]);
    expect(rounds).toHaveLength(1);
  });

  test('a task of the other server is waited for where the client follows none', async () => {
    const done = { content: [{ type: 'text' as const, text: 'done' }] };
    const { source } = upstream(({ followed }) => (followed?.taskId === 'theirs' ? done : theirs));
    const engine = createEngine({ sources: [source], tasks: tasksOf([]) });
    expect(await engine.call(testCaller(), 'remote', {}, exchange())).toEqual(done);
  });

  test.each(ERAS)('over %s a task that stands for nothing but a task is refused', async (era) => {
    const { source, rounds } = upstream(() => theirs);
    await using client = await connect(nothing, { era, sources: [source] });
    const answer = await client.raw.callTool({ name: 'remote', arguments: {} });
    expect(answer).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'invalid_result' } });
    expect(rounds).toHaveLength(2);
  });
});
