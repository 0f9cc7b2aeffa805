/** Where the clients on this machine keep the servers that they know. */
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { CLIENT_KINDS, ClientKind } from '@parley/connections';
import { variable } from '../../config.ts';

/** A file that a client may have. */
export interface Place {
  readonly client: ClientKind;
  readonly path: string;
  /** The project whose file it is. */
  readonly folder?: string;
  readonly maxBytes: number;
}

const MAX_BYTES = 1024 * 1024;
// Claude Code keeps the history of every project in the same file.
const MAX_HISTORY_BYTES = 16 * 1024 * 1024;

/** The files of a client, those of the user first. */
export function placesOf(client: (typeof CLIENT_KINDS)[number], folder: string): Place[] {
  const home = homedir();
  const place = (path: string, isProjects = false): Place => {
    return { client, path, maxBytes: MAX_BYTES, ...(isProjects && { folder }) };
  };
  switch (client) {
    case 'claude-desktop':
      return [place(join(settingsFolder(home), 'Claude', 'claude_desktop_config.json'))];
    case 'claude-code':
      return [
        { ...place(join(home, '.claude.json')), maxBytes: MAX_HISTORY_BYTES },
        place(join(folder, '.mcp.json'), true),
      ];
    case 'cursor':
      return [place(join(home, '.cursor', 'mcp.json')), place(join(folder, '.cursor', 'mcp.json'), true)];
    case 'vscode':
      return [
        place(join(settingsFolder(home), 'Code', 'User', 'mcp.json')),
        place(join(folder, '.vscode', 'mcp.json'), true),
      ];
  }
}

/** Where desktop programs keep their settings on this system. */
function settingsFolder(home: string): string {
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (process.platform === 'win32') return variable('APPDATA') ?? join(home, 'AppData', 'Roaming');
  return variable('XDG_CONFIG_HOME') ?? join(home, '.config');
}

/** A file that somebody named: whose it is tell its name and the folder it lies in. */
export function placeOfFile(given: string, client: ClientKind | undefined): Place {
  const path = resolve(given);
  const parent = basename(dirname(path));
  const folder = ['.cursor', '.vscode'].includes(parent) ? dirname(dirname(path)) : dirname(path);
  const known = client ?? clientOf(basename(path), parent);
  const isProjects = ['.mcp.json', 'mcp.json'].includes(basename(path)) && folder !== homedir();
  const maxBytes = basename(path) === '.claude.json' ? MAX_HISTORY_BYTES : MAX_BYTES;
  return { client: known, path, maxBytes, ...(isProjects && { folder }) };
}

function clientOf(name: string, parent: string): ClientKind {
  if (name === 'claude_desktop_config.json') return 'claude-desktop';
  if (name === '.mcp.json' || name === '.claude.json') return 'claude-code';
  if (parent === '.cursor') return 'cursor';
  return parent === '.vscode' || (parent === 'User' && name === 'mcp.json') ? 'vscode' : 'any';
}

/** Text on standard input. */
export function placeOfStdin(client: ClientKind = 'any'): Place {
  return { client, path: '-', maxBytes: MAX_BYTES };
}
