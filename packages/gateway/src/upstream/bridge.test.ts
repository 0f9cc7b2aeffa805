/** Any client era to any upstream era: tools, questions, progress, prompts, resources and completion, through the engine. */
import type { CallRecord, InputRequest } from '@parley/kit';
import { createEngine, defineToolset, requestInfo, ToolError } from '@parley/kit';
import { connect, testCaller } from '@parley/kit/testing';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bed } from '../../test/scripted-links.ts';
import { served, servedTool, startBed, targetOf, text } from '../../test/scripted-links.ts';
import type { LinkRequest } from './link.ts';
import { UpstreamFault } from './link.ts';
import { tooLarge } from './wire/faults.ts';
import { SecretMarks } from './secret-marks.ts';

const nothing = defineToolset({ name: 'nothing', title: 'Nothing', tools: [] });
const ORGANIZATION = 'org_test';
const question = (message: string): InputRequest => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties: { said: { type: 'string' } } } },
});
const ERAS = ['modern', 'legacy'] as const;
const COMBINATIONS = ERAS.flatMap((client) => ERAS.map((upstream) => ({ client, upstream })));

let bed: Bed;

beforeEach(() => {
  bed = startBed();
});

afterEach(async () => {
  await bed[Symbol.asyncDispose]();
  expect(bed.faults).toEqual([]);
});

/** An upstream that asks one thing after the other, each era in its own way, and says what it heard. */
function asking(era: 'modern' | 'legacy', ...messages: readonly string[]) {
  return async (request: LinkRequest) => {
    if (era === 'modern') {
      const { requestState = '0', inputResponses } = request.params;
      const at = Number(requestState);
      const message = messages[at];
      if (message === undefined) return { resultType: 'complete', ...text(JSON.stringify(inputResponses)) };
      const inputRequests = { asked: question(message) };
      return { resultType: 'input_required', inputRequests, requestState: String(at + 1) };
    }
    let last: unknown;
    for (const message of messages)
      last = await request.onAsk?.(question(message), new AbortController().signal);
    return text(JSON.stringify({ asked: last }));
  };
}

describe.each(COMBINATIONS)('a $client client and a $upstream upstream', ({ client: era, upstream }) => {
  const answers = { ask: (message: string) => ({ said: message }) };
  const connected = (more: Parameters<typeof served>[1] = {}) => {
    bed.give(ORGANIZATION, served('conn_1', { era: upstream, ...more }));
    return connect(nothing, { era, answers, sources: [bed.gateway.source] });
  };

  test('a tool gets its arguments under its own name, and its result passes as it is', async () => {
    const result = {
      content: [
        { type: 'text', text: 'fine' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
      structuredContent: { a: 1 },
      _meta: { 'x/y': 2 },
    };
    bed.answer = () => ({ ...result, ...(upstream === 'modern' && { resultType: 'complete' }) });
    await using client = await connected();
    expect(await client.raw.callTool({ name: 'work', arguments: { b: 2 } })).toMatchObject(result);
    expect(bed.sent.map(({ method, params }) => ({ method, params }))).toEqual([
      { method: 'tools/call', params: { name: 'work', arguments: { b: 2 } } },
    ]);
    expect(client.records.at(-1)).toMatchObject({ toolset: 'conn_1', name: 'work', outcome: 'ok' });
    expect(client.records.at(-1)?.upstreamMs).toBeGreaterThanOrEqual(0);
  });

  test("the tool's own failure passes as it is", async () => {
    bed.answer = () => ({ ...text('no such row'), isError: true });
    await using client = await connected();
    const answer = await client.raw.callTool({ name: 'work', arguments: {} });
    expect(answer).toMatchObject({ ...text('no such row'), isError: true });
    expect(JSON.stringify(answer)).not.toContain('dev.parley/code');
  });

  test('it asks twice in the middle of a call, and hears both answers', async () => {
    bed.answer = asking(upstream, 'name?', 'city?');
    await using client = await connected();
    expect(await client.raw.callTool({ name: 'work', arguments: {} })).toMatchObject(
      text('{"asked":{"action":"accept","content":{"said":"city?"}}}'),
    );
    expect(bed.sent).toHaveLength(upstream === 'modern' ? 3 : 1);
    expect(bed.gateway.parked.size).toBe(0);
  });

  test('progress is asked for and passed on', async () => {
    bed.answer = ({ onProgress }) => {
      onProgress?.(1, 2, 'half');
      return text('done');
    };
    await using client = await connected();
    const told: unknown[] = [];
    const onprogress = (progress: unknown) => told.push(progress);
    await client.raw.callTool({ name: 'work', arguments: {} }, { onprogress });
    expect(told).toEqual([{ progress: 1, total: 2, message: 'half' }]);
    expect(bed.sent[0]?.onProgress).toBeDefined();
    await client.raw.callTool({ name: 'work', arguments: {} });
    expect(bed.sent[1]?.onProgress).toBeUndefined();
  });

  test('a change of lists in the middle of a call is announced, and of nothing but a call', async () => {
    bed.answer = ({ method, onLists }) => {
      onLists?.();
      return method === 'tools/call' ? text('done') : { contents: [{ uri: 'a:b', text: 'B' }] };
    };
    const resources = [{ name: 'b', uri: 'a:b' }];
    await using client = await connected({ resources, capabilities: { tools: {}, resources: {} } });
    await client.raw.readResource({ uri: 'a:b' });
    expect(bed.announced).toEqual([]);
    await client.raw.callTool({ name: 'work', arguments: {} });
    expect(bed.announced).toEqual(['conn_1']);
  });

  test('a cancel reaches the upstream', async () => {
    const seen = Promise.withResolvers<AbortSignal>();
    bed.answer = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        seen.resolve(signal);
      });
    await using client = await connected();
    const control = new AbortController();
    const call = client.raw.callTool({ name: 'work', arguments: {} }, { signal: control.signal });
    const signal = await seen.promise;
    control.abort();
    await expect(call).rejects.toBeInstanceOf(Error);
    await eventually(() => expect(signal.aborted).toBe(true));
    await eventually(() =>
      expect(client.records.at(-1)).toMatchObject({
        outcome: 'cancelled',
        body: { message: 'The call was cancelled before it had an answer.' },
      }),
    );
  });

  test('a document or a prompt that is too long is refused, and says so', async () => {
    await using client = await connected({
      capabilities: { tools: {}, prompts: {}, resources: {} },
      prompts: [{ name: 'greet' }],
      resources: [{ name: 'note', uri: 'note://1' }],
    });
    let size = 0;
    bed.answer = ({ method }) =>
      method === 'prompts/get'
        ? { messages: [{ role: 'user', content: { type: 'text', text: 'p'.repeat(size) } }] }
        : { contents: [{ uri: 'note://1', text: 'r'.repeat(size) }] };
    size = 1024 * 1024;
    expect((await client.raw.readResource({ uri: 'note://1' })).contents).toHaveLength(1);
    await expect(client.raw.getPrompt({ name: 'greet' })).rejects.toThrow(
      'at most 1048576 fit in one answer',
    );
    size = 10 * 1024 * 1024;
    await expect(client.raw.readResource({ uri: 'note://1' })).rejects.toThrow(
      'at most 10485760 fit in one answer',
    );
  });

  test('prompts, resources, templates and completion reach it under its own words', async () => {
    await using client = await connected({
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
      prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
      resources: [{ name: 'note', uri: 'note://1', mimeType: 'text/plain' }],
      templates: [
        { name: 'page', uriTemplate: 'page://{id}' },
        { name: 'file', uriTemplate: 'file:///docs/{+path}' },
      ],
    });
    const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }];
    bed.answer = ({ method, params }) => {
      if (method === 'prompts/get') return { messages };
      if (method === 'completion/complete')
        return { completion: { values: ['a', 'b'], total: 7, hasMore: true } };
      return { contents: [{ uri: params['uri'], text: `of ${String(params['uri'])}` }] };
    };
    const { raw } = client;
    expect((await raw.listPrompts()).prompts).toEqual([
      { name: 'greet', arguments: [{ name: 'who', required: true }] },
    ]);
    expect(await raw.getPrompt({ name: 'greet', arguments: { who: 'Ada' } })).toMatchObject({ messages });
    expect((await raw.listResources()).resources).toEqual([
      { name: 'note', uri: 'note://1', mimeType: 'text/plain' },
    ]);
    for (const uri of ['note://1', 'page://7', 'file:///docs/a/b.md'])
      expect(await raw.readResource({ uri })).toMatchObject({ contents: [{ uri, text: `of ${uri}` }] });
    await expect(raw.readResource({ uri: 'file:///docs/../secret' })).rejects.toThrow('Resource not found');
    const { completion } = await raw.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'who', value: 'A' },
      context: { arguments: { tone: 'kind' } },
    });
    expect(completion).toEqual({ values: ['a', 'b'], total: 7, hasMore: true });
    expect(bed.sent.map(({ params }) => params)).toEqual([
      { name: 'greet', arguments: { who: 'Ada' } },
      { uri: 'note://1' },
      { uri: 'page://7' },
      { uri: 'file:///docs/a/b.md' },
      {
        ref: { type: 'ref/prompt', name: 'greet' },
        argument: { name: 'who', value: 'A' },
        context: { arguments: { tone: 'kind' } },
      },
    ]);
  });

  test('a read can ask too', async () => {
    bed.answer = async (request) => {
      const answered = await asking(upstream, 'sure?')(request);
      if ('inputRequests' in answered) return answered;
      return { contents: [{ uri: 'note://1', text: 'read' }] };
    };
    await using client = await connected({
      capabilities: { resources: {} },
      resources: [{ name: 'note', uri: 'note://1' }],
    });
    expect(await client.raw.readResource({ uri: 'note://1' })).toMatchObject({
      contents: [{ text: 'read' }],
    });
  });

  test('what the client did not declare is never offered, and a question of that sort hangs nobody', async () => {
    bed.give(ORGANIZATION, served('conn_1', { era: upstream }));
    await using client = await connect(nothing, { era, sources: [bed.gateway.source] });
    bed.answer = asking(upstream, 'name?');
    const answer = client.raw.callTool({ name: 'work', arguments: {} });
    if (upstream === 'legacy') expect(await answer).toMatchObject(text('{}'));
    else if (era === 'modern') await expect(answer).rejects.toMatchObject({ code: -32021 });
    else expect(await answer).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'declined' } });
    expect(bed.sent).toHaveLength(1);
    expect(bed.sent[0]?.capabilities).toEqual({});
    expect(bed.sent[0]?.onAsk).toBeUndefined();
  });

  test('an answer that breaks its outputSchema is refused, and a failure needs none', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    await using client = await connected({ tools: [servedTool('work', { outputSchema })] });
    const call = () => client.raw.callTool({ name: 'work', arguments: {} });
    bed.answer = () => ({ ...text('1'), structuredContent: { n: 1 } });
    expect(await call()).toMatchObject({ structuredContent: { n: 1 } });
    for (const given of [{ ...text('x'), structuredContent: { n: 'x' } }, text('x')]) {
      bed.answer = () => given;
      expect(await call()).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'invalid_result' } });
    }
    bed.answer = () => ({ ...text('broke'), isError: true });
    expect(await call()).toMatchObject(text('broke'));
  });
});

test('arguments are checked before anything is sent', async () => {
  const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  bed.give(ORGANIZATION, served('conn_1', { tools: [servedTool('work', { inputSchema })] }));
  await using client = await connect(nothing, { sources: [bed.gateway.source] });
  expect(await client.raw.callTool({ name: 'work', arguments: { n: 'x' } })).toMatchObject({
    isError: true,
    _meta: { 'dev.parley/code': 'invalid' },
  });
  expect(bed.sent).toEqual([]);
});

test('secrets of the connection and hidden text are made visible or cut out, and nothing else is touched', async () => {
  await using own = startBed();
  own.give(ORGANIZATION, served('conn_1'));
  await using client = await connect(nothing, { sources: [own.gateway.source] });
  const call = async () => (await client.raw.callTool({ name: 'work', arguments: {} })).structuredContent;
  const given = {
    deep: [{ said: 'Bearer upstream-secret-1, upstream-secret-1', hidden: 'a\u202Eb\u{E0041}' }],
  };
  own.answer = () => ({ ...text('see'), structuredContent: given });
  expect(await call()).toEqual({
    deep: [{ said: 'Bearer [secret], [secret]', hidden: 'a[U+202E]b[U+E0041]' }],
  });
  expect(own.gateway.hiddenSecrets()).toBe(2);
  const fine = { said: 'naïve 👩‍👩‍👧 ❤️ می‌خواهم' };
  own.answer = () => ({ ...text('see'), structuredContent: fine });
  expect(await call()).toEqual(fine);
  expect(own.gateway.hiddenSecrets()).toBe(2);
});

test('secrets are cut out of fields, progress and what is said after a renewal, too', async () => {
  const target = (secret: string) => ({ ...targetOf(served('conn_1')), secrets: [secret] });
  let isRefused = true;
  await using own = startBed({
    credentials: () => ({
      target: target('old-upstream-secret'),
      renew: async () => ({ target: target('new-upstream-secret') }),
    }),
  });
  own.give(ORGANIZATION, served('conn_1'));
  const said = 'old-upstream-secret new-upstream-secret';
  own.answer = ({ onProgress }) => {
    if (isRefused) {
      isRefused = false;
      throw new UpstreamFault('auth_required', 'No.');
    }
    onProgress?.(1, 2, said);
    return {
      ...text(said),
      structuredContent: { [said]: 1, 'a\u200b': 2 },
      _meta: { 'x/old-upstream-secret': 1 },
    };
  };
  await using client = await connect(nothing, { sources: [own.gateway.source] });
  const told: unknown[] = [];
  const onprogress = (progress: unknown) => told.push(progress);
  const result = await client.raw.callTool({ name: 'work', arguments: {} }, { onprogress });
  expect(result.structuredContent).toEqual({ '[secret] [secret]': 1, 'a[U+200B]': 2 });
  expect(told).toEqual([{ progress: 1, total: 2, message: '[secret] [secret]' }]);
  expect(JSON.stringify([result, told])).not.toContain('upstream-secret');
});

test('secrets of neighbours are cut out of errors, progress, messages and questions too, and are counted', async () => {
  const marks = new SecretMarks();
  const secret = 'a-secret-of-a-neighbour-1';
  marks.keep({ ...targetOf(served('conn_2')), secrets: [secret] });
  await using own = startBed({
    onTarget: (target) => marks.keep(target),
    foreignTo: (target) => marks.foreignTo(target),
  });
  own.give(ORGANIZATION, served('conn_1', { era: 'legacy' }));
  own.answer = async ({ onProgress, log, onAsk, signal }) => {
    onProgress?.(1, 2, `progress ${secret}`);
    log?.on('info', { said: `message ${secret}` });
    await onAsk?.(question(`question ${secret}`), signal);
    // What is shown ends in the middle of the second one.
    const message = `error ${secret} ${'x'.repeat(450)} ${secret}`;
    throw new UpstreamFault('rpc', message, { rpc: { code: -32000, message } });
  };
  const asked: string[] = [];
  const answers = {
    ask(message: string) {
      asked.push(message);
      return {};
    },
  };
  for (const era of ['modern', 'legacy'] as const) {
    const before = own.gateway.hiddenSecrets();
    await using client = await connect(nothing, { era, answers, sources: [own.gateway.source] });
    const told: unknown[] = [];
    client.raw.setNotificationHandler('notifications/message', ({ params }) => {
      told.push(params.data);
    });
    const onprogress = (progress: unknown) => told.push(progress);
    if (era === 'legacy') await client.raw.setLoggingLevel('info');
    const meta = { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } };
    const params = { name: 'work', arguments: {}, ...(era === 'modern' && meta) };
    const result = await client.raw.callTool(params, { onprogress });
    expect(JSON.stringify(result)).toContain('error [secret] xxx');
    expect(JSON.stringify([result, told, asked])).not.toContain('a-secret');
    expect(asked.pop()).toBe('question [secret]');
    expect(told).toContainEqual({ progress: 1, total: 2, message: 'progress [secret]' });
    expect([era, told]).toEqual([era, expect.arrayContaining([{ said: 'message [secret]' }])]);
    expect(own.gateway.hiddenSecrets() - before).toBe(5);
  }
});

test('what is over the budget of a connection is kept, and nothing of the others is', async () => {
  const kept: unknown[] = [];
  await using own = startBed({
    results: {
      async within(_caller, result, budget, from) {
        kept.push([budget, from]);
        return JSON.stringify(result).length <= budget ? result : text('its beginning');
      },
      documents: [],
    },
  });
  own.give(
    ORGANIZATION,
    served('conn_1', { settings: { resultBudget: 1_000 }, tools: [servedTool('long')] }),
    served('conn_2', { tools: [servedTool('free')] }),
  );
  await using client = await connect(nothing, { sources: [own.gateway.source] });
  own.answer = () => text('x'.repeat(2_000));
  const call = (name: string) => client.raw.callTool({ name, arguments: {} });
  expect(await call('long')).toMatchObject(text('its beginning'));
  expect(await call('free')).toMatchObject(text('x'.repeat(2_000)));
  expect(kept).toEqual([[1_000, { toolset: 'conn_1', tool: 'long' }]]);
  own.answer = () => ({ content: 'none' });
  expect(await call('long')).toMatchObject({ _meta: { 'dev.parley/code': 'invalid_result' } });
});

test('credentials that the upstream refused are renewed once, and only then', async () => {
  let renewals = 0;
  await using own = startBed({
    credentials: (_caller, { id }) => ({
      target: { ...TARGET, id, token: 'old' },
      async renew() {
        renewals += 1;
        return { target: { ...TARGET, id, token: 'new' } };
      },
    }),
  });
  own.give(ORGANIZATION, served('conn_1'));
  await using client = await connect(nothing, { sources: [own.gateway.source] });
  own.answer = (_request, { token }) => {
    if (token !== 'new') throw new UpstreamFault('auth_required', 'It answered 401.');
    return text('in');
  };
  expect(await client.raw.callTool({ name: 'work', arguments: {} })).toMatchObject(text('in'));
  own.answer = () => {
    throw new UpstreamFault('auth_required', 'It answered 401.');
  };
  expect(await client.raw.callTool({ name: 'work', arguments: {} })).toMatchObject({
    _meta: { 'dev.parley/code': 'auth_required' },
  });
  expect(renewals).toBe(2);
  expect(own.sent).toHaveLength(4);
});

test('whoever gave new credentials says what their refusal means, and no breaker opens for it', async () => {
  const target = (id: string, token: string) => ({ ...TARGET, id, token });
  const notYet = () =>
    Promise.reject(new UpstreamFault('unreachable', 'Not yet.', { retryAfterMs: 30_000, isOfCaller: true }));
  await using own = startBed({
    credentials: (_caller, { id }) => ({
      target: target(id, 'old'),
      renew: async () => ({ target: target(id, 'new'), renew: notYet }),
    }),
  });
  own.give(ORGANIZATION, served('conn_1'));
  own.answer = () => {
    throw new UpstreamFault('auth_required', 'It answered 401.');
  };
  await using client = await connect(nothing, { sources: [own.gateway.source] });
  for (let count = 0; count < 6; count += 1)
    expect(await client.raw.callTool({ name: 'work', arguments: {} })).toMatchObject({
      _meta: { 'dev.parley/code': 'unavailable', 'dev.parley/data': { retryAfterMs: 30_000 } },
    });
  expect(own.gateway.isolation.stateOf('conn_1')).toBe('closed');
});

test('answers that are too large open no breaker for everybody else', async () => {
  bed.give(ORGANIZATION, served('conn_1'));
  bed.answer = () => {
    throw tooLarge(10 * 1024 * 1024);
  };
  await using client = await connect(nothing, { sources: [bed.gateway.source] });
  const call = () => client.raw.callTool({ name: 'work', arguments: {} });
  for (let count = 0; count < 25; count += 1)
    expect(JSON.stringify(await call())).toContain('The server sent more than 10 MiB.');
  expect(bed.gateway.isolation.stateOf('conn_1')).toBe('closed');
});

test('a call that this server ends is recorded with its reason, not as cancelled', async () => {
  const seen = Promise.withResolvers<void>();
  bed.answer = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      seen.resolve();
    });
  bed.give(ORGANIZATION, served('conn_1'));
  const records: CallRecord[] = [];
  const engine = createEngine({
    sources: [bed.gateway.source],
    observe: (record: CallRecord) => records.push(record),
  });
  const stop = new AbortController();
  const call = engine.call(
    testCaller(),
    'work',
    {},
    {
      info: requestInfo({ id: 1, era: 'modern', client: 'test' }),
      signal: () => stop.signal,
    },
  );
  await seen.promise;
  stop.abort(new ToolError('unavailable', 'The server stopped.', { outcome: 'unknown' }));
  await expect(call).resolves.toMatchObject({ _meta: { 'dev.parley/data': { outcome: 'unknown' } } });
  expect(records).toMatchObject([{ outcome: 'error', code: 'unavailable' }]);
});

const TARGET = {
  organizationId: ORGANIZATION,
  type: 'HTTP',
  url: null,
  headers: {},
  program: null,
  secrets: [],
  principal: '',
  allow: [],
  era: null,
  maxResultBytes: 1024,
} as const;

test.each([
  ['switched off', [served('conn_1', { status: 'inactive' })]],
  ['deleted', []],
])('a call whose connection is %s while it waits reaches nothing', async (_name, after) => {
  const gate = Promise.withResolvers<void>();
  let waits = 0;
  await using own = startBed({
    async credentials(_caller, connection) {
      waits += 1;
      await gate.promise;
      return { target: targetOf(connection) };
    },
  });
  own.give(ORGANIZATION, served('conn_1'));
  await using client = await connect(nothing, { era: 'modern', sources: [own.gateway.source] });
  const calling = client.raw.callTool({ name: 'work', arguments: {} });
  await eventually(() => expect(waits).toBe(1));
  own.give(ORGANIZATION, ...after);
  await own.gateway.source.prepare?.(ORGANIZATION);
  gate.resolve();
  expect(await calling).toMatchObject({ isError: true });
  expect(own.sent).toEqual([]);
  expect(own.faults).toEqual([]);
});
