/** Errors that nothing catches: reported without secrets, counted, and the process goes on. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callTool, stdioClient } from './mcp-messages.ts';
import { scratchFolder, spawnParley, startParley } from './parley.ts';

const program = join(import.meta.dirname, 'uncaught-program.ts');
const SECRET = `parley_${'A'.repeat(12)}_${'b'.repeat(43)}`;
const FAULTS = [
  ['throw_later', 'uncaught exception'],
  ['reject_later', 'unhandled rejection'],
] as const;

test('an uncaught error does not stop "parley start": it is logged, redacted and counted', async () => {
  using folder = scratchFolder();
  await using server = await startParley(folder.path, { program });
  for (const [name, where] of FAULTS) {
    expect((await callTool(server, name, { text: `${name} with ${SECRET}` })).status).toBe(200);
    const [line] = await server.until('stderr', new RegExp(`.*"where":"${where}".*`));
    expect(JSON.parse(line)).toMatchObject({ level: 50, msg: 'fault', where });
    expect(line).toContain(`${name} with [REDACTED:key]`);
    expect((await callTool(server, 'parley_whoami')).status).toBe(200);
  }
  expect(server.stderr()).not.toContain(SECRET);
  const metrics = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${server.key}` },
  });
  expect(await metrics.text()).toContain('\nparley_uncaught_errors_total 2\n');
  expect((await server.stop()).code).toBe(0);
});

test('an uncaught error does not stop "parley start" whose log nobody reads', async () => {
  using folder = scratchFolder();
  await using server = await startParley(folder.path, { program });
  server.child.stderr.destroy();
  for (const [name] of FAULTS) await callTool(server, name, { text: 'unread' });
  expect((await callTool(server, 'parley_whoami')).status).toBe(200);
});

test('an uncaught error does not stop "parley mcp"', async () => {
  using folder = scratchFolder();
  const running = spawnParley(['mcp', '--data', folder.path], { program });
  const client = stdioClient(running);
  for (const [name, where] of FAULTS) {
    expect((await client.call(name, { text: SECRET })).result?.structuredContent).toEqual({ done: true });
    await running.until('stderr', new RegExp(`"where":"${where}"`));
    expect((await client.call('parley_whoami')).result?.isError).not.toBe(true);
  }
  expect(running.stderr()).not.toContain(SECRET);
  running.child.stdin.end();
  expect((await running.ended).code).toBe(0);
});
