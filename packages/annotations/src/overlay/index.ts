/**
 * The annotation overlay for any page: by its script tag alone, or by `init` from the page's own code.
 *
 * @example init({ server: 'http://127.0.0.1:4680', token: '...' });
 */
/// <reference lib="dom" />
import type { OverlayOptions } from './config.ts';
import { isAllowedHost, optionsOfTag } from './config.ts';
import type { Overlay } from './overlay.ts';
import { createOverlay } from './overlay.ts';

export type { OverlayOptions } from './config.ts';
export type { Overlay } from './overlay.ts';

const HANDLE = Symbol.for('parley.overlay');

/** Starts the overlay; undefined on hosts where it must not run. A second call answers the running one. */
export function init({ server = location.origin, token, hosts = [] }: OverlayOptions): Overlay | undefined {
  const page = globalThis as { [HANDLE]?: Overlay };
  if (page[HANDLE] !== undefined) return page[HANDLE];
  if (!isAllowedHost(hosts) || isFramedByOwn()) return undefined;
  const overlay = createOverlay(server.replace(/\/$/, ''), token);
  page[HANDLE] = {
    ...overlay,
    close() {
      overlay.close();
      delete page[HANDLE];
    },
  };
  return page[HANDLE];
}

// A frame of the same origin is picked from the outer page's overlay.
function isFramedByOwn(): boolean {
  try {
    return window.top !== window && window.top !== null && HANDLE in window.top;
  } catch {
    return false;
  }
}

const options = typeof document === 'undefined' ? undefined : optionsOfTag();
if (options !== undefined) {
  if (document.body === null)
    document.addEventListener('DOMContentLoaded', () => init(options), { once: true });
  else init(options);
}
