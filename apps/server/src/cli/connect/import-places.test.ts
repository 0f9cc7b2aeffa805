/** Whose a file is, by its name and the folder it lies in. */
import { expect, test } from 'vitest';
import type { ClientKind } from '@parley/connections';
import { placeOfFile } from './import-places.ts';

test.each<[string, ClientKind, string | undefined]>([
  ['/h/Library/Application Support/Claude/claude_desktop_config.json', 'claude-desktop', undefined],
  ['/p/.mcp.json', 'claude-code', '/p'],
  ['/h/.claude.json', 'claude-code', undefined],
  ['/p/.cursor/mcp.json', 'cursor', '/p'],
  ['/p/.vscode/mcp.json', 'vscode', '/p'],
  ['/p/servers.json', 'any', undefined],
])('%s is a file of %s', (path, client, folder) => {
  const place = placeOfFile(path, undefined);
  expect([place.client, place.folder]).toEqual([client, folder]);
});
