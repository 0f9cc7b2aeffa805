/** Owns the overlay's host element and shadow root: nothing of the page's style comes in, nothing goes out. */
import { HOST_MARK } from '../capture/tree.ts';
import type { SettingsStore } from '../settings.ts';
import { h } from './dom.ts';
import { createSheet } from './styles.ts';

/** The places that the parts of the overlay draw on. */
export interface OverlayRoot {
  readonly host: HTMLElement;
  readonly shadow: ShadowRoot;
  /** Outlines under the pins. */
  readonly outlines: HTMLElement;
  readonly pins: HTMLElement;
  /** Toolbar, panels and toasts. */
  readonly top: HTMLElement;
  /** Where default styles are measured. */
  readonly shelf: HTMLElement;
  /** Reads a sentence out. */
  say(text: string): void;
  /** Puts the host back when the page threw it out. */
  keep(): void;
}

const HOST_STYLE: Record<string, string> = {
  all: 'initial',
  // "all" leaves it out, and a page of another direction would turn the overlay around.
  direction: 'ltr',
  position: 'fixed',
  inset: '0',
  'z-index': '2147483647',
  'pointer-events': 'none',
  display: 'block',
};

/** Builds the root and puts it on the page. */
export function createRoot(settings: SettingsStore): OverlayRoot {
  const host = document.createElement('parley-overlay');
  host.setAttribute(HOST_MARK, '');
  // Set on the element and as important, so that no rule of the page can win.
  for (const [name, value] of Object.entries(HOST_STYLE)) host.style.setProperty(name, value, 'important');
  const shadow = host.attachShadow({ mode: 'open' });
  shadow.adoptedStyleSheets = [createSheet()];
  const outlines = h('div', { class: 'layer' });
  const pins = h('div', { class: 'layer', role: 'region', 'aria-label': 'Parley notes on this page' });
  const top = h('div', { class: 'layer' });
  const shelf = plainShelf();
  const voice = h('div', { class: 'spoken', role: 'status', 'aria-live': 'polite' });
  // Looks hang on an element inside, since rules of the page can reach the host.
  const root = h('div', { class: 'root' }, outlines, pins, top, shelf.box, voice);
  shadow.append(root);
  const dress = (): void => {
    const { theme, accent } = settings.now();
    root.dataset.theme = theme;
    root.style.setProperty('--accent', accent);
  };
  dress();
  settings.onChange(dress);
  for (const type of [
    'click',
    'pointerdown',
    'pointerup',
    'mousedown',
    'mouseup',
    'touchstart',
    'touchend',
    'wheel',
  ]) {
    // Pages close their menus on such events; the overlay's own are not for them.
    shadow.addEventListener(type, (event) => event.stopPropagation(), { passive: true });
  }
  const keep = (): void => {
    if (!host.isConnected) document.documentElement.append(host);
  };
  keep();
  return {
    host,
    shadow,
    outlines,
    pins,
    top,
    shelf: shelf.inside,
    say: (text) => (voice.textContent = text),
    keep,
  };
}

// A root of its own, since the overlay's sheet must not count as the browser's defaults.
function plainShelf(): { box: HTMLElement; inside: HTMLElement } {
  const box = h('div', { 'aria-hidden': 'true' });
  Object.assign(box.style, {
    all: 'initial',
    position: 'absolute',
    width: '0',
    height: '0',
    overflow: 'hidden',
  });
  const inside = h('div');
  box.attachShadow({ mode: 'open' }).append(inside);
  return { box, inside };
}

/** The focused element, through shadow roots. */
export function focusedElement(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}
