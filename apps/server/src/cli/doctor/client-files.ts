/** The files in which clients of a project list their servers, and what such an entry says, whatever its client calls it. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJsonWithComments } from '@parley/connections';
import type { ClientName } from '../client-configuration.ts';
import { readCodexServers } from './codex-toml.ts';

/** A server that a client is told of; texts are as they stand in the file. */
export interface ClientEntry {
  readonly name: string;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  /** The program and its arguments, for a server that the client starts itself. */
  readonly command: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** A file that is there. */
export interface ClientFile {
  readonly client: ClientName;
  readonly path: string;
  readonly field: string;
  /** Undefined when the file cannot be read as what it should be. */
  readonly entries: readonly ClientEntry[] | undefined;
}

const FILES: readonly { readonly client: ClientName; readonly path: string; readonly field: string }[] = [
  { client: 'Claude Code', path: '.mcp.json', field: 'mcpServers' },
  { client: 'Cursor', path: '.cursor/mcp.json', field: 'mcpServers' },
  { client: 'VS Code', path: '.vscode/mcp.json', field: 'servers' },
  { client: 'opencode', path: 'opencode.json', field: 'mcp' },
  { client: 'opencode', path: 'opencode.jsonc', field: 'mcp' },
  { client: 'Codex', path: '.codex/config.toml', field: 'mcp_servers' },
  { client: 'Gemini CLI', path: '.gemini/settings.json', field: 'mcpServers' },
];
const MAX_BYTES = 1024 * 1024;
const MAX_TEXT = 4096;

/** Reads the files that a project has. */
export async function readClientFiles(project: string): Promise<ClientFile[]> {
  const files = await Promise.all(
    FILES.map(async (file) => ({ ...file, text: await textOf(join(project, file.path)) })),
  );
  return files.flatMap(({ text, ...file }) =>
    text === undefined ? [] : [{ ...file, entries: entriesIn(text, file.path, file.field) }],
  );
}

/** The text of a file; undefined when there is none, empty when it is too large to be one. */
async function textOf(path: string): Promise<string | undefined> {
  // What cannot be looked at counts as not there.
  const info = await stat(path).catch(() => undefined);
  if (info === undefined || !info.isFile()) return undefined;
  return info.size > MAX_BYTES ? '' : readFile(path, 'utf8').catch(() => '');
}

function entriesIn(text: string, path: string, field: string): ClientEntry[] | undefined {
  try {
    const servers = path.endsWith('.toml')
      ? readCodexServers(text)
      : objectAt(parseJsonWithComments(text), field);
    return Object.entries(servers ?? {}).flatMap(([name, server]) => entryOf(name, server) ?? []);
  } catch {
    return undefined;
  }
}

function entryOf(name: string, server: unknown): ClientEntry | undefined {
  if (typeof server !== 'object' || server === null) return undefined;
  const value = (field: string): unknown =>
    Object.hasOwn(server, field) ? Reflect.get(server, field) : undefined;
  const headers = { ...textsAt(server, 'headers'), ...textsAt(server, 'http_headers') };
  const program = [value('command'), value('args')].flat().filter(isText);
  return {
    name,
    url: [value('httpUrl'), value('url')].find(isText),
    authorization: codexKey(server, value('bearer_token_env_var')) ?? headerOf(headers, 'authorization'),
    command: program.length === 0 ? undefined : program,
    env: { ...textsAt(server, 'env'), ...textsAt(server, 'environment') },
  };
}

/** Codex names the variable itself; here it is written as other clients write it. */
function codexKey(server: object, variable: unknown): string | undefined {
  if (isText(variable)) return `Bearer \${${variable}}`;
  const header = headerOf(textsAt(server, 'env_http_headers'), 'authorization');
  return header === undefined ? undefined : `\${${header}}`;
}

function headerOf(headers: Readonly<Record<string, string>>, wanted: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

function textsAt(value: object, name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(objectAt(value, name) ?? {}).filter((pair): pair is [string, string] => isText(pair[1])),
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

/** The object under a name; undefined when there is none, whatever the file holds instead. */
function objectAt(value: unknown, name: string): object | undefined {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  const found: unknown = isObject ? Reflect.get(value, name) : undefined;
  return typeof found === 'object' && found !== null ? found : undefined;
}
