/** Owns the bare script over stdio: no library, a list serialised beforehand; the least a cold start can cost. */
import { readFileSync } from 'node:fs';

const tools = readFileSync(process.argv[2] ?? 'tools.json', 'utf8');
const MODERN = '"resultType":"complete","ttlMs":0,"cacheScope":"private",';
const OPENING =
  '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bare","version":"1.0.0"}}';
let pending = '';

process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk: string) => {
  const lines = (pending + chunk).split('\n');
  pending = lines.pop() ?? '';
  for (const line of lines) answer(line);
});

function answer(line: string): void {
  // the only peer is the bench, which sends well-formed requests
  const message = JSON.parse(line) as { id?: number; method: string; params?: { _meta?: object } };
  if (message.id === undefined) return;
  const era = message.params?._meta ? MODERN : '';
  const result = message.method === 'initialize' ? OPENING : `{${era}"tools":${tools}}`;
  process.stdout.write(`{"jsonrpc":"2.0","id":${message.id},"result":${result}}\n`);
}
