/** Owns showing keys. */
import './kbd.css';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

/** The name of the key that this system uses for commands. */
export const MOD_KEY = IS_MAC ? '⌘' : 'Ctrl';

/** Shows keys that are pressed together, written as `mod+k`, or one after the other, as `g t`. */
export function Kbd({ keys }: { readonly keys: string }) {
  const shown = keys
    .split(/[+ ]/)
    .map((key) => (key === 'mod' ? MOD_KEY : key.length === 1 ? key.toUpperCase() : key));
  return <kbd className="kbd">{shown.join(' ')}</kbd>;
}
