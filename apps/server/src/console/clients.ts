/** How each client is told of this server: the texts that `parley start` and `parley doctor` know, for screens. */
import type { ClientName } from '../cli/client-configuration.ts';
import { clientConfiguration, OWN_NAMES } from '../cli/client-configuration.ts';

/** What a person copies, and where it goes. */
export interface ClientText {
  readonly id: string;
  readonly title: string;
  readonly language: 'shell' | 'json' | 'toml';
  readonly text: string;
  readonly where: string;
}

const FILES: readonly (readonly [id: string, name: ClientName, language: 'json' | 'toml', where: string])[] =
  [
    ['cursor', 'Cursor', 'json', '.cursor/mcp.json of a project, or ~/.cursor/mcp.json for all of them'],
    ['vscode', 'VS Code', 'json', '.vscode/mcp.json of a project; VS Code asks for the key'],
    ['codex', 'Codex', 'toml', '~/.codex/config.toml'],
    ['gemini', 'Gemini CLI', 'json', '.gemini/settings.json of a project, or ~/.gemini/settings.json'],
  ];

/** Every client, with the address of an endpoint; the key itself is in none of them. */
export function clientTexts(mcpUrl: string): ClientText[] {
  const { name, variable } = OWN_NAMES;
  return [
    {
      id: 'claude-code',
      title: 'Claude Code',
      language: 'shell',
      text: `claude mcp add --transport http ${name} '${mcpUrl}' --header "Authorization: Bearer $${variable}"`,
      where: 'in the folder of a project',
    },
    {
      id: 'claude-desktop',
      title: 'Claude Desktop',
      language: 'json',
      text: desktopText(mcpUrl),
      where:
        'claude_desktop_config.json: Settings, Developer, Edit Config. It needs Node, since Claude Desktop starts a program.',
    },
    ...FILES.map(([id, title, language, where]) => ({
      id,
      title,
      language,
      where,
      text: unindented(clientConfiguration(mcpUrl, title)),
    })),
  ];
}

/** Claude Desktop starts programs alone, so one stands between. */
function desktopText(mcpUrl: string): string {
  const { name, variable } = OWN_NAMES;
  // A space in an argument is lost on some systems.
  const args = ['-y', 'mcp-remote', mcpUrl, '--header', 'Authorization:${AUTH}'];
  const entry = { command: 'npx', args, env: { AUTH: `Bearer ${variable}` } };
  return JSON.stringify({ mcpServers: { [name]: entry } }, null, 2);
}

function unindented(text: string): string {
  return text.replaceAll(/^ {2}/gm, '');
}
