/** Feedback of another server on Node, as its users start it. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { promiseRemoteFeedback } from '../clients/remote-feedback.ts';
import { ensureBuilt } from './build.ts';
import { runParley, spawnParley } from './parley.ts';

beforeAll(() => ensureBuilt());

promiseRemoteFeedback('Node', () => ({}));

test.runIf(process.platform === 'linux')('the key is not on the command line that others see', async () => {
  const running = spawnParley(['mcp', 'feedback', '--url', 'http://127.0.0.1:1', '--api-key', 'planted-key']);
  onTestFinished(async () => {
    running.child.stdin.end();
    await running.ended;
  });
  running.child.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } } })}\n`,
  );
  await running.until('stdout', /quackback-mcp/);
  expect(readFileSync(`/proc/${running.child.pid}/cmdline`, 'utf8')).not.toContain('planted-key');
});

test.each([
  [['mcp', '--url', 'https://a.example'], '--url: works with "parley mcp feedback" only'],
  [['mcp', 'tasks', '--remote'], '--remote: works with "parley mcp feedback" only'],
])('%j is refused', async (args, line) => {
  const { code, stdout, stderr } = await runParley(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(line);
});
