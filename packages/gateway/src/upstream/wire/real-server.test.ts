/** Links against a whole server: Parley itself, in both eras, with all its checks on. */
import type { InputRequest } from '@parley/kit';
import { paramHeadersOf } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changingLists } from '../../../test/changing-lists.ts';
import { callOf, faultOf, linksBed } from '../../../test/links-bed.ts';
import type { TestGateway } from '../../../test/start-gateway.ts';
import { startGateway } from '../../../test/start-gateway.ts';
import type { LinkNotice } from '../link.ts';

let gateway: TestGateway;
const lists = changingLists();

beforeAll(async () => {
  gateway = await startGateway({ sources: [lists.source] });
});

afterAll(() => gateway[Symbol.asyncDispose]());

const linkIn = (era: 'modern' | 'legacy' | null) =>
  linksBed().link(`http://127.0.0.1:${gateway.port}/mcp`, { era, token: gateway.ownerKey });

const calling = (name: string, args: object, more: Parameters<typeof callOf>[1] = {}) =>
  callOf({}, { params: { name, arguments: args }, ...more });

const asking = (method: string, params: Record<string, unknown> = {}) => callOf({}, { method, params });

describe.each(['modern', 'legacy'] as const)('a %s server', (era) => {
  test('lists, calls, reads and completes', async () => {
    const link = linkIn(era);
    expect(await link.facts()).toMatchObject({ era, info: { name: 'parley-test' } });
    const { tools } = await link.request(asking('tools/list'));
    expect(tools).toContainEqual(expect.objectContaining({ name: 'echo' }));
    const said = await link.request(calling('echo', { text: 'Grüße' }));
    expect(said.structuredContent).toEqual({ text: 'Grüße' });
    const read = await link.request(asking('resources/read', { uri: 'lab://note' }));
    expect(read.contents).toMatchObject([{ text: 'noted' }]);
    const prompt = await link.request(asking('prompts/get', { name: 'greet', arguments: { name: 'Ann' } }));
    expect(prompt.messages).toMatchObject([{ content: { text: 'Hello, Ann!' } }]);
  });

  test('gets the arguments that travel as headers', async () => {
    const properties = {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      level: { type: 'integer', 'x-mcp-header': 'Level' },
    };
    const paramHeaders = paramHeadersOf({ type: 'object', properties });
    const args = { region: ' köln ', level: 2 };
    const result = await linkIn(era).request(calling('region', args, { paramHeaders }));
    expect(result.structuredContent).toEqual({ region: ' köln ' });
  });

  test('says what it refuses', async () => {
    const unknown = await faultOf(linkIn(era).request(calling('nothing_like_it', {})));
    expect(unknown).toMatchObject({ kind: 'rpc', rpc: { code: -32602 } });
    const foreign = linksBed().link(`http://127.0.0.1:${gateway.port}/mcp`, { era, token: 'wrong' });
    const fault = await faultOf(foreign.request(calling('echo', { text: 'x' })));
    expect(fault).toMatchObject({ kind: 'auth_required' });
    expect(fault.challenge).toContain('Bearer');
  });

  test('hears a cancel', async () => {
    const cancel = new AbortController();
    const call = linkIn(era).request(calling('wait', {}, { signal: cancel.signal }));
    const signal = await gateway.lab.waiting.take();
    cancel.abort(new Error('gone'));
    await expect(call).rejects.toThrow('gone');
    await eventually(() => expect(signal.aborted).toBe(true));
  });

  test('is watched', async () => {
    const heard: LinkNotice[] = [];
    const watch = await linkIn(era).watch((notice) => heard.push(notice));
    await watch.setUris(new Set(['lab://note']));
    await eventually(() => {
      gateway.changes.publish({ kind: 'resource', uri: 'lab://note' });
      expect(heard).toContainEqual({ kind: 'resource', uri: 'lab://note' });
    }, 50);
    await eventually(() => {
      lists.change(gateway.owner.organizationId, 'tools');
      expect(heard).toContainEqual({ kind: 'tools' });
    }, 50);
    await watch.close();
  });
});

describe('a question', () => {
  const answer = { action: 'accept', content: { name: 'Ann' } } as const;

  test('of 2026 comes as a result, and is answered by the next request', async () => {
    const link = linkIn('modern');
    const capabilities = { elicitation: { form: {} } };
    const first = await link.request(calling('ask', { topic: 'birds' }, { capabilities }));
    expect(first).toMatchObject({ resultType: 'input_required' });
    const { inputRequests, requestState } = first as { inputRequests: object; requestState: string };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
    const params = { name: 'ask', arguments: { topic: 'birds' }, inputResponses, requestState };
    const second = await link.request(callOf({}, { params, capabilities }));
    expect(second.structuredContent).toEqual({ said: 'Ann on birds' });
  });

  test('of 2025 is asked in the middle of the call', async () => {
    const asked: InputRequest[] = [];
    const onAsk = async (request: InputRequest) => {
      asked.push(request);
      return answer;
    };
    const capabilities = { elicitation: {} };
    const result = await linkIn('legacy').request(
      calling('ask', { topic: 'birds' }, { capabilities, onAsk, principal: 'ann' }),
    );
    expect(result.structuredContent).toEqual({ said: 'Ann on birds' });
    expect(asked).toMatchObject([
      { method: 'elicitation/create', params: { message: 'Who asks about birds?' } },
    ]);
  });
});
