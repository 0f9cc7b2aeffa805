/** The configuration that MCP clients take, ready to paste. */

/** The field under which a client's file lists its servers. */
export type ServersField = 'mcpServers' | 'servers';

/** JSON for clients that are configured by a file; the key is left for the user to put in. */
export function clientConfiguration(mcpUrl: string, field: ServersField = 'mcpServers'): string {
  const server = { type: 'http', url: mcpUrl, headers: { Authorization: 'Bearer <owner key>' } };
  return JSON.stringify({ [field]: { parley: server } }, null, 2).replace(/^/gm, '  ');
}
