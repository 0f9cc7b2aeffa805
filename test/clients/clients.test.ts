import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureTestTools } from '../../scripts/install-test-tools.ts';
import type { Connection, Endpoint, ForeignClient } from './foreign-client.ts';
import { inspectorLegacy, inspectorModern } from './inspector.ts';
import { openaiAgents } from './openai-agents.ts';
import type { Product } from './product.ts';
import { startProduct } from './product.ts';
import { sdkV1, sdkV2 } from './sdk-clients.ts';

const CLIENTS = [inspectorLegacy, inspectorModern, sdkV1, sdkV2, openaiAgents];
const INSTALL_TIMEOUT_MS = 300_000;

let product: Product;

beforeAll(async () => {
  await ensureTestTools();
  product = await startProduct();
}, INSTALL_TIMEOUT_MS);

afterAll(() => product?.stop());

async function expectToWork(client: ForeignClient, connection: Connection): Promise<void> {
  try {
    expect(await connection.listTools()).toContain('parley_whoami');
    const answer = await connection.call('parley_whoami');
    expect(answer).not.toBe('');
    expect(answer).not.toContain(product.endpoint.key);
    expect(connection.era()).toBe(client.era);
    await expect(connection.call('parley_no_such_tool')).rejects.toThrow(/unknown tool|not found/i);
  } finally {
    await connection.close();
  }
}

async function listOverHttp(client: ForeignClient, endpoint: Endpoint): Promise<string[]> {
  const connection = await client.overHttp(endpoint, await product.newHome());
  try {
    return await connection.listTools();
  } finally {
    await connection.close();
  }
}

describe.each(CLIENTS)('$name', (client) => {
  test('connects, lists and calls over HTTP', async () => {
    await expectToWork(client, await client.overHttp(product.endpoint, await product.newHome()));
  });

  test('connects, lists and calls over stdio beside the running server', async () => {
    await expectToWork(client, await client.overStdio(product.program, await product.newHome()));
  });

  test('gets nothing with a wrong key', async () => {
    const endpoint = { ...product.endpoint, key: 'wrong' };
    await expect(listOverHttp(client, endpoint)).rejects.toThrow(
      /401|unauthorized|auth_required|valid API key/i,
    );
  });
});
