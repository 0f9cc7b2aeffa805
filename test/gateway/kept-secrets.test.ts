/** What records keep of calls that carried secrets: none of them, and nothing is cut out that is somebody else's word. */
import { eventually } from '@parley/test-support/eventually';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { modernCall, modernHeaders, send } from '@parley/test-support/wire';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { GatewayServer } from './fixtures/server.ts';
import { startGatewayServer } from './fixtures/server.ts';

const STORED = 'stored-secret-of-all-1';
const HIDDEN = '[REDACTED:secret]';

let server: GatewayServer;

beforeAll(async () => {
  server = await startGatewayServer();
});

afterAll(() => server[Symbol.asyncDispose]());

async function connectionOf(data: object = {}): Promise<string> {
  const upstream = await startUpstream({ era: '2026', tools: [plainTool('work')] });
  onTestFinished(() => upstream[Symbol.asyncDispose]());
  const mappedHeader = { from: 'x-who', to: 'x-whom' };
  return server.connect('Mapped', upstream.url, { metadata: { gateway: { mappedHeader } }, ...data });
}

/** Calls with a value for the mapped header, and this to say. */
async function call(connection: string, said: string, who: string | undefined, id: string | number = 1) {
  const message = { ...modernCall('work', { said }), id };
  const answer = await send({
    port: server.port,
    key: server.key,
    path: `/mcp/${connection}`,
    headers: { ...modernHeaders(modernCall('work')), ...(who !== undefined && { 'x-who': who }) },
    body: JSON.stringify(message),
  });
  expect(answer.json.result.isError).not.toBe(true);
}

/** What is kept of the calls of a connection, the first one first. */
async function inputsOf(connection: string, count: number): Promise<unknown[]> {
  return eventually(async () => {
    const { logs } = await server.manage('MONITORING_LOGS_LIST', { connectionId: connection, limit: 100 });
    expect(logs).toHaveLength(count);
    return (logs as { input: string }[]).toReversed().map(({ input }) => JSON.parse(input));
  });
}

test("a mapped value is cut out of the record of its own call, and out of nobody else's", async () => {
  const connection = await connectionOf();
  await call(connection, 'see me here', 'e');
  await call(connection, 'see me here', undefined);
  await call(connection, 'see me here', 'somebody-else-with-a-long-value');
  await call(connection, 'a-long-value-of-mine', 'a-long-value-of-mine');
  await call(connection, 'a-long-value-of-mine', 'another');
  expect(await inputsOf(connection, 5)).toEqual([
    { said: 'see me here' },
    { said: 'see me here' },
    { said: 'see me here' },
    { said: HIDDEN },
    { said: 'a-long-value-of-mine' },
  ]);
});

test('a mapped value stays out of the record though the id of its request is redacted too', async () => {
  const connection = await connectionOf();
  await call(connection, 'mine-and-mine-alone', 'mine-and-mine-alone', 'Bearer 0123456789abcdef');
  expect(await inputsOf(connection, 1)).toEqual([{ said: HIDDEN }]);
});

test('a stored secret is cut out of the records of all connections, also when the call carries another', async () => {
  const stored = await connectionOf({ connection_token: STORED });
  const other = await connectionOf();
  await call(stored, `to ${STORED}`, undefined);
  await call(other, `to ${STORED}`, 'x');
  expect(await inputsOf(stored, 1)).toEqual([{ said: `to ${HIDDEN}` }]);
  expect(await inputsOf(other, 1)).toEqual([{ said: `to ${HIDDEN}` }]);
});
