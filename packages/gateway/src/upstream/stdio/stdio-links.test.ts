/** What links to programs promise to those who call: eras, shared processes, questions, faults. */
import { join } from 'node:path';
import type { InputRequest, InputResponse } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import { describe, expect, test } from 'vitest';
import { call, requestOf, running, startLinks, targetOf } from '../../../test/programs.ts';
import type { LinkNotice, LinkRequest } from '../link.ts';

const ERAS = ['2026', '2025'] as const;
const facts = (era: 'modern' | 'legacy') => ({
  era,
  protocolVersion: era === 'modern' ? '2026-07-28' : '2025-06-18',
  capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
  info: { name: 'program', version: '1.0.0' },
  instructions: 'Be kind.',
});

describe('the era', () => {
  test.each([
    ['2026', { era: '2026' }, 'modern'],
    ['2025', { era: '2025' }, 'legacy'],
    ['2025, ending at a word that it does not know', { era: '2025', atUnknown: 'exit' }, 'legacy'],
    ['2025, silent at a word that it does not know', { era: '2025', atUnknown: 'silence' }, 'legacy'],
  ] as const)('of %s is found out', async (_name, script, era) => {
    const links = startLinks(
      script.era === '2025' && 'atUnknown' in script ? { times: { probeMs: 500 } } : {},
    );
    const link = links.of(targetOf(script));
    expect(await link.facts()).toEqual(facts(era));
    expect(await call(link, 'echo', { a: 1 })).toEqual({ a: 1 });
  });

  test('that was seen before is tried first, and the other one where it is wrong', async () => {
    const links = startLinks();
    const known = links.of(targetOf({ era: '2025', atUnknown: 'exit' }, { era: 'legacy' }));
    expect(await call(known, 'finish')).toMatchObject({
      heard: ['initialize', 'notifications/initialized', 'tools/call'],
    });
    const changed = links.of(targetOf({ era: '2026' }, { id: 'conn_other', era: 'legacy' }));
    expect(await changed.facts()).toEqual(facts('modern'));
  });

  test('that is over is found out again and told, though a program is started often', async () => {
    const eras: string[] = [];
    let nowMs = 0;
    const links = startLinks({ now: () => nowMs, onEra: (id, era) => eras.push(`${id} ${era}`) });
    const target = targetOf({ era: '2025' }, { era: 'legacy', eraUntil: Date.now() + 600_000 });
    const heard = async () => {
      const { heard: words } = await call(links.of(target), 'finish');
      await expect(call(links.of(target), 'die')).rejects.toMatchObject({ kind: 'dropped' });
      return words as string[];
    };
    expect(await heard()).not.toContain('server/discover');
    // It was killed, and is another process now.
    nowMs = 500_000;
    expect(await heard()).not.toContain('server/discover');
    expect(eras).toEqual([]);
    nowMs = 700_000;
    expect(await heard()).toContain('server/discover');
    expect(eras).toEqual(['conn_test legacy']);
  });

  test('of a program that was slow to begin is not mistaken', async () => {
    const links = startLinks({ times: { probeMs: 1 } });
    expect(await links.of(targetOf({ era: '2026' })).facts()).toEqual(facts('modern'));
  });
});

describe.each(ERAS)('a program of %s', (era) => {
  test('is one process for all calls, whose answers never cross', async () => {
    const links = startLinks();
    const target = targetOf({ era });
    const pids = new Set<number>();
    const calls = Array.from({ length: 50 }, async (_each, number) => {
      expect(await call(links.of({ ...target }), 'echo', { number })).toEqual({ number });
      pids.add((await call(links.of(target), 'facts')).pid);
    });
    await Promise.all(calls);
    expect(pids.size).toBe(1);
  });

  test('is another process for each principal', async () => {
    const links = startLinks();
    const pidOf = async (principal: string) =>
      (await call(links.of(targetOf({ era }, { principal })), 'facts')).pid;
    const [nobody, ada, bob, again] = [
      await pidOf(''),
      await pidOf('ada'),
      await pidOf('bob'),
      await pidOf('ada'),
    ];
    expect(new Set([nobody, ada, bob]).size).toBe(3);
    expect(again).toBe(ada);
  });

  test('gets what its era wants to know of a call, and nothing of a client that is not its business', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era }));
    const traceparent = '00-1-2-03';
    const { meta } = await call(link, 'facts', {}, { capabilities: { roots: {} }, traceparent });
    expect(meta).toEqual({
      traceparent,
      ...(era === '2026' && {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'parley', version: '0.0.0' },
        'io.modelcontextprotocol/clientCapabilities': { roots: {} },
      }),
    });
    const params = { name: 'progress', arguments: {}, _meta: { progressToken: 'of the client', mine: 1 } };
    expect(await call(link, '', {}, { params })).toBe('no token');
  });

  test('tells progress to the call that asked for it', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era }));
    const told: unknown[] = [];
    const foreign: unknown[] = [];
    const other = call(link, 'hang', {}, { onProgress: (...progress) => foreign.push(progress) });
    expect(await call(link, 'progress', {}, { onProgress: (...progress) => told.push(progress) })).toBe(
      'token',
    );
    expect(told).toEqual([
      [1, 2, 'on'],
      [2, 2, 'on'],
    ]);
    await call(link, 'finish');
    expect([await other, foreign]).toEqual(['finished', []]);
  });

  test('tells the calls under way that its lists are others, where it may say so unasked', async () => {
    const link = startLinks().of(targetOf({ era }));
    const told: string[] = [];
    const other = call(link, 'hang', {}, { onLists: () => told.push('other') });
    await call(link, 'change', { uri: 'a://1' }, { onLists: () => told.push('own') });
    await call(link, 'finish');
    await other;
    expect(told).toEqual(era === '2025' ? ['other', 'own'] : []);
  });

  test('tells messages of the level that was asked for, and none where it might be for somebody else', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era }));
    const told: unknown[] = [];
    const log = { level: 'info' as const, on: (...message: unknown[]) => told.push(message) };
    const words = (level: string) => ({ level, data: { of: level } });
    await call(link, 'log', words('error'), { principal: 'ada' });
    await call(link, 'log', words('debug'), { log, principal: 'ada' });
    await call(link, 'log', words('warning'), { log, principal: 'ada' });
    const other = call(link, 'hang', {}, { principal: 'bob' });
    await call(link, 'log', words('alert'), { log, principal: 'ada' });
    await call(link, 'finish');
    await other;
    expect(told).toEqual([['warning', { of: 'warning' }, 'me']]);
    const { level } = await call(link, 'facts');
    expect(level).toBe(era === '2025' ? 'info' : 'none');
  });

  test('hears of a cancel, and its late answer reaches nobody', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era }));
    await link.facts();
    const client = new AbortController();
    const hanging = call(link, 'hang', {}, { signal: client.signal });
    // What was sent after it is answered, so it has arrived.
    expect(await call(link, 'echo', { still: 'here' })).toEqual({ still: 'here' });
    client.abort(new Error('The client has gone.'));
    await expect(hanging).rejects.toThrow('The client has gone.');
    await expect(call(link, 'hang', {}, { limitMs: 50 })).rejects.toMatchObject({
      kind: 'timeout',
      wasSent: true,
    });
    expect((await call(link, 'finish')).cancelled).toHaveLength(2);
    await expect(call(link, 'echo', {}, { signal: client.signal })).rejects.toThrow('The client has gone.');
  });

  test('that answers with nonsense or too much fails that call alone', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era }, { maxResultBytes: 1_000_000, secrets: ['w0rdw0rd'] }));
    const other = call(link, 'hang');
    const raw = (line: string) => ['raw', { line: `${line}\n` }] as const;
    const deep = `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`;
    const bad = { kind: 'invalid_result' };
    const cases: [string, readonly [string, object], object][] = [
      ['an error', ['fail', { words: `No ${'w0rd'.repeat(200)}` }], { kind: 'rpc', rpc: { code: -32001 } }],
      ['no such tool', ['nothing', {}], { kind: 'rpc', rpc: { code: -32602, message: 'Unknown tool' } }],
      ['no result', raw('{"jsonrpc":"2.0","id":ID}'), bad],
      ['a list', raw('{"jsonrpc":"2.0","id":ID,"result":[]}'), bad],
      ['half of an answer', raw('{"jsonrpc":"2.0","id":ID,"result":{'), bad],
      ['too deep', raw(`{"jsonrpc":"2.0","id":ID,"result":${deep}}`), bad],
      ['more than the connection allows', ['long', { bytes: 2_000_000 }], bad],
    ];
    for (const [name, [tool, args], expected] of cases) {
      const fault = await call(link, tool, { ...args }).catch((error: unknown) => error);
      expect(fault, name).toMatchObject({ name: 'UpstreamFault', wasSent: true, ...expected });
      expect(String(fault).length, name).toBeLessThan(1_000);
      expect(JSON.stringify([String(fault), fault]), name).not.toContain('w0rdw0rd');
    }
    await call(link, 'finish');
    expect(await other).toBe('finished');
  });

  test.each(['999999', '"a"', '"ID"', '0', '1', '1.5', '-1', 'true', '{}'])(
    'that answers with the id %s of another request fails the one call that waits, and no other',
    async (id) => {
      const links = startLinks();
      const link = links.of(targetOf({ era }));
      const line = `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}\n`;
      const wrong = { kind: 'invalid_result', wasSent: true };
      await expect(call(link, 'raw', { line })).rejects.toMatchObject(wrong);
      expect(await call(link, 'echo', { here: 1 })).toEqual({ here: 1 });
    },
  );

  test('that answers with the id of another request fails nobody while several wait, and none too late', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era }));
    const client = new AbortController();
    const line = '{"jsonrpc":"2.0","id":999999,"result":{"content":[]}}\n';
    const waiting = call(link, 'hang');
    const misanswered = call(link, 'raw', { line }, { signal: client.signal });
    expect(await call(link, 'echo', { here: 1 })).toEqual({ here: 1 });
    client.abort(new Error('The client has gone.'));
    await expect(misanswered).rejects.toThrow('The client has gone.');
    const late = '{"jsonrpc":"2.0","id":GONE,"result":{"content":[]}}\n';
    const { cancelled } = await call(link, 'finish');
    expect(await waiting).toBe('finished');
    const said = late.replace('GONE', String(cancelled[0]));
    const own = '{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","content":[{"text":"1"}]}}\n';
    expect(await call(link, 'raw', { line: said + own })).toBe(1);
  });

  test.each([
    ['with its end', ['long', { bytes: 11 * 1024 * 1024 }]],
    ['with its id last', ['long', { bytes: 11 * 1024 * 1024, idLast: true }]],
    ['that never ends', ['endless', {}]],
  ] as const)(
    'that sends a line of more than 10 MiB %s is ended with all its calls',
    async (_name, given) => {
      const links = startLinks();
      const link = links.of(targetOf({ era }));
      const { pid } = await call(link, 'facts');
      const other = call(link, 'hang').catch((error: unknown) => error);
      const [tool, args] = given;
      const tooLong = {
        kind: 'invalid_result',
        wasSent: true,
        message: expect.stringContaining('10 MiB') as unknown,
      };
      await expect(call(link, tool, args)).rejects.toMatchObject(tooLong);
      expect(await other).toMatchObject(tooLong);
      await eventually(() => expect(running(pid)).toEqual([]));
      await eventually(async () => expect(await call(link, 'echo', { again: 1 })).toEqual({ again: 1 }));
    },
  );
});

describe('a question in mid-call', () => {
  const form = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
  const url = { mode: 'url', message: 'Go there.', url: 'https://example.com', elicitationId: '1' };
  const sample = { messages: [], maxTokens: 1 };
  const all = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

  const never = () => Promise.reject(new Error('Nobody may be asked.'));
  const declined = { action: 'decline' };

  test('goes to the client of the call', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era: '2025' }));
    const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hi' } } as const;
    const cases: [string, object | undefined, InputResponse][] = [
      ['elicitation/create', form, { action: 'accept', content: { name: 'Ada' } }],
      ['elicitation/create', url, { action: 'accept' }],
      ['sampling/createMessage', sample, sampled],
      ['roots/list', undefined, { roots: [{ uri: 'file:///a' }] }],
    ];
    for (const [method, params, response] of cases) {
      const asked: InputRequest[] = [];
      const onAsk = async (request: InputRequest) => {
        asked.push(request);
        return response;
      };
      expect(await call(link, 'ask', { method, params }, { capabilities: all, onAsk })).toEqual(response);
      expect(asked).toEqual([params === undefined ? { method } : { method, params }]);
    }
  });

  test('that nobody can be asked is answered at once', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era: '2025' }));
    const elicit = (params: object) => ({ method: 'elicitation/create', params });
    const cases: [string, Record<string, unknown>, Partial<LinkRequest>, object][] = [
      ['nobody listens', elicit(form), { capabilities: all }, declined],
      ['no forms', elicit(form), { onAsk: never, capabilities: { roots: {} } }, declined],
      ['only forms', elicit(url), { onAsk: never, capabilities: { elicitation: {} } }, declined],
      [
        'no samples',
        { method: 'sampling/createMessage', params: sample },
        { onAsk: never },
        { error: { code: -1 } },
      ],
      ['no roots', { method: 'roots/list' }, { onAsk: never }, { error: { code: -32601 } }],
      ['unknown', { method: 'made/up' }, { onAsk: never, capabilities: all }, { error: { code: -32601 } }],
      ['a client that fails', elicit(form), { onAsk: never, capabilities: all }, { action: 'cancel' }],
      ['a sign of life', { method: 'ping' }, {}, {}],
    ];
    for (const [name, args, changes, expected] of cases)
      expect(await call(link, 'ask', args, changes), name).toMatchObject(expected);
  });

  test('is never one of a program of 2026', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era: '2026' }));
    const args = { method: 'elicitation/create', params: form };
    expect(await call(link, 'ask', args, { onAsk: never, capabilities: all })).toMatchObject({
      error: { code: -32601 },
    });
  });

  test('goes to the newest call of the one principal, and to nobody when there are two', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era: '2025' }));
    const asked: string[] = [];
    const as = (name: string, principal?: string) => ({
      capabilities: all,
      principal,
      onAsk: async (): Promise<InputResponse> => {
        asked.push(name);
        return { action: 'accept', content: { name } };
      },
    });
    const ask = (name: string, principal?: string) =>
      call(link, 'ask', { method: 'elicitation/create', params: form }, as(name, principal));
    const older = call(link, 'hang', {}, as('older', 'ada'));
    expect(await ask('newer', 'ada')).toMatchObject({ content: { name: 'newer' } });
    expect(await ask('other', 'bob')).toEqual(declined);
    expect(await ask('unnamed')).toEqual(declined);
    await call(link, 'finish');
    await older;
    expect(await ask('other', 'bob')).toMatchObject({ content: { name: 'other' } });
    // A list of the gateway itself is nobody's.
    const list = link.request(requestOf('', {}, { method: 'tools/list', params: {} }));
    expect(await ask('beside', 'bob')).toMatchObject({ content: { name: 'beside' } });
    await list;
    expect(asked).toEqual(['newer', 'other', 'beside']);
  });

  test('about a call that was given up reaches nobody else', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era: '2025' }));
    await link.facts();
    await expect(call(link, 'hang', {}, { limitMs: 50, principal: 'ada' })).rejects.toMatchObject({
      kind: 'timeout',
    });
    const args = { method: 'elicitation/create', params: form };
    const bob = { capabilities: all, onAsk: never, principal: 'bob' };
    expect(await call(link, 'ask', args, bob)).toEqual(declined);
    // Its program has finished with it.
    await call(link, 'finish');
    expect(await call(link, 'ask', args, bob)).toEqual({ action: 'cancel' });
  });

  test('ends with the call, and when the program takes it back', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era: '2025' }));
    const signals: AbortSignal[] = [];
    const onAsk = (_request: InputRequest, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    const client = new AbortController();
    const args = { method: 'elicitation/create', params: form };
    const asking = call(link, 'ask', args, { capabilities: all, onAsk, signal: client.signal });
    await eventually(() => expect(signals).toHaveLength(1));
    client.abort(new Error('gone'));
    await expect(asking).rejects.toThrow('gone');
    expect(signals[0]?.aborted).toBe(true);
    const second = new AbortController();
    const again = call(link, 'ask', args, { capabilities: all, onAsk, signal: second.signal });
    await eventually(() => expect(signals).toHaveLength(2));
    await call(link, 'takeBack');
    await eventually(() => expect(signals[1]?.aborted).toBe(true));
    second.abort(new Error('gone too'));
    await expect(again).rejects.toThrow('gone too');
  });
});

describe('what a program tells', () => {
  const uri = 'doc://one';

  test.each(ERAS)('of itself in %s is heard as long as somebody listens', async (era) => {
    const links = startLinks();
    const link = links.of(targetOf({ era }));
    const first: LinkNotice[] = [];
    const second: LinkNotice[] = [];
    const watch = await link.watch((notice) => first.push(notice));
    const other = await link.watch((notice) => second.push(notice));
    await watch.setUris(new Set([uri]));
    expect(await call(link, 'change', { uri })).toEqual({
      subscribed: [uri],
      listens: era === '2026' ? 1 : 0,
    });
    await eventually(() => expect(first).toEqual([{ kind: 'tools' }, { kind: 'resource', uri }]));
    expect(second).toEqual([{ kind: 'tools' }]);
    await watch.close();
    expect(await call(link, 'change', { uri })).toMatchObject({ subscribed: [] });
    await eventually(() => expect(second).toHaveLength(2));
    await other.close();
    expect(await call(link, 'change', { uri })).toEqual({ subscribed: [], listens: 0 });
    expect([first.length, second.length]).toEqual([2, 2]);
  });

  test('a document that it does not have is refused, and the others are listened to', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era: '2025' }));
    const watch = await link.watch(() => undefined);
    await expect(watch.setUris(new Set(['no:such', uri]))).rejects.toMatchObject({ kind: 'rpc' });
    expect(await call(link, 'change', {})).toMatchObject({ subscribed: [uri] });
  });

  test('is nothing where it knows no such request', async () => {
    const links = startLinks();
    const link = links.of(targetOf({ era: '2026', isDeaf: true }));
    const watch = await link.watch(() => undefined);
    expect(await call(link, 'change', {})).toMatchObject({ listens: 0 });
    await watch.close();
  });

  test.each([
    ['2026', 'endListens'],
    ['2026', 'die'],
    ['2025', 'die'],
  ] as const)(
    'in %s is heard again after %s, and whoever listens knows that something may be missing',
    async (era, tool) => {
      const links = startLinks();
      const link = links.of(targetOf({ era }));
      const notices: LinkNotice[] = [];
      const watch = await link.watch((notice) => notices.push(notice));
      await watch.setUris(new Set([uri]));
      // One of the two never answers.
      await call(link, tool).catch(() => undefined);
      await eventually(() => expect(notices).toEqual([{ kind: 'reopened' }]));
      expect(await call(link, 'change', { uri })).toMatchObject({ subscribed: [uri] });
      await eventually(() =>
        expect(notices.slice(1)).toEqual([{ kind: 'tools' }, { kind: 'resource', uri }]),
      );
      await watch.close();
    },
  );
});

test.each([
  ['2026', 'modern'],
  ['2025', 'legacy'],
] as const)('a program of the official SDK of %s is listed, called and listened to', async (year, era) => {
  const links = startLinks();
  const main = join(import.meta.dirname, '../../../test/sdk-program.ts');
  const program = { command: process.execPath, args: [main, year], cwd: null, env: {} };
  const link = links.of(targetOf({ era: year }, { program }));
  expect(await link.facts()).toMatchObject({ era, info: { name: 'sdk', version: '1.0.0' } });
  const list = async () => {
    const { tools } = await link.request(requestOf('', {}, { method: 'tools/list', params: {} }));
    return (tools as { name: string }[]).map(({ name }) => name);
  };
  expect(await list()).toEqual(['echo', 'grow']);
  expect(await call(link, 'echo', { say: 'hello' })).toBe('hello');
  const notices: LinkNotice[] = [];
  const watch = await link.watch((notice) => notices.push(notice));
  expect(await call(link, 'grow')).toBe('grown');
  await eventually(() => expect(notices).toContainEqual({ kind: 'tools' }));
  expect(await list()).toEqual(['echo', 'grow', 'more']);
  await watch.close();
});
