/** The MCP Inspector's command line: one process for each request. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { Connection, Era, ForeignClient } from './foreign-client.ts';
import { scratchEnvironment, textOf } from './foreign-client.ts';

const PACKAGE = new URL('../tools/node_modules/@modelcontextprotocol/inspector/', import.meta.url);
const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

const Manifest = z.object({ bin: z.object({ 'mcp-inspector': z.string() }) });
const Result = z.object({
  result: z.looseObject({
    _meta: z.record(z.string(), z.unknown()).optional(),
    isError: z.boolean().optional(),
    content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).optional(),
    tools: z.array(z.looseObject({ name: z.string() })).optional(),
  }),
});

/** The Inspector as it comes, which is 2025. */
export const inspectorLegacy = inspector('Inspector CLI, 2025', 'legacy', []);

/** The Inspector told to speak 2026-07-28. */
export const inspectorModern = inspector('Inspector CLI, 2026', 'modern', ['--protocol-era', 'modern']);

function inspector(name: string, era: Era, flags: readonly string[]): ForeignClient {
  return {
    name,
    era,
    async overHttp({ url, key }, home) {
      const header = ['--transport', 'http', '--header', `Authorization: Bearer ${key}`];
      return openConnection([url, ...flags, ...header], home);
    },
    async overStdio({ command, args }, home) {
      // Everything after the separator belongs to the server, so our own flags come first.
      return openConnection([...flags, '--transport', 'stdio'], home, [command, ...args]);
    },
  };
}

function openConnection(
  target: readonly string[],
  home: string,
  program: readonly string[] = [],
): Connection {
  let era: Era = null;
  async function run(method: readonly string[]) {
    const separator = program.length === 0 ? [] : ['--', ...program];
    const args = [entry(), '--cli', ...target, '--format', 'json', '-q', '--method', ...method, ...separator];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: scratchEnvironment(home) });
    const { result } = Result.parse(JSON.parse(stdout));
    // Only 2026-07-28 names the server in every result.
    era = result._meta !== undefined && SERVER_INFO_KEY in result._meta ? 'modern' : 'legacy';
    return result;
  }
  return {
    listTools: async () => ((await run(['tools/list'])).tools ?? []).map(({ name }) => name),
    async call(tool) {
      const { isError, content = [] } = await run(['tools/call', '--tool-name', tool]);
      return textOf(content, isError);
    },
    era: () => era,
    close: () => Promise.resolve(),
  };
}

function entry(): string {
  const { bin } = Manifest.parse(JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')));
  return fileURLToPath(new URL(bin['mcp-inspector'], PACKAGE));
}
