/** Owns where the overlay is switched on: its script tag, or the options a page gives. */

/** What the overlay needs to run. */
export interface OverlayOptions {
  /** The server's origin, without a path; absent: the page's own. */
  readonly server?: string;
  /** The page token. */
  readonly token: string;
  /** Hosts besides loopback where the overlay may run. */
  readonly hosts?: readonly string[];
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Tells whether the overlay may run on this host; files count as the host `file:`. */
export function isAllowedHost(
  hosts: readonly string[],
  place: Pick<Location, 'hostname' | 'protocol'> = location,
): boolean {
  const { hostname, protocol } = place;
  return LOOPBACK.test(hostname) || hosts.includes(protocol === 'file:' ? 'file:' : hostname);
}

/** The options of the script tag that runs now, or of the one that names a token. */
export function optionsOfTag(): OverlayOptions | undefined {
  const running = document.currentScript as HTMLScriptElement | null; // scripts of SVG have no data token
  const tag = running?.dataset.token
    ? running
    : document.querySelector<HTMLScriptElement>('script[data-token][src*="/__parley/overlay.js"]');
  const token = tag?.dataset.token;
  if (!tag || token === undefined) return undefined;
  const hosts = tag.dataset.hosts?.split(/[\s,]+/).filter((host) => host !== '');
  return {
    server: tag.dataset.server ?? new URL(tag.src, location.href).origin,
    token,
    ...(hosts && { hosts }),
  };
}
