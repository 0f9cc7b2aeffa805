/** The configuration that MCP clients take, ready to paste: each takes the key from where it can keep it. */

/** A client that has its servers in a file of the project. */
export type ClientName = 'Claude Code' | 'Cursor' | 'VS Code' | 'opencode' | 'Codex' | 'Gemini CLI';

/** What an entry is called, and the variable that its key is in. */
export interface EntryNames {
  readonly name: string;
  readonly variable: string;
  /** In VS Code: the input that asks for the key; absent: one that is named like the entry. */
  readonly input?: string | undefined;
}

/** For an entry that nobody has named yet. */
export const OWN_NAMES: EntryNames = { name: 'parley', variable: 'PARLEY_KEY' };

type Snippet = (url: string, names: EntryNames) => object | string;

const SNIPPETS: Readonly<Record<ClientName, Snippet>> = {
  'Claude Code': (url, { name, variable }) =>
    servers(name, { type: 'http', url, headers: bearer(`\${${variable}}`) }),
  Cursor: (url, { name, variable }) => servers(name, { url, headers: bearer(`\${env:${variable}}`) }),
  'VS Code': (url, { name, input = `${name}-key` }) => ({
    inputs: [{ type: 'promptString', id: input, description: 'Parley API key', password: true }],
    servers: { [name]: { type: 'http', url, headers: bearer(`\${input:${input}}`) } },
  }),
  opencode: (url, { name, variable }) => ({
    mcp: { [name]: { type: 'remote', url, oauth: false, headers: bearer(`{env:${variable}}`) } },
  }),
  Codex: (url, { name, variable }) =>
    `[mcp_servers.${name}]\nurl = "${url}"\nbearer_token_env_var = "${variable}"`,
  'Gemini CLI': (url, { name, variable }) => servers(name, { httpUrl: url, headers: bearer(`$${variable}`) }),
};

/** The text for a client's file; the key itself is never in it. */
export function clientConfiguration(
  mcpUrl: string,
  client: ClientName,
  names: EntryNames = OWN_NAMES,
): string {
  const snippet = SNIPPETS[client](mcpUrl, names);
  const text = typeof snippet === 'string' ? snippet : JSON.stringify(snippet, null, 2);
  return text.replace(/^/gm, '  ');
}

/** The same for a client that starts this program on a data folder; it needs neither a server nor a key. */
export function commandConfiguration(launcher: string, dataDir: string, toolset: string): string {
  const args = [launcher, 'mcp', toolset, '--data', dataDir];
  return JSON.stringify(servers(OWN_NAMES.name, { command: 'node', args }), null, 2).replace(/^/gm, '  ');
}

function servers(name: string, entry: object): object {
  return { mcpServers: { [name]: entry } };
}

function bearer(key: string): { Authorization: string } {
  return { Authorization: `Bearer ${key}` };
}
