/** U+0000, which PostgreSQL takes in no text: every field of every tool says so or finds nothing, and none fails. */
import { scratchDatabase } from '@parley/store/testing';
import type { ScratchDatabase } from '@parley/store/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { message, post } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { startParley } from './parley.ts';

interface Field {
  readonly type?: string;
  readonly items?: Field;
  readonly default?: unknown;
  readonly enum?: readonly string[];
}
interface Listed {
  readonly name: string;
  readonly inputSchema: {
    readonly properties?: Record<string, Field>;
    readonly required?: readonly string[];
  };
}

let database: ScratchDatabase;
let server: Server;
let key: string;
let tools: readonly Listed[];

beforeAll(async () => {
  await ensureBuilt();
  database = await scratchDatabase('postgres');
  const args = ['--database-url', database.options.databaseUrl ?? ''];
  server = await startParley(database.options.dataDir, { args });
  key = await everythingKey();
  const { body } = await post(server.mcp, key, message(1, 'tools/list'));
  tools = (body.result as unknown as { tools: Listed[] }).tools;
});
afterAll(async () => {
  await server.stop();
  await database.remove();
});

/** A key that names every tool, since some are there only by name. */
async function everythingKey(): Promise<string> {
  const { describeOwn } = await import('../../apps/server/src/start/describe.ts');
  const { catalog } = await describeOwn();
  const grants = Object.fromEntries(
    [...Map.groupBy(catalog.tools, ({ toolset }) => toolset)].map(([toolset, items]) => [
      toolset,
      items.map(({ name }) => name),
    ]),
  );
  const answer = await fetch(`${server.url}/api/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Everything', role: 'admin', grants }),
  });
  return ((await answer.json()) as { data: { key: string } }).data.key;
}

const NUL = 'a\u0000b';

function plain({ type, enum: values, items }: Field): unknown {
  if (values !== undefined) return values[0];
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  return type === 'array' ? [plain(items ?? {})] : 'x';
}

const isText = ({ type, enum: values, items }: Field) =>
  values === undefined && ((type ?? 'string') === 'string' || (type === 'array' && items?.type === 'string'));

test('no field of any tool makes an internal error of it', async () => {
  let asked = 0;
  for (const { name, inputSchema } of tools) {
    const { properties = {}, required = [] } = inputSchema;
    const usual = Object.fromEntries(required.map((field) => [field, plain(properties[field] ?? {})]));
    for (const [field, schema] of Object.entries(properties)) {
      if (!isText(schema)) continue;
      const given = { ...usual, [field]: schema.type === 'array' ? [NUL] : NUL };
      const quick = 'timeoutMs' in properties ? { timeoutMs: 0 } : {};
      const call = message(++asked, 'tools/call', { name, arguments: { ...given, ...quick } });
      const { body } = await post(server.mcp, key, call);
      expect(body.error?.code, `${name}.${field}`).not.toBe(-32603);
    }
  }
  expect(asked).toBeGreaterThan(60);
});

test('no address of a document makes an internal error of it', async () => {
  const addresses = [
    'parley://annotations/%00',
    'parley://annotations/sessions/a%00b',
    'parley://annotations/a\u0000/markdown',
  ];
  for (const uri of addresses) {
    const { body } = await post(server.mcp, key, message(1, 'resources/read', { uri }), {
      'mcp-name': `=?base64?${Buffer.from(uri).toString('base64')}?=`,
    });
    expect(body.error?.code, uri).toBe(-32602);
  }
});
