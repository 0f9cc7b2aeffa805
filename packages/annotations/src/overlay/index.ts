/**
 * The annotation overlay for any page: by its script tag alone, or by `init` from the page's own code.
 *
 * @example init({ server: 'http://127.0.0.1:4680', token: '...' });
 */
/// <reference lib="dom" />
import type { OverlayOptions } from './config.ts';
import { hostOf, isAllowedHost, optionsOfTag, pageOrigin } from './config.ts';
import type { Overlay } from './overlay.ts';
import { createOverlay } from './overlay.ts';
import type { ClassFiles } from './source/angular.ts';

export type { OverlayOptions } from './config.ts';
export type { Overlay } from './overlay.ts';

const HANDLE = Symbol.for('parley.overlay');

/** Starts the overlay; undefined on hosts where it must not run. A second call returns the running one. */
export function init(options: OverlayOptions): Overlay | undefined {
  const page = globalThis as { [HANDLE]?: Overlay }; // the one name that this program puts there
  if (page[HANDLE] !== undefined) return page[HANDLE];
  if (isFramedByOwn()) return undefined;
  if (!isAllowedHost(options.hosts ?? [])) {
    // oxlint-disable-next-line no-console -- there is no overlay to say it in.
    console.info(offHere());
    return undefined;
  }
  let overlay: Overlay | undefined;
  let files: ClassFiles = {};
  let isClosed = false;
  afterLoading(() => {
    if (isClosed) return;
    const server = (options.server ?? location.origin).replace(/\/$/, '');
    overlay = createOverlay({ ...options, server });
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

// Without a line nobody would know why a page has no overlay.
function offHere(): string {
  const add = `Parley is off on this page. To switch it on, add data-hosts="${hostOf()}" to its script tag`;
  return `${add} and start Parley with --allow-origin ${pageOrigin()}.`;
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
