/** The configuration that MCP clients take, ready to paste. */

/** JSON for clients that are configured by a file; the key is left for the user to put in. */
export function clientConfiguration(mcpUrl: string): string {
  const server = { type: 'http', url: mcpUrl, headers: { Authorization: 'Bearer <owner key>' } };
  return JSON.stringify({ mcpServers: { parley: server } }, null, 2).replace(/^/gm, '  ');
}
