/** The modes that show few tools for many, and tools written in code: what is found, called, run and recorded. */
import { eventually } from '@parley/test-support/eventually';
import type { Answer } from '@parley/test-support/wire';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { VirtualBed } from '../../test/virtual-bed.ts';
import { startVirtualBed } from '../../test/virtual-bed.ts';

let bed: VirtualBed;
beforeAll(async () => {
  bed = await startVirtualBed();
});
afterAll(() => bed[Symbol.asyncDispose]());
beforeEach(() => {
  bed.calls.length = 0;
});

const SMART = '?mode=smart_tool_selection';
const CODE = '?mode=code_execution';
const member = (connection_id: string, more: object = {}) => ({ connection_id, ...more });
const dataOf = ({ json }: Answer) => json.result.structuredContent;
const body = (text: string) => `export default async (tools, args) => { ${text} }`;

describe('smart tool selection', () => {
  test('check 17: three tools for five hundred; an exact name is found first', async () => {
    const tools = Array.from({ length: 500 }, (_unused, index) => `record_${index}`);
    await bed.serve({ id: 'conn_many', title: 'Records', tools: [...tools, 'record', 'hidden'] });
    const { id } = await bed.made({
      connections: [member('conn_many', { selected_tools: [...tools, 'record'] })],
    });
    const place = { id, query: SMART };
    expect(await bed.names(place)).toEqual([
      'GATEWAY_CALL_TOOL',
      'GATEWAY_DESCRIBE_TOOLS',
      'GATEWAY_SEARCH_TOOLS',
    ]);
    const found = dataOf(await bed.call(place, 'GATEWAY_SEARCH_TOOLS', { query: 'Record' }));
    expect(found).toMatchObject({ query: 'Record', totalAvailable: 501 });
    expect(found.results[0]).toEqual({ name: 'record', description: 'Does record.', connection: 'Records' });
    expect(found.results).toHaveLength(10);
    const described = dataOf(
      await bed.call(place, 'GATEWAY_DESCRIBE_TOOLS', { tools: ['record_7', 'hidden'] }),
    );
    expect(described).toEqual({
      tools: [
        {
          name: 'record_7',
          description: 'Does record_7.',
          connection: 'Records',
          inputSchema: { type: 'object' },
        },
      ],
      notFound: ['hidden'],
    });
    const refused = (await bed.call(place, 'GATEWAY_CALL_TOOL', { name: 'hidden' })).json.result;
    expect(refused).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'not_found' } });
    expect(bed.calls).toEqual([]);
  });

  test('a call is that of the tool it names: its result, its record, its near names', async () => {
    const answer = () => ({
      content: [{ type: 'text' as const, text: 'plain' }],
      structuredContent: { ok: 1 },
      _meta: { own: true },
    });
    await bed.serve({
      id: 'conn_call',
      tools: [{ name: 'send_mail', answer, annotations: { readOnlyHint: true } }, 'send_letter', 'zebra'],
    });
    const { id } = await bed.made({ connections: [member('conn_call')] });
    const place = { id, query: SMART };
    const { text: key, id: callerId } = await bed.gateway.key({ conn_call: ['send_mail', 'send_letter'] });
    const call = (args: object) => bed.call({ ...place, key }, 'GATEWAY_CALL_TOOL', { ...args });
    const { result } = (await call({ name: 'send_mail', arguments: { to: 'a' } })).json;
    expect(result).toMatchObject({ ...answer(), _meta: { own: true } });
    expect(bed.calls).toEqual([{ connection: 'conn_call', what: 'send_mail', args: { to: 'a' } }]);
    const missing = (await call({ name: 'sendmail' })).json.result;
    expect(missing._meta).toMatchObject({
      'dev.parley/code': 'not_found',
      'dev.parley/data': { near: ['send_mail', 'send_letter'] },
    });
    // A tool that is there for others looks like one that is not there.
    const hidden = (await call({ name: 'zebra' })).json.result;
    expect(hidden._meta['dev.parley/data']).toEqual({ near: [] });
    for (const args of [
      {},
      { name: '' },
      { name: 'send_mail', arguments: 7 },
      { name: 'send_mail', more: 1 },
    ])
      expect((await call(args)).json.result, JSON.stringify(args)).toMatchObject({
        isError: true,
        _meta: { 'dev.parley/code': 'invalid' },
      });
    const records = (await bed.gateway.records()).filter((record) => record.callerId === callerId);
    expect(records.slice(0, 3)).toMatchObject([
      { toolset: 'conn_call', tool: 'send_mail', effect: 'read', outcome: 'ok', virtualMcpId: id },
      { tool: 'sendmail', outcome: 'denied', code: 'unknown', virtualMcpId: id },
      { toolset: 'conn_call', tool: 'zebra', outcome: 'denied', code: 'no_grant', virtualMcpId: id },
    ]);
    const nobody = (await bed.gateway.key({ lab: ['*'] })).text;
    const unknown = await bed.call({ ...place, key: nobody }, 'GATEWAY_CALL_TOOL', { name: 'send_mail' });
    expect(unknown.json.error.message).toBe('Unknown tool: GATEWAY_CALL_TOOL');
  });

  test('a question of the tool goes to the client and back, bound to that tool', async () => {
    const asked = {
      resultType: 'input_required' as const,
      inputRequests: {
        name: {
          method: 'elicitation/create',
          params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
        },
      },
      requestState: 'upstream state',
    };
    await bed.serve({
      id: 'conn_ask',
      tools: [
        {
          name: 'ask',
          // A question as another server would put it.
          answer: (_args, call) =>
            call.requestState === undefined
              ? (asked as never)
              : {
                  content: [
                    { type: 'text', text: `${call.requestState} ${JSON.stringify(call.inputResponses)}` },
                  ],
                },
        },
        'other',
      ],
    });
    const { id } = await bed.made({ connections: [member('conn_ask')] });
    const place = { id, query: SMART };
    const capabilities = { elicitation: {} };
    const args = { name: 'ask', arguments: {} };
    const first = (await bed.call(place, 'GATEWAY_CALL_TOOL', args, { capabilities })).json.result;
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } });
    const inputResponses = { name: { action: 'accept', content: {} } };
    const { requestState } = first;
    const again = (given: object) =>
      bed.send(place, 'tools/call', {
        name: 'GATEWAY_CALL_TOOL',
        arguments: given,
        requestState,
        inputResponses,
      });
    expect((await again({ name: 'other', arguments: {} })).json.error.code).toBe(-32602);
    expect(bed.calls).toHaveLength(1);
    expect((await again(args)).json.result.content[0].text).toBe(
      `upstream state ${JSON.stringify(inputResponses)}`,
    );
  });
});

describe('code execution', () => {
  test('check 19: code reaches the tools of its caller and nothing else', async () => {
    await bed.serve({ id: 'conn_code', tools: ['mine', 'yours'] });
    const { id } = await bed.made({ connections: [member('conn_code')] });
    const { text: key, id: callerId } = await bed.gateway.key({ conn_code: ['mine'] });
    const place = { id, query: CODE, key };
    expect(await bed.names(place)).toEqual([
      'GATEWAY_DESCRIBE_TOOLS',
      'GATEWAY_RUN_CODE',
      'GATEWAY_SEARCH_TOOLS',
    ]);
    const run = async (code: string) =>
      dataOf(await bed.call(place, 'GATEWAY_RUN_CODE', { code: body(code) }));
    expect(await run('return await tools.mine({ a: 1 })')).toEqual({
      returnValue: 'mine of conn_code',
      consoleLogs: [],
    });
    expect(await run('return await tools.yours({}).catch((error) => error.code)')).toMatchObject({
      returnValue: 'not_found',
    });
    expect(
      await run('return await tools.GATEWAY_RUN_CODE({ code: "" }).catch((error) => error.code)'),
    ).toMatchObject({ returnValue: 'not_found' });
    expect(
      await run(
        'return [typeof process, typeof require, typeof fetch, typeof setTimeout, typeof SharedArrayBuffer]',
      ),
    ).toMatchObject({ returnValue: ['undefined', 'undefined', 'undefined', 'undefined', 'undefined'] });
    expect(await run('return await import("node:fs").then(() => 1, () => 2)')).toMatchObject({
      returnValue: 2,
    });
    expect(
      await run('return (function () {}).constructor("return this")().process === undefined'),
    ).toMatchObject({ returnValue: true });
    const records = (await bed.gateway.records()).filter((record) => record.callerId === callerId);
    expect(records).toContainEqual(
      expect.objectContaining({ tool: 'mine', outcome: 'ok', virtualMcpId: id }),
    );
    expect(records).toContainEqual(
      expect.objectContaining({ tool: 'yours', outcome: 'denied', code: 'no_grant', virtualMcpId: id }),
    );
    expect(bed.calls).toEqual([{ connection: 'conn_code', what: 'mine', args: { a: 1 } }]);
  });
});

describe('tools in code', () => {
  const make = async (id: string, name: string, code: string, more: object = {}) =>
    bed.virtualTools.create(bed.owner, id, {
      name,
      inputSchema: { type: 'object' },
      code: body(code),
      ...more,
    });

  test('call members and dependencies as their caller, and no tool in code', async () => {
    await bed.serve(
      { id: 'conn_v1', title: 'Member', tools: ['one', 'unselected'] },
      { id: 'conn_v2', title: 'Needed', tools: ['one', 'two'] },
      { id: 'conn_v3', tools: ['three'] },
    );
    const { id } = await bed.made({ connections: [member('conn_v1', { selected_tools: ['one'] })] });
    await make(id, 'helper', 'return 1');
    const code = `
      const ways = { one: {}, needed_one: {}, two: { a: args.text }, three: {}, unselected: {}, helper: {} };
      const out = {};
      for (const [name, given] of Object.entries(ways)) out[name] = await tools[name](given).catch((error) => error.code);
      return out;`;
    const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    await make(id, 'all', code, { inputSchema, connection_dependencies: ['conn_v2'] });
    const evil = '"}); globalThis.broken = 1; ({"';
    const { result } = (await bed.call({ id }, 'all', { text: evil })).json;
    const out = {
      one: 'one of conn_v1',
      needed_one: 'one of conn_v2',
      two: 'two of conn_v2',
      three: 'not_found',
      unselected: 'not_found',
      helper: 'not_found',
    };
    expect(result).toMatchObject({
      structuredContent: out,
      content: [{ type: 'text', text: JSON.stringify(out) }],
    });
    expect(bed.calls[2]).toEqual({ connection: 'conn_v2', what: 'two', args: { a: evil } });
    const { text: key, id: callerId } = await bed.gateway.key({ [id]: ['all'], conn_v1: ['one'] });
    expect(await bed.names({ id, key })).toEqual(['all', 'one']);
    expect(dataOf(await bed.call({ id, key }, 'all', { text: 'x' }))).toMatchObject({
      one: 'one of conn_v1',
      two: 'not_found',
    });
    const seen = (await bed.gateway.records()).filter((record) => record.callerId === callerId);
    expect(seen).toContainEqual(
      expect.objectContaining({ toolset: 'conn_v2', tool: 'two', outcome: 'denied', virtualMcpId: id }),
    );
    expect(seen).toContainEqual(
      expect.objectContaining({ toolset: id, tool: 'all', outcome: 'ok', virtualMcpId: id }),
    );
    expect((await bed.call({ id }, 'all', {})).json.result).toMatchObject({
      isError: true,
      _meta: { 'dev.parley/code': 'invalid' },
    });
  });

  test('what they return is held against their schema, and failures say their code', async () => {
    const { id } = await bed.made({});
    const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    await make(id, 'good', 'return { n: args.n }', { outputSchema, annotations: { readOnlyHint: true } });
    await make(id, 'text', 'return "words"');
    await make(id, 'throws', 'throw Object.assign(new Error("no luck"), { code: "own_code" })');
    await make(id, 'large', 'return "x".repeat(300 * 1024)');
    const run = async (name: string, args = {}) => (await bed.call({ id }, name, args)).json.result;
    expect(await run('good', { n: 1 })).toMatchObject({ structuredContent: { n: 1 } });
    expect((await run('good', { n: 'x' }))._meta['dev.parley/code']).toBe('invalid_result');
    expect(await run('text')).toMatchObject({ content: [{ type: 'text', text: 'words' }] });
    expect(await run('throws')).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'own_code' } });
    expect((await run('large'))._meta['dev.parley/code']).toBe('too_large');
    const { json } = await bed.send({ id }, 'tools/list');
    expect(json.result.tools[0]).toMatchObject({
      name: 'good',
      annotations: { readOnlyHint: true, destructiveHint: false },
      outputSchema,
    });
    expect(json.result.tools[1].annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      openWorldHint: true,
    });
  });

  test('the end of the client ends the run and what it called', async () => {
    let isAborted = false;
    await bed.serve({
      id: 'conn_wait',
      tools: [
        {
          name: 'wait',
          answer: (_args, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                isAborted = true;
                reject(new Error('cancelled'));
              });
            }),
        },
      ],
    });
    const { id } = await bed.made({ connections: [member('conn_wait')] });
    await make(id, 'waits', 'return await tools.wait({})');
    const { modernCall, modernHeaders, open } = await import('@parley/test-support/wire');
    const message = modernCall('waits', {});
    const { port, ownerKey } = bed.gateway;
    const request = open({
      port,
      key: ownerKey,
      path: `/mcp/virtual-mcp/${id}`,
      headers: modernHeaders(message),
      body: JSON.stringify(message),
    });
    request.on('error', () => undefined);
    await eventually(() => expect(bed.calls).toHaveLength(1));
    request.destroy();
    await eventually(() => expect(isAborted).toBe(true));
  });
});
