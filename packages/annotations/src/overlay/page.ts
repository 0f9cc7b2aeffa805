/** Owns watching the page: what changed, moved, resized or navigated. */
import { routeOf } from './route.ts';

/** Who is told. */
export interface PageWatchers {
  readonly host: Element;
  /** Page clicks are held back while this holds. */
  isBlocking(): boolean;
  /** Something moved; or the tree changed too. */
  onChange(didPageChange: boolean): void;
  onResize(): void;
  onRoute(): void;
}

const ROUTE_POLL_MS = 300;

/** Watches until the returned function is called. */
export function watchPage({ host, isBlocking, onChange, onResize, onRoute }: PageWatchers): () => void {
  const stop = new AbortController();
  const options = { capture: true, passive: true, signal: stop.signal };
  const observer = new MutationObserver(() => onChange(true));
  observer.observe(document, { childList: true, subtree: true, characterData: true });
  for (const type of ['scroll', 'transitionrun', 'animationstart', 'pointerup', 'load']) {
    addEventListener(type, () => onChange(false), options);
  }
  addEventListener('resize', () => {
    onChange(false);
    onResize();
  }, options); // prettier-ignore
  for (const type of ['click', 'mousedown', 'pointerdown'] as const) {
    addEventListener(
      type,
      (event) => {
        if (!isBlocking() || event.composedPath().includes(host)) return;
        event.stopImmediatePropagation();
        event.preventDefault();
      },
      { capture: true, signal: stop.signal },
    );
  }
  let route = routeOf(location.href);
  // Client-side navigation has no event that every browser sends.
  const poll = setInterval(() => {
    if (routeOf(location.href) === route) return;
    route = routeOf(location.href);
    onChange(true);
    onRoute();
  }, ROUTE_POLL_MS);
  return () => {
    stop.abort();
    observer.disconnect();
    clearInterval(poll);
  };
}
