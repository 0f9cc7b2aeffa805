/** Secrets never come back out: a key planted wherever a client can write appears in no log, record, metric or answer. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { message, post } from './mcp-messages.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

const PROGRAM = join(import.meta.dirname, 'notes-program.ts');

test('a key that is planted in every input appears nowhere', async () => {
  using folder = scratchFolder();
  const server = await startParley(folder.path, { program: PROGRAM, args: ['--log-level', 'debug'] });
  const { mcp, key, url } = server;
  const secret = key.slice(-43);
  const answers: { status: number; text: string }[] = [];
  const send = async (
    name: string,
    args: object,
    meta: object = {},
    headers: Record<string, string> = {},
  ) => {
    const body = message(1, 'tools/call', { name, arguments: args }, { ...meta });
    answers.push(await post(mcp, key, body, headers));
  };

  await send('note_break', { text: key });
  await send('parley_explain', { caller: key, tool: key });
  await send('parley_whoami', {}, { traceparent: key, other: key });
  await send('parley_whoami', {}, {}, { 'x-forwarded-for': key, 'x-api-key': key, cookie: `session=${key}` });
  await send('parley_whoami', {}, { 'io.modelcontextprotocol/clientInfo': { name: key, version: key } });
  answers.push(await post(mcp, `${key}x`, message(1, 'tools/list')));
  answers.push(await post(`${mcp}/${key}`, key, message(1, 'tools/list')));
  answers.push(await post(mcp, key, message(1, 'tools/list', { cursor: key })));
  const reply = await fetch(`${url}/${key}?key=${key}`, { headers: { authorization: `Bearer ${key}` } });
  answers.push({ status: reply.status, text: await reply.text() });
  for (const { text } of answers) expect(text).not.toContain(secret);
  expect(answers[0]?.text).toContain('Internal error');

  // Names that a client made up are said back to it alone; they must still reach no log and no record.
  await post(mcp, key, message(1, 'tools/call', { name: 'note_add', arguments: { text: 7, [key]: key } }));
  await post(mcp, key, message(1, 'tools/list'), { 'mcp-method': key });
  await post(mcp, key, message(key, 'tools/call', { name: 'parley_whoami', arguments: {} }));
  await post(mcp, key, message(1, 'tools/call', { name: key, arguments: {} }));
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  expect(metrics.status).toBe(200);
  expect(await metrics.text()).not.toContain(secret);

  const { stdout, stderr, code } = await server.stop();
  expect(code).toBe(0);
  expect(stdout).not.toContain(secret);
  expect(stderr).toContain('it broke on [REDACTED:key]');
  expect(stderr).not.toContain(secret);
  const files = readdirSync(folder.path).filter((name) => name !== 'owner.key');
  expect(files).toContain('records.db');
  for (const name of files) expect(readFileSync(join(folder.path, name)).includes(secret), name).toBe(false);
  const refused = await runParley(['tools', '--data', folder.path, '--key', `${key}x`], { program: PROGRAM });
  expect(refused.stderr).not.toContain(secret);
});
