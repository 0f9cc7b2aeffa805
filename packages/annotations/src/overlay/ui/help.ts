/** Owns the help panel: why no agent is there, how to connect one, and the keys. */
import type { Actions } from '../actions.ts';
import type { OverlaySettings } from '../overlay.ts';
import type { Settings } from '../settings.ts';
import type { State } from '../connection/state.ts';
import { connectionOf, reasonOf } from './agent.ts';
import { h } from './dom.ts';
import type { Panel } from './panel.ts';
import { openPanel } from './panel.ts';

/** What the help tells. */
export interface HelpParts {
  readonly options: OverlaySettings;
  readonly state: State;
  readonly settings: Settings;
  readonly copyText: (text: string) => void;
}

export function openHelp(
  top: HTMLElement,
  { options, state, settings, copyText }: HelpParts,
  actions: Actions,
): Panel {
  const { json, words } = connectionOf(options);
  return openPanel(top, {
    title: 'Agent',
    body: [
      h('p', { class: 'warn', text: reasonOf(state, options) }),
      h('h3', { text: 'Client configuration' }),
      ...(json === undefined
        ? []
        : [h('div', { class: 'code', text: json, tabindex: '0', role: 'region', 'aria-label': 'Client configuration' })]),
      h('div', { class: 'row' },
        h('p', { class: 'soft', text: words }),
        json !== undefined &&
          h('button', { class: 'button', type: 'button', text: 'Copy', onclick: () => copyText(json) }),
      ),
      h('h3', { text: 'Keys' }),
      keyList(settings),
    ], // prettier-ignore
    onClose: actions.back,
  });
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
