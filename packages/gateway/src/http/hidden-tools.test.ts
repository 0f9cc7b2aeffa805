/** One grant among 500 tools: one tool is there, and the other 499 look like names that never existed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manyTools } from '../../test/lab-tools.ts';
import { openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import type { Answer } from '@parley/test-support/wire';
import { modern, modernCall, sendModern } from '@parley/test-support/wire';

const GRANTED = 'tool_042';
const ABSENT = 'tool_999';
let gateway: TestGateway;
let to: { port: number; key: string };

beforeAll(async () => {
  gateway = await startGateway({ toolsets: [manyTools(500)] });
  to = { port: gateway.port, key: (await gateway.key({ many: [GRANTED] })).text };
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

const hidden = Array.from({ length: 500 }, (_, index) => `tool_${String(index).padStart(3, '0')}`).filter(
  (name) => name !== GRANTED,
);

/** Everything of an answer that a client can see, with the echoed name and the clock taken out. */
function visible({ status, headers, text }: Answer, name: string): object {
  const { date: _date, ...others } = headers;
  return {
    status,
    headers: others,
    text: text.replaceAll(name, '<name>').replaceAll(/^id: .*$/gm, 'id: <event>'),
  };
}

test('a modern caller with one grant sees one tool and cannot tell the other 499 from nothing', async () => {
  const listed = await sendModern(to, modern('tools/list'));
  expect(listed.json.result.tools.map(({ name }: { name: string }) => name)).toEqual([GRANTED]);
  const called = await sendModern(to, modernCall(GRANTED, {}));
  expect(called.json.result.structuredContent).toEqual({ name: GRANTED });

  const absent = visible(await sendModern(to, modernCall(ABSENT, {})), ABSENT);
  expect(hidden).toHaveLength(499);
  for (const name of hidden)
    expect(visible(await sendModern(to, modernCall(name, {})), name)).toEqual(absent);
  expect(gateway.lab.ran).toEqual([GRANTED]);
});

test('the same holds on the SDK path, for calls that ask for progress and for bad arguments', async () => {
  const variants = [
    (name: string) => modernCall(name, {}, { meta: { progressToken: 1 } }),
    (name: string) => modernCall(name, { unexpected: true }),
    (name: string) => modernCall(name),
  ];
  for (const variant of variants) {
    const absent = visible(await sendModern(to, variant(ABSENT)), ABSENT);
    for (const name of hidden.slice(0, 25))
      expect(visible(await sendModern(to, variant(name)), name)).toEqual(absent);
  }
});

test('a 2025 session with one grant sees one tool and cannot tell the other 499 from nothing', async () => {
  gateway.lab.ran.length = 0;
  const session = await openSession(to);
  const listed = await session.request('tools/list');
  expect(listed.json.result.tools.map(({ name }: { name: string }) => name)).toEqual([GRANTED]);
  const called = await session.request('tools/call', { name: GRANTED, arguments: {} });
  expect(called.json.result.structuredContent).toEqual({ name: GRANTED });

  const call = (name: string) => session.request('tools/call', { name, arguments: {} });
  const absent = visible(await call(ABSENT), ABSENT);
  for (const name of hidden) expect(visible(await call(name), name)).toEqual(absent);
  expect(gateway.lab.ran).toEqual([GRANTED]);
});

test('every denial is on record with its true reason, which the caller never learns', async () => {
  const other = { port: gateway.port, key: (await gateway.key({ many: [GRANTED] })).text };
  await sendModern(other, modernCall('tool_001', {}));
  await sendModern(other, modernCall(ABSENT, {}));
  const { id } = await gateway.callerOf(other.key);
  const denied = (await gateway.records()).filter(({ callerId }) => callerId === id);
  expect(denied.map(({ tool, outcome, code, toolset }) => ({ tool, outcome, code, toolset }))).toEqual([
    { tool: 'tool_001', outcome: 'denied', code: 'no_grant', toolset: 'many' },
    { tool: ABSENT, outcome: 'denied', code: 'unknown', toolset: '' },
  ]);
});

test('a hidden toolset is listed as empty at its own URL', async () => {
  const stranger = { port: gateway.port, key: (await gateway.key({ other: ['*'] })).text, path: '/mcp/many' };
  expect((await sendModern(stranger, modern('tools/list'))).json.result.tools).toEqual([]);
});

test('equal grants give equal list bytes, whatever was called before', async () => {
  const twin = { port: gateway.port, key: (await gateway.key({ many: [GRANTED] })).text };
  const first = await sendModern(to, modern('tools/list'));
  await sendModern(twin, modernCall('tool_007', {}));
  await sendModern(twin, modernCall(GRANTED, {}));
  expect((await sendModern(twin, modern('tools/list'))).text).toBe(first.text);
  expect(first.json.result.cacheScope).toBe('private');
});
