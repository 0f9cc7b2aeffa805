/** What links promise about questions in the middle of a call of a 2025 session. */
import type { InputRequest, InputResponse } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import type { Turn, WireScript, WireUpstream } from '@parley/test-support/wire-upstream';
import { serveWire } from '@parley/test-support/wire-upstream';
import { describe, expect, test } from 'vitest';
import { callOf, linksBed } from '../../../test/links-bed.ts';

const ASKABLE = { elicitation: {}, sampling: {}, roots: {} };
const FORM = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

const serve = (methods: NonNullable<WireScript['methods']>): Promise<WireUpstream> =>
  serveWire({ era: '2025', methods });

describe('a question in the middle of a call', () => {
  const asking = (method: string, params?: object) =>
    serve({
      'tools/call': async (turn) => {
        const { result, error } = await turn.ask(method, params);
        turn.result({ content: [], answer: result ?? null, refusal: error ?? null });
      },
    });

  test.each([
    ['elicitation/create', FORM, { action: 'accept', content: { a: 1 } }],
    [
      'sampling/createMessage',
      { messages: [], maxTokens: 1 },
      { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
    ],
    ['roots/list', undefined, { roots: [] }],
  ] as const)('%s goes to the client behind it', async (method, params, answer) => {
    const server = await asking(method, params);
    const asked: InputRequest[] = [];
    const onAsk = async (request: InputRequest) => {
      asked.push(request);
      return answer as unknown as InputResponse;
    };
    const result = await linksBed()
      .link(server.url, { era: 'legacy' })
      .request(callOf({}, { capabilities: ASKABLE, onAsk }));
    expect(result).toEqual({ content: [], answer, refusal: null });
    expect(asked).toEqual([params === undefined ? { method } : { method, params }]);
  });

  test.each([
    ['elicitation/create', FORM, { action: 'decline' }, null],
    ['sampling/createMessage', { messages: [], maxTokens: 1 }, null, -1],
    ['roots/list', undefined, null, -32601],
    ['unknown/method', {}, null, -32601],
    ['ping', undefined, {}, null],
  ] as const)('%s is answered at once where nobody can be asked', async (method, params, answer, code) => {
    const server = await asking(method, params);
    const refusal = code === null ? null : { code, message: expect.any(String) as unknown };
    const { link } = linksBed();
    const onAsk = () => Promise.reject(new Error('must not be asked'));
    const target = { era: 'legacy' } as const;
    expect(await link(server.url, target).request(callOf({}, { capabilities: {}, onAsk }))).toMatchObject({
      answer,
      refusal,
    });
    expect(await link(server.url, target).request(callOf({}, { capabilities: ASKABLE }))).toMatchObject({
      answer,
      refusal,
    });
  });

  test('of a kind that the client did not declare is declined', async () => {
    const server = await asking('elicitation/create', { ...FORM, mode: 'url', url: 'https://a.test' });
    const onAsk = () => Promise.reject(new Error('must not be asked'));
    const work = linksBed()
      .link(server.url, { era: 'legacy' })
      .request(callOf({}, { capabilities: ASKABLE, onAsk }));
    expect(await work).toMatchObject({ answer: { action: 'decline' } });
  });

  test('may take longer than a silence', async () => {
    const server = await asking('elicitation/create', FORM);
    const answered = Promise.withResolvers<InputResponse>();
    const { link } = linksBed({ limits: { idleMs: 1_000 } });
    const onAsk = () => {
      setTimeout(() => answered.resolve({ action: 'decline' }), 1_500);
      return answered.promise;
    };
    const work = link(server.url, { era: 'legacy' }).request(callOf({}, { capabilities: ASKABLE, onAsk }));
    expect(await work).toMatchObject({ answer: { action: 'decline' } });
  });

  test('ends with the call', async () => {
    const server = await asking('elicitation/create', FORM);
    const cancel = new AbortController();
    const left = Promise.withResolvers<void>();
    const onAsk = (_request: InputRequest, signal: AbortSignal) => {
      signal.addEventListener('abort', () => left.resolve());
      setImmediate(() => cancel.abort(new Error('gone')));
      return new Promise<InputResponse>(() => undefined);
    };
    const work = linksBed()
      .link(server.url, { era: 'legacy' })
      .request(callOf({}, { capabilities: ASKABLE, onAsk, signal: cancel.signal }));
    await expect(work).rejects.toThrow('gone');
    await left.promise;
  });

  test('on the stream of the session is asked only where it can be nobody else’s', async () => {
    const held: Turn[] = [];
    const server = await serve({ 'tools/call': (turn) => held.push(turn) });
    const { link } = linksBed();
    const asked: string[] = [];
    const call = (principal: string) =>
      link(server.url, { era: 'legacy' }).request(
        callOf(
          {},
          {
            principal,
            capabilities: ASKABLE,
            onAsk: async () => {
              asked.push(principal);
              return { action: 'accept', content: {} };
            },
          },
        ),
      );
    const first = call('ann');
    await eventually(() => expect(held).toHaveLength(1));
    const stream = await eventually(() => {
      const [open] = server.streams.values();
      expect(open).toBeDefined();
      return open;
    });
    expect(await server.askOn(stream, 'elicitation/create', FORM)).toMatchObject({
      result: { action: 'accept' },
    });
    const second = call('bob');
    await eventually(() => expect(held).toHaveLength(2));
    expect(await server.askOn(stream, 'elicitation/create', FORM)).toMatchObject({
      result: { action: 'decline' },
    });
    expect(await server.askOn(stream, 'ping')).toMatchObject({ result: {} });
    expect(asked).toEqual(['ann']);
    for (const turn of held) turn.result({ content: [] });
    await Promise.all([first, second]);
  });
});
