/** Owns the settings panel. */
import type { Actions } from '../actions.ts';
import type { Detail, Settings, SettingsStore, Shortcut } from '../settings.ts';
import { ACCENTS } from '../settings.ts';
import { h } from './dom.ts';
import type { Panel } from './panel.ts';
import { openPanel } from './panel.ts';

const DETAILS: readonly Detail[] = ['compact', 'standard', 'detailed', 'forensic'];
const THEMES: readonly Settings['theme'][] = ['system', 'light', 'dark'];

const SHORTCUTS: readonly Shortcut[] = ['inspect', 'hide', 'copy', 'pause', 'clear'];
const KEY_NAMES: Record<Shortcut, string> = {
  inspect: 'Pick on and off',
  hide: 'Hide and show',
  copy: 'Copy as markdown',
  pause: 'Pause and resume',
  clear: 'Clear all',
};

/** The open panel; while a key is being changed it takes every press. */
export interface SettingsPanel extends Panel {
  takeKey(combination: string): boolean;
}

export function openSettingsPanel(
  top: HTMLElement,
  settings: SettingsStore,
  isAutoApproved: boolean,
  actions: Actions,
): SettingsPanel {
  let changing: Shortcut | undefined;
  const keyButtons = new Map<Shortcut, HTMLButtonElement>();
  const keys = h('dl', { class: 'keys' });
  for (const name of SHORTCUTS) {
    const start = (): void => {
      changing = name;
      nameKey(button, name, 'Press keys');
    };
    const button = h('button', { class: 'key', type: 'button', onclick: start });
    nameKey(button, name, settings.now().keys[name]);
    keyButtons.set(name, button);
    keys.append(h('dt', { text: KEY_NAMES[name] }), h('dd', {}, button));
  }
  const { now, change } = settings;
  const panel = openPanel(top, {
    title: 'Settings',
    body: [
      select('Detail of copied notes', DETAILS, now().detail, (detail) => change({ detail })),
      select('Appearance', THEMES, now().theme, (theme) => change({ theme })),
      accents(settings),
      check('Clear notes after copying', now().clearAfterCopy, (clearAfterCopy) =>
        change({ clearAfterCopy }),
      ),
      check('Block clicks on the page', now().blockClicks, (blockClicks) => change({ blockClicks })),
      check('Approve changes of agents without asking', isAutoApproved, actions.setAutoApprove),
      h('h3', { text: 'Keys' }),
      keys,
    ],
    onClose: actions.back,
  });
  return {
    ...panel,
    takeKey(combination) {
      if (changing === undefined) return false;
      const name = changing;
      changing = undefined;
      const isTaken = Object.entries(now().keys).some(
        ([other, key]) => other !== name && key === combination,
      );
      const isUsable = !isTaken && /^(Ctrl|Alt|Meta)\+/.test(combination);
      if (isUsable) change({ keys: { ...now().keys, [name]: combination } });
      const button = keyButtons.get(name);
      if (button) nameKey(button, name, now().keys[name]);
      return true;
    },
  };
}

function nameKey(button: HTMLElement, name: Shortcut, shown: string): void {
  button.textContent = shown;
  button.setAttribute('aria-label', `${KEY_NAMES[name]}: ${shown}`);
}

function select<T extends string>(
  name: string,
  values: readonly T[],
  chosen: T,
  onChange: (value: T) => void,
): HTMLElement {
  const field = h(
    'select',
    { onchange: () => onChange(field.value as T) }, // one of the values given
    ...values.map((value) =>
      h('option', { value, selected: value === chosen, text: `${value[0]?.toUpperCase()}${value.slice(1)}` }),
    ),
  );
  return h('label', { class: 'field' }, name, field);
}

function check(name: string, isOn: boolean, onChange: (isOn: boolean) => void): HTMLElement {
  const box = h('input', { type: 'checkbox', checked: isOn, onchange: () => onChange(box.checked) });
  return h('label', { class: 'check' }, box, name);
}

function accents(settings: SettingsStore): HTMLElement {
  const labels = ACCENTS.map(({ name, value }) => {
    const swatch = h('span', { class: 'swatch' });
    swatch.style.background = value;
    const box = h('input', {
      type: 'radio',
      name: 'accent',
      value,
      checked: value === settings.now().accent,
      onchange: () => settings.change({ accent: value }),
    });
    return h('label', {}, box, swatch, name);
  });
  return h(
    'fieldset',
    { class: 'field' },
    h('legend', { text: 'Accent colour' }),
    h('div', { class: 'pill' }, ...labels),
  );
}
