/** `parley connect authorise` and `token`: what a person brings along goes with their calls, from the command line alone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { guardWith, startOAuthProvider } from '@parley/test-support/oauth-provider';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { call } from '../call.ts';
import { connect } from '../connect.ts';
import { keys } from '../keys.ts';
import type { Command } from '../main.ts';

let folder = '';
let out = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-credentials-'));
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

async function run(command: Command, ...args: string[]) {
  out = '';
  const code = await command(
    [...args, '--data', folder, '--init', '--allow-egress', '127.0.0.1', '--json'],
    [],
  );
  return { code, said: JSON.parse(out) };
}

function typing(text: string): void {
  const input = Object.assign(Readable.from([Buffer.from(text)]), { fd: 0 as const });
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as unknown as typeof process.stdin);
}

test('an authorization begins with a page of the server that runs, and sends nobody away by itself', async () => {
  await using provider = await startOAuthProvider();
  await using upstream = await startUpstream({
    era: '2026',
    tools: [plainTool('alpha')],
    fault: guardWith(provider),
  });
  await run(connect, 'add', 'notes', upstream.url);
  for (const word of ['authorise', 'authorize']) {
    const { code, said } = await run(connect, word, 'notes', '--port', '4999');
    expect(code).toBe(0);
    expect(said.url).toMatch(/^http:\/\/127\.0\.0\.1:4999\/oauth\/start\/parley_start_/);
  }
});

test('a token of their own is read from standard input, sent, and forgotten', async () => {
  await using upstream = await startUpstream({ era: '2026', tools: [plainTool('alpha')] });
  const { said } = await run(connect, 'add', 'notes', upstream.url);
  const personalToken = { header: 'X-Own', template: '{token}' };
  const data = { metadata: { gateway: { personalToken } } };
  await run(call, 'COLLECTION_CONNECTIONS_UPDATE', JSON.stringify({ id: said.id, data }));
  typing('canary-own-1\n');
  const kept = await run(connect, 'token', 'notes', '--stdin');
  expect(kept.said).toEqual({ id: said.id, name: 'notes', hasToken: true });
  await run(connect, 'test', 'notes');
  expect(upstream.seen.at(-1)?.headers).toMatchObject({ 'x-own': 'canary-own-1' });
  expect(out).not.toContain('canary');
  const { said: narrow } = await run(keys, 'create', 'Narrow', '--grant', 'parley:*');
  await expect(run(connect, 'token', 'notes', '--remove', '--key', narrow.key)).rejects.toThrow(
    'connection_auth',
  );
  expect((await run(connect, 'token', 'notes', '--remove')).said).toMatchObject({ hasToken: false });
  const seen = upstream.seen.length;
  await run(connect, 'test', 'notes');
  for (const { headers } of upstream.seen.slice(seen)) expect(headers).not.toHaveProperty('x-own');
});
