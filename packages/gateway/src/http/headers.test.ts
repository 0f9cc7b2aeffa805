/** Headers that repeat the body: any disagreement is refused before anything runs, whatever form it takes. */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import type { Answer, Message } from '@parley/test-support/wire';
import { MODERN, modern, modernCall, modernHeaders, send, sendModern } from '@parley/test-support/wire';

let gateway: TestGateway;
let to: { port: number; key: string };

beforeAll(async () => {
  gateway = await startGateway();
  to = { port: gateway.port, key: gateway.ownerKey };
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

beforeEach(() => {
  gateway.lab.ran.length = 0;
});

/** Sends a message with exactly these headers besides type and key. */
function sendWith(message: Message, headers: Record<string, string | undefined>): Promise<Answer> {
  const all = Object.entries({ ...modernHeaders(message), ...headers }).filter(
    ([, value]) => value !== undefined,
  );
  return send({ ...to, headers: Object.fromEntries(all), body: JSON.stringify(message) });
}

function expectMismatch(answer: Answer): void {
  expect({ status: answer.status, code: answer.json?.error?.code }).toEqual({ status: 400, code: -32020 });
  expect(gateway.lab.ran).toEqual([]);
}

const marked = (value: string) => `=?base64?${Buffer.from(value).toString('base64')}?=`;
const call = modernCall('echo', { text: 'hi' });

describe('the standard headers', () => {
  test.each([
    ['no method', { 'mcp-method': undefined }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['the method in another case', { 'mcp-method': 'Tools/Call' }],
    ['an empty method', { 'mcp-method': '' }],
    ['no name', { 'mcp-name': undefined }],
    ['another name', { 'mcp-name': 'start' }],
    ['the name in another case', { 'mcp-name': 'Echo' }],
    ['an empty name', { 'mcp-name': '' }],
    ['another name in base64', { 'mcp-name': marked('start') }],
    ['a name in broken base64', { 'mcp-name': '=?base64?!!?=' }],
    ['a name in the base64 of no UTF-8', { 'mcp-name': '=?base64?/w==?=' }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no version', { 'mcp-protocol-version': undefined }],
    ['an empty version', { 'mcp-protocol-version': '' }],
  ])('a call with %s is 400 and -32020', async (_name, headers) => {
    expectMismatch(await sendWith(call, headers));
  });

  test('a name that travels in base64 is the same name', async () => {
    const answer = await sendWith(call, { 'mcp-name': marked('echo') });
    expect(answer.json.result.structuredContent).toEqual({ text: 'hi' });
  });

  test('reads and prompts are held to the same rule', async () => {
    expectMismatch(
      await sendWith(modern('resources/read', { uri: 'lab://note' }), { 'mcp-name': 'lab://pages/1' }),
    );
    expectMismatch(await sendWith(modern('prompts/get', { name: 'greet' }), { 'mcp-name': 'other' }));
  });

  test('no pair of header and body that disagrees runs a tool', async () => {
    const names = fc.constantFrom('echo', 'start', 'typed', 'nope', 'ECHO', '', 'region');
    const methods = fc.constantFrom('tools/call', 'tools/list', 'prompts/get', 'resources/read', 'x', '');
    const versions = fc.constantFrom(MODERN, '2025-11-25', '2026-07-29', 'x', '');
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const pair = fc.record({
      body: fc.record({ name: names, method: methods }),
      header: fc.record({
        'mcp-name': maybe(fc.oneof(names, names.map(marked), fc.string({ unit: 'grapheme-ascii' }))),
        'mcp-method': maybe(methods),
        'mcp-protocol-version': maybe(versions),
      }),
    });
    await fc.assert(
      fc.asyncProperty(pair, async ({ body, header }) => {
        gateway.lab.ran.length = 0;
        const message = modern(body.method, { name: body.name, uri: body.name, arguments: { text: 'x' } });
        const answer = await sendWith(message, header);
        const isSameName = [body.name, marked(body.name)].includes(header['mcp-name']?.trim() ?? '');
        const agrees =
          header['mcp-protocol-version'] === MODERN &&
          header['mcp-method'] === body.method &&
          body.method !== '' &&
          isSameName;
        expect(answer.status).toBeLessThan(500);
        if (agrees) return;
        expect(gateway.lab.ran).toEqual([]);
        if (body.method === 'tools/call') expectMismatch(answer);
      }),
      { numRuns: 400 },
    );
    expect(gateway.faults).toEqual([]);
  });
});

describe('arguments that travel as headers', () => {
  const region = (args: Record<string, unknown>) => modernCall('region', args);

  test.each([
    ['plain', { region: 'eu-west' }, { 'mcp-param-region': 'eu-west' }],
    ['in base64', { region: 'grün ' }, { 'mcp-param-region': marked('grün ') }],
    [
      'a value that looks like the marker',
      { region: marked('x') },
      { 'mcp-param-region': marked(marked('x')) },
    ],
    ['an empty string', { region: '' }, { 'mcp-param-region': '' }],
    [
      'an integer written as a decimal',
      { region: 'a', level: 42 },
      { 'mcp-param-region': 'a', 'mcp-param-level': '42.0' },
    ],
    [
      'a header that no argument asks for',
      { region: 'a' },
      { 'mcp-param-region': 'a', 'mcp-param-level': '7' },
    ],
  ])('%s is served', async (_name, args, headers) => {
    const answer = await sendWith(region(args), headers);
    expect(answer.json.result?.structuredContent).toEqual({ region: args.region });
  });

  const mismatches: [string, Record<string, unknown>, Record<string, string>][] = [
    ['a missing header', { region: 'eu' }, {}],
    ['another value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    ['broken base64', { region: 'eu' }, { 'mcp-param-region': '=?base64?!!?=' }],
    ['base64 without padding', { region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU?=' }],
    ['another number', { region: 'a', level: 42 }, { 'mcp-param-region': 'a', 'mcp-param-level': '43' }],
    [
      'a number in another notation',
      { region: 'a', level: 42 },
      { 'mcp-param-region': 'a', 'mcp-param-level': '0x2a' },
    ],
    ['a missing second header', { region: 'a', level: 1 }, { 'mcp-param-region': 'a' }],
  ];

  test.each(mismatches)('%s is 400 and -32020', async (_name, args, headers) => {
    expectMismatch(await sendWith(region(args), headers));
  });

  test.each(mismatches)('%s is found also when the name travels in base64', async (_name, args, headers) => {
    expectMismatch(await sendWith(region(args), { ...headers, 'mcp-name': marked('region') }));
  });

  test('for a caller who may not see the tool the headers tell nothing', async () => {
    const key = (await gateway.key({ lab: ['echo'] })).text;
    const hidden = await sendModern({ ...to, key }, region({ region: 'eu' }));
    const absent = await sendModern({ ...to, key }, modernCall('absent', { region: 'eu' }));
    expect(hidden.text.replace('region', 'absent')).toBe(absent.text);
    expect(hidden.status).toBe(absent.status);
  });

  test('any value survives the round trip, and any other value is refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        async (value, other) => {
          const same = await sendWith(region({ region: value }), { 'mcp-param-region': marked(value) });
          expect(same.json.result.structuredContent).toEqual({ region: value });
          if (value === other) return;
          gateway.lab.ran.length = 0;
          expectMismatch(await sendWith(region({ region: value }), { 'mcp-param-region': marked(other) }));
        },
      ),
      { numRuns: 60 },
    );
  });
});
