/** `parley connect` as it is typed, for the tests of it: a data folder of its own, a real server and a real program. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import type { McpUpstream } from '@parley/test-support/mcp-upstream';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { connect } from '../src/cli/connect.ts';
import { errorText } from '../src/cli/error-text.ts';
import type { Command } from '../src/cli/main.ts';

/** A program of the 2025 era with two tools; it leaves a file where it is told to, so that its start is seen. */
export const PROGRAM = `
if (process.env.STARTED) require('node:fs').writeFileSync(process.env.STARTED, '');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const tool = (name) => ({ name, inputSchema: { type: 'object' } });
  const results = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } },
    'tools/list': { tools: [tool('read_file'), tool('write_file')] },
  };
  const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'Method not found' } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});`;

/** The entry of that program in the configuration of a client. */
export const program = (env: object = {}) => ({ command: process.execPath, args: ['-e', PROGRAM], env });

/** Each test has a home folder of its own; the server is there for all of them. */
export function connectBed() {
  let home = '';
  let upstream: McpUpstream;
  let out = '';

  beforeAll(async () => {
    upstream = await startUpstream({ era: '2026', tools: ['alpha', 'beta', 'gamma'].map(plainTool) });
  });
  afterAll(() => upstream[Symbol.asyncDispose]());
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'parley-connect-'));
    vi.stubEnv('HOME', home);
    vi.stubEnv('XDG_CONFIG_HOME', undefined);
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      out += String(text);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true, force: true });
  });

  const data = () => ['--data', join(home, 'data'), '--init'];

  async function run(command: Command, args: readonly string[]): Promise<{ code: number; out: string }> {
    out = '';
    const dashes = args.indexOf('--');
    const at = dashes === -1 ? args.length : dashes;
    const code = await command([...args.slice(0, at), ...data(), ...args.slice(at)], []);
    return { code, out };
  }

  return {
    get home() {
      return home;
    },
    get upstream() {
      return upstream;
    },
    data,
    run,
    /** What the command prints as JSON, and how it ends. */
    async json(...args: string[]) {
      const flagged = args.includes('--')
        ? args.toSpliced(args.indexOf('--'), 0, '--json')
        : [...args, '--json'];
      const { code, out: text } = await run(connect, flagged);
      return { code, said: JSON.parse(text) };
    },
    /** The words of a command that fails. */
    async refused(...args: string[]): Promise<string> {
      try {
        await run(connect, args);
      } catch (error) {
        return errorText(error);
      }
      throw new Error(`parley connect ${args.join(' ')} did not fail`);
    },
    file(path: string, content: unknown): string {
      const full = join(home, path);
      mkdirSync(join(full, '..'), { recursive: true });
      writeFileSync(full, typeof content === 'string' ? content : JSON.stringify(content));
      return full;
    },
  };
}
