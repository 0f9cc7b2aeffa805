/** Owns the person's settings, kept for the origin. */
import type { Shelf } from './connection/storage.ts';

/** How much copied markdown tells. */
export type Detail = 'compact' | 'standard' | 'detailed' | 'forensic';

/** What can be done by a key anywhere on the page. */
export type Shortcut = 'inspect' | 'hide' | 'copy' | 'pause' | 'clear';

/** What the person chose. */
export interface Settings {
  readonly detail: Detail;
  readonly clearAfterCopy: boolean;
  readonly accent: string;
  readonly blockClicks: boolean;
  readonly theme: 'system' | 'light' | 'dark';
  readonly keys: Readonly<Record<Shortcut, string>>;
  /** The toolbar's place as shares of the free window. */
  readonly place: { readonly x: number; readonly y: number };
  readonly hidden: boolean;
}

/** Accents, each dark enough for white text. */
export const ACCENTS = [
  { name: 'Blue', value: '#2563eb' },
  { name: 'Violet', value: '#7c3aed' },
  { name: 'Green', value: '#15803d' },
  { name: 'Rose', value: '#be123c' },
  { name: 'Slate', value: '#475569' },
] as const;

const DEFAULTS: Settings = {
  detail: 'standard',
  clearAfterCopy: false,
  accent: ACCENTS[0].value,
  blockClicks: false,
  theme: 'system',
  keys: {
    inspect: 'Alt+Shift+A',
    hide: 'Alt+Shift+H',
    copy: 'Alt+Shift+C',
    pause: 'Alt+Shift+P',
    clear: 'Alt+Shift+X',
  },
  place: { x: 1, y: 1 },
  hidden: false,
};

/** The settings now and as they change. */
export interface SettingsStore {
  now(): Settings;
  change(patch: Partial<Settings>): void;
  onChange(listener: (settings: Settings) => void): void;
}

/** Opens the settings of this origin. */
export function openSettings(shelf: Shelf): SettingsStore {
  const stored = shelf.read('settings') as Partial<Settings> | undefined; // written below
  let current: Settings = { ...DEFAULTS, ...stored, keys: { ...DEFAULTS.keys, ...stored?.keys } };
  const listeners: ((settings: Settings) => void)[] = [];
  return {
    now: () => current,
    change(patch) {
      current = { ...current, ...patch };
      shelf.write('settings', current);
      for (const listener of listeners) listener(current);
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}
