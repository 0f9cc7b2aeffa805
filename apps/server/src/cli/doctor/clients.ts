/** Do the clients configured in this folder point at this server. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { ServersField } from '../client-configuration.ts';
import { clientConfiguration } from '../client-configuration.ts';
import type { Check } from './check.ts';

const FILES = [
  { client: 'Claude Code', path: '.mcp.json', field: 'mcpServers' },
  { client: 'Cursor', path: '.cursor/mcp.json', field: 'mcpServers' },
  { client: 'VS Code', path: '.vscode/mcp.json', field: 'servers' },
] as const;

interface ServerEntry {
  readonly url?: unknown;
  readonly command?: unknown;
  readonly headers?: unknown;
}

/** One check per client file that is there; a hint when there is none. */
export async function checkClients(config: Config, folder: string): Promise<Check[]> {
  const checks: Check[] = [];
  for (const { client, path, field } of FILES) {
    const text = await readFile(join(folder, path), 'utf8').catch(() => undefined);
    if (text !== undefined) checks.push(checkFile(config, `${client} (${path})`, text, field));
  }
  if (checks.length > 0) return checks;
  const found = 'no client configuration in this folder';
  return [{ name: 'clients', state: 'ok', found: `${found}; "parley start" prints one` }];
}

function checkFile(config: Config, name: string, text: string, field: ServersField): Check {
  const mcpUrl = `http://${config.host}:${config.port}/mcp`;
  const fix = `Use:\n${clientConfiguration(mcpUrl, field)}`;
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return { name, state: 'fail', found: 'is not valid JSON', fix };
  }
  const entry: ServerEntry | undefined = objectAt(objectAt(file, field), 'parley');
  if (entry === undefined)
    return { name, state: 'warn', found: `has no server "parley" under "${field}"`, fix };
  if (entry.command !== undefined) return { name, state: 'ok', found: 'starts Parley over stdio' };
  if (typeof entry.url !== 'string' || !sameServer(entry.url, config)) {
    return { name, state: 'warn', found: `points at ${String(entry.url)}, not at ${mcpUrl}`, fix };
  }
  const key = objectAt(entry, 'headers')?.Authorization;
  if (typeof key !== 'string' || !key.startsWith('Bearer ') || key.includes('<')) {
    return { name, state: 'fail', found: 'sends no API key', fix };
  }
  return { name, state: 'ok', found: `points at ${entry.url}` };
}

/** The object under a name; undefined when there is none, whatever the file holds instead. */
function objectAt(value: unknown, name: string): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  const found: unknown = isObject ? Reflect.get(value, name) : undefined;
  // Every field of an object that is read is checked where it is read.
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined;
}

function sameServer(url: string, { port }: Config): boolean {
  try {
    const parsed = new URL(url);
    return Number(parsed.port || '80') === port && parsed.pathname.startsWith('/mcp');
  } catch {
    return false;
  }
}
