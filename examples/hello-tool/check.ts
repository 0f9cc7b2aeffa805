/** Starts the server as a client would, calls its tool in both protocol eras, and fails when an answer is wrong. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

async function checkEra(mode: 'auto' | 'legacy', era: 'modern' | 'legacy'): Promise<void> {
  const client = new Client({ name: 'check', version: '1.0.0' }, { versionNegotiation: { mode } });
  const server = join(import.meta.dirname, 'server.ts');
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server] }));
  try {
    assert.equal(client.getProtocolEra(), era);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
      [['greet', true]],
    );
    const answer = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
    assert.deepEqual(answer.structuredContent, { greeting: 'Hello, Ada!' });
    const refused = await client.callTool({ name: 'greet', arguments: { name: '' } });
    assert.equal(refused.isError, true);
    assert.match(JSON.stringify(refused.content), /name: must have at least 1 characters/);
  } finally {
    await client.close();
  }
}

await checkEra('auto', 'modern');
await checkEra('legacy', 'legacy');
console.log('hello-tool answers in both eras');
