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
import type { ClassFiles } from './source/angular.ts';

export type { OverlayOptions } from './config.ts';
export type { Overlay } from './overlay.ts';

const HANDLE = Symbol.for('parley.overlay');

/** Starts the overlay; undefined on hosts where it must not run. A second call answers the running one. */
export function init({ server = location.origin, token, hosts = [] }: OverlayOptions): Overlay | undefined {
  const page = globalThis as { [HANDLE]?: Overlay }; // the one name that this program puts there
  if (page[HANDLE] !== undefined) return page[HANDLE];
  if (!isAllowedHost(hosts) || isFramedByOwn()) return undefined;
  let overlay: Overlay | undefined;
  let files: ClassFiles = {};
  let isClosed = false;
  afterLoading(() => {
    if (isClosed) return;
    overlay = createOverlay(server.replace(/\/$/, ''), token);
    overlay.setClassFiles(files);
  });
  page[HANDLE] = {
    setClassFiles(next) {
      files = next;
      overlay?.setClassFiles(next);
    },
    close() {
      isClosed = true;
      overlay?.close();
      delete page[HANDLE];
    },
  };
  return page[HANDLE];
}

// In a turn of its own, so that loading the page does not wait for it.
function afterLoading(start: () => void): void {
  const later = () => setTimeout(start);
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', later, { once: true });
  else later();
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
if (options !== undefined) init(options);
