/** Which addresses `parley connect` takes for Parley itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Wanted } from '@parley/connections';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../config.ts';
import { noteAddress } from '../../served-address.ts';
import { isParleyItself } from './own-address.ts';

const OWN = 4680;
const NOTED = 4681;

const itself = (url: string) => isItself({ type: 'HTTP', url, headers: {} });

function isItself(to: Wanted['to']): boolean {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-own-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const { config } = loadConfig(['--data', dataDir, '--port', String(OWN)], { env: {} });
  noteAddress(config, `http://127.0.0.1:${NOTED}`);
  return isParleyItself({ to }, config);
}

const ownAddresses = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));

test.each([
  '127.0.0.1',
  '127.1.2.3',
  '0.0.0.0',
  '0',
  '[::]',
  '[::1]',
  '[::ffff:0.0.0.0]',
  '[::ffff:127.0.0.1]',
  '2130706433',
  'localhost',
  'LOCALHOST.',
  'parley.localhost',
  hostname(),
  ...ownAddresses,
])('%s at its own port is Parley, and at another port is not', (host) => {
  for (const port of [OWN, NOTED]) expect(itself(`http://${host}:${port}/mcp`), String(port)).toBe(true);
  expect(itself(`https://${host}:${OWN}/other`)).toBe(true);
  expect(itself(`http://${host}:9000/mcp`)).toBe(false);
});

test.each(['http://192.0.2.7:4680/mcp', 'https://mcp.example.com:4680/', 'http://[2001:db8::1]:4680/'])(
  '%s is another server',
  (url) => expect(itself(url)).toBe(false),
);

test.each([
  [['-y', 'mcp-remote', `http://localhost:${OWN}/mcp`, '--header', 'Authorization:${AUTH}'], true],
  [['mcp-remote', `http://127.0.0.1:${NOTED}/mcp/self`], true],
  [['proxy', `--url=http://localhost:${OWN}/mcp?mode=passthrough`], true],
  [['mcp-remote', 'http://localhost:9000/mcp'], false],
  [['mcp-remote', 'https://mcp.example.com/mcp'], false],
  [['crawl', `http://localhost:${OWN}/docs`], false],
])('a program with %j leads to Parley: %s', (args, expected) => {
  expect(isItself({ type: 'STDIO', program: { command: 'npx', args, env: {} } })).toBe(expected);
});
