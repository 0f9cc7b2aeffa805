/** Owns where the overlay is switched on: its script tag, or the options a page gives. */
import type { SourcePaths } from './source/found.ts';

export interface OverlayOptions {
  /** The server's origin, without a path; absent: the page's own. */
  readonly server?: string;
  /** The page token. */
  readonly token: string;
  /** Hosts besides loopback where the overlay may run. */
  readonly hosts?: readonly string[];
  /** The URL that agents connect to; absent: `/mcp/annotations` at the server. */
  readonly mcp?: string;
  /** What a dev server with the Vite plugin tells. */
  readonly dev?: DevSettings;
}

/** What a dev server tells the overlay of its pages. */
export interface DevSettings extends SourcePaths {
  /** The running Parley that the dev server passes the link on to; absent: it opened a data folder itself. */
  readonly server?: string;
  /** The data folder that the dev server opened itself. */
  readonly data?: string;
  /** What starts an agent's side on that folder; absent where the dev server does not find it. */
  readonly command?: { readonly command: string; readonly args: readonly string[] };
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Tells whether the overlay may run on this host; files count as the host `file:`. */
export function isAllowedHost(
  hosts: readonly string[],
  place: Pick<Location, 'hostname' | 'protocol'> = location,
): boolean {
  return LOOPBACK.test(place.hostname) || hosts.includes(hostOf(place));
}

/** What a page's host is called in the list of allowed ones. */
export function hostOf({ hostname, protocol }: Pick<Location, 'hostname' | 'protocol'> = location): string {
  return protocol === 'file:' ? 'file:' : hostname;
}

/** This page's origin as the server is told of it; that of a file is `null`. */
export function pageOrigin(): string {
  return location.protocol === 'file:' ? 'null' : location.origin;
}

/** The options of the script tag that runs now, or of the one that names a token. */
export function optionsOfTag(): OverlayOptions | undefined {
  const running = document.currentScript as HTMLScriptElement | null; // scripts of SVG have no data token
  const tag = running?.dataset.token
    ? running
    : document.querySelector<HTMLScriptElement>('script[data-token][src*="/__parley/overlay.js"]');
  if (!tag || tag.dataset.token === undefined) return undefined;
  const { token, server, hosts, mcp, dev } = tag.dataset;
  return {
    server: server ?? new URL(tag.src, location.href).origin,
    token,
    ...(hosts !== undefined && { hosts: hosts.split(/[\s,]+/).filter((host) => host !== '') }),
    ...(mcp !== undefined && { mcp }),
    // Written by the plugin of this very version.
    ...(dev !== undefined && { dev: JSON.parse(dev) as DevSettings }),
  };
}
