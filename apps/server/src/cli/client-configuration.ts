/** The configuration that MCP clients take, ready to paste: each takes the key from where it can keep it. */

/** A client that has its servers in a file of the project. */
export type ClientName = 'Claude Code' | 'Cursor' | 'VS Code' | 'opencode' | 'Codex' | 'Gemini CLI';

const SNIPPETS: Readonly<Record<ClientName, (url: string) => object | string>> = {
  'Claude Code': (url) => servers({ type: 'http', url, headers: bearer('${PARLEY_KEY}') }),
  Cursor: (url) => servers({ url, headers: bearer('${env:PARLEY_KEY}') }),
  'VS Code': (url) => ({
    inputs: [{ type: 'promptString', id: 'parley-key', description: 'Parley API key', password: true }],
    servers: { parley: { type: 'http', url, headers: bearer('${input:parley-key}') } },
  }),
  opencode: (url) => ({
    mcp: { parley: { type: 'remote', url, oauth: false, headers: bearer('{env:PARLEY_KEY}') } },
  }),
  Codex: (url) => `[mcp_servers.parley]\nurl = "${url}"\nbearer_token_env_var = "PARLEY_KEY"`,
  'Gemini CLI': (url) => servers({ httpUrl: url, headers: bearer('$PARLEY_KEY') }),
};

/** The text for a client's file; the key itself is never in it. */
export function clientConfiguration(mcpUrl: string, client: ClientName): string {
  const snippet = SNIPPETS[client](mcpUrl);
  const text = typeof snippet === 'string' ? snippet : JSON.stringify(snippet, null, 2);
  return text.replace(/^/gm, '  ');
}

/** The same for a client that starts this program on a data folder; it needs neither a server nor a key. */
export function commandConfiguration(launcher: string, dataDir: string, toolset: string): string {
  const args = [launcher, 'mcp', toolset, '--data', dataDir];
  return JSON.stringify(servers({ command: 'node', args }), null, 2).replace(/^/gm, '  ');
}

function servers(parley: object): object {
  return { mcpServers: { parley } };
}

function bearer(key: string): { Authorization: string } {
  return { Authorization: `Bearer ${key}` };
}
