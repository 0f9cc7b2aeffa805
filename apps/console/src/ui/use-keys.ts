/** Owns keyboard shortcuts: single keys and two in a row, never while somebody types. */
import { useLayoutEffect, useRef } from 'react';

/** Keys and what they do: `j`, `?`, `mod+k`, or two in a row as `g t`. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const SEQUENCE_MS = 800;
/** Keys that begin a sequence anywhere on the page: what follows them is no act of its own. */
const beginnings = new Set<string>();
let pending: { key: string; atMs: number } | undefined;

/** Runs acts for keys while the component is there; a dialog that is open has the keyboard to itself. */
export function useKeys(keys: KeyMap, isOff = false): void {
  const latest = useRef(keys);
  latest.current = keys;
  // With the commit: what is seen takes keys, however busy the page is.
  useLayoutEffect(() => {
    if (isOff) return undefined;
    for (const name of Object.keys(latest.current)) {
      const [first = '', second = ''] = name.split(' ');
      if (first !== '' && second !== '') beginnings.add(first);
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const name = nameOf(event);
      const isCommand = name.startsWith('mod+');
      // Leaves the field; the next one closes what is around it.
      if (name === 'Escape' && isTyping(event.target)) return leave(event.target);
      if (!isCommand && (isTyping(event.target) || event.altKey || isDialogOpen())) return;
      const isFresh = pending !== undefined && event.timeStamp - pending.atMs < SEQUENCE_MS;
      const sequence = isFresh && pending ? `${pending.key} ${name}` : '';
      const isSecond = isFresh && pending !== undefined && beginnings.has(pending.key);
      const act = latest.current[sequence] ?? (isSecond ? undefined : latest.current[name]);
      if (!act) return;
      event.preventDefault();
      act(event);
    };
    const onPending = (event: KeyboardEvent) => {
      if (!isTyping(event.target)) pending = { key: nameOf(event), atMs: event.timeStamp };
    };
    document.addEventListener('keydown', onKey);
    // After all others of this press, so that they see the key before.
    window.addEventListener('keydown', onPending);
    return () => {
      document.removeEventListener('keydown', onKey);
      window.removeEventListener('keydown', onPending);
    };
  }, [isOff]);
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.ctrlKey || event.metaKey ? `mod+${key}` : key;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.shadowRoot !== null) return true;
  return /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function leave(target: EventTarget | null): void {
  if (target instanceof HTMLElement) target.blur();
}

function isDialogOpen(): boolean {
  return (
    document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null
  );
}
