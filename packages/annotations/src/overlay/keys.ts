/** Owns every key: pages neither see keys meant for the overlay nor can they hold them back. */
import type { Mode } from './actions.ts';
import type { Step } from './picks/element.ts';
import type { Settings, Shortcut } from './settings.ts';
import { focusedElement } from './ui/root.ts';

/** What keys can start. */
export interface KeyTargets {
  readonly host: Element;
  mode(): Mode;
  settings(): Settings;
  shortcut(name: Shortcut): void;
  back(): void;
  step(step: Step): void;
  toggle(): void;
  pick(): void;
  /** Ctrl+Enter in a panel. */
  submit(): void;
  /** Enter in a thread's reply. */
  send(): void;
  /** A press while a key is being changed; false when none is. */
  takeKey(combination: string): boolean;
  trap(isBackwards: boolean): boolean;
}

const STEPS: Record<string, Step> = {
  ArrowUp: 'parent',
  ArrowDown: 'child',
  ArrowRight: 'next',
  ArrowLeft: 'previous',
};

/** Listens until the returned function is called. */
export function watchKeys(targets: KeyTargets): () => void {
  const stop = new AbortController();
  const options = { capture: true, signal: stop.signal };
  const taken = new Set<string>();
  addEventListener(
    'keydown',
    (event) => {
      if (event.isComposing || event.keyCode === 229) return;
      const isOwn = event.composedPath().includes(targets.host);
      const isTaken = handle(event, isOwn, targets);
      if (isTaken) {
        event.preventDefault();
        taken.add(event.code);
      }
      // What is typed into the overlay is no shortcut of the page.
      if (isTaken || isOwn) event.stopImmediatePropagation();
    },
    options,
  );
  addEventListener(
    'keyup',
    (event) => {
      // A key that was taken when it was pressed is taken when it is released.
      if (taken.delete(event.code)) event.stopImmediatePropagation();
    },
    options,
  );
  return () => stop.abort();
}

function handle(event: KeyboardEvent, isOwn: boolean, targets: KeyTargets): boolean {
  const mode = targets.mode();
  const isModifier = /^(Alt|Shift|Control|Meta)$/.test(event.key);
  if (mode === 'settings' && !isModifier && targets.takeKey(combinationOf(event))) return true;
  const typing = isTyping(focusedElement());
  if (!typing) {
    const combination = combinationOf(event);
    const found = Object.entries(targets.settings().keys).find(([, key]) => key === combination);
    if (found) {
      targets.shortcut(found[0] as Shortcut); // the keys of the settings
      return true;
    }
  }
  if (mode === 'hidden' || (mode === 'idle' && !isOwn)) return false;
  if (event.key === 'Escape') {
    if (mode === 'idle') return false;
    targets.back();
    return true;
  }
  if (mode === 'inspect') return !isOwn || isWalkKey(event) ? inspectKey(event, targets) : false;
  return isOwn && panelKey(event, mode, targets);
}

function isWalkKey({ key }: KeyboardEvent): boolean {
  return key === 'Tab' || key in STEPS || key === 'Enter' || key === ' ';
}

function inspectKey(event: KeyboardEvent, targets: KeyTargets): boolean {
  const step = event.key === 'Tab' ? (event.shiftKey ? 'previous' : 'next') : STEPS[event.key];
  if (step !== undefined) targets.step(step);
  else if (event.key === 'Enter') targets.pick();
  else if (event.key === ' ') targets.toggle();
  else return false;
  return true;
}

function panelKey(event: KeyboardEvent, mode: Mode, targets: KeyTargets): boolean {
  const inText = event.composedPath()[0] instanceof HTMLTextAreaElement;
  if (event.key === 'Tab') return targets.trap(event.shiftKey);
  const focused = focusedElement();
  if (event.key in STEPS && focused?.classList.contains('grip')) {
    const detail = {
      x: event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0,
      y: event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0,
    };
    focused.dispatchEvent(new CustomEvent('parley-arrow', { detail }));
    return true;
  }
  if (event.key !== 'Enter') return false;
  if (event.ctrlKey || event.metaKey) targets.submit();
  else if (mode === 'annotate' && event.shiftKey && inText) targets.submit();
  else if (mode === 'thread' && !event.shiftKey && inText) targets.send();
  else return false;
  return true;
}

/** The pressed keys by their place on the keyboard, such as Alt+Shift+A. */
export function combinationOf(event: KeyboardEvent): string {
  const name = event.code.replace(/^(Key|Digit)/, '') || event.key;
  const held = [
    event.ctrlKey && 'Ctrl',
    event.altKey && 'Alt',
    event.shiftKey && 'Shift',
    event.metaKey && 'Meta',
  ];
  return [...held.filter((one) => one !== false), name].join('+');
}

const NO_TEXT = /^(button|checkbox|radio|submit|reset|image|file|color|range)$/;

/** Tells whether an element takes text. */
export function isTyping(element: Element | null): boolean {
  if (element instanceof HTMLInputElement) return !NO_TEXT.test(element.type);
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return true;
  return element instanceof HTMLElement && element.isContentEditable;
}
