/** Owns the help panel: why no agent is there, how to connect one, and the keys. */
import type { Actions } from '../actions.ts';
import type { Settings } from '../settings.ts';
import type { State } from '../state.ts';
import { h } from './dom.ts';
import type { Panel } from './panel.ts';
import { openPanel } from './panel.ts';

/** What the help tells. */
export interface HelpParts {
  readonly server: string;
  readonly state: State;
  readonly settings: Settings;
  readonly copyText: (text: string) => void;
}

/** Opens the help. */
export function openHelp(
  top: HTMLElement,
  { server, state, settings, copyText }: HelpParts,
  actions: Actions,
): Panel {
  const configuration = clientConfiguration(server);
  return openPanel(top, {
    title: 'Agent',
    body: [
      h('p', { class: 'warn', text: reasonOf(state, server) }),
      h('h3', { text: 'Client configuration' }),
      h('div', { class: 'code', text: configuration, tabindex: '0', role: 'region', 'aria-label': 'Client configuration' }),
      h('div', { class: 'row' },
        h('p', { class: 'soft', text: 'The key stands in owner.key in the data folder.' }),
        h('button', { class: 'button', type: 'button', text: 'Copy', onclick: () => copyText(configuration) }),
      ),
      h('h3', { text: 'Keys' }),
      keyList(settings),
    ], // prettier-ignore
    onClose: actions.back,
  });
}

function reasonOf({ connection, presence }: State, server: string): string {
  if (connection.state === 'refused') {
    return `The server refused this page: ${connection.reason || 'the token is not valid here.'} Take the script tag that "parley start" prints.`;
  }
  if (connection.state !== 'online') {
    return `The server at ${server} cannot be reached. Start it with "npx parley start". Notes wait here and are sent then.`;
  }
  const names = presence.agents.map(({ name, client }) => client ?? name).join(', ');
  if (presence.state === 'none') {
    return 'No agent is connected. Add the configuration below to your agent and ask it to watch annotations.';
  }
  return `${names || 'An agent'} is ${presence.state}.`;
}

function clientConfiguration(server: string): string {
  const entry = {
    type: 'http',
    url: `${server}/mcp/annotations`,
    headers: { Authorization: 'Bearer <owner key>' },
  };
  return JSON.stringify({ mcpServers: { parley: entry } }, null, 2);
}

function keyList({ keys }: Settings): HTMLElement {
  const rows: [string, string][] = [
    ['Pick on and off', keys.inspect],
    ['Hide and show', keys.hide],
    ['Copy as markdown', keys.copy],
    ['Pause and resume', keys.pause],
    ['Clear all', keys.clear],
    ['One step back', 'Esc'],
    ['Walk while picking', 'Tab, arrows'],
    ['Pick, or add to the picks', 'Enter, Space'],
    ['Several elements', 'Shift+click, drag'],
    ['Free area', 'Alt+drag'],
    ['Add the note', 'Ctrl+Enter'],
  ];
  const list = h('dl', { class: 'keys' });
  for (const [name, key] of rows) list.append(h('dt', { text: name }), h('dd', {}, h('kbd', { text: key })));
  return list;
}
