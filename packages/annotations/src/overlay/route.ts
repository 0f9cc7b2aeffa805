/** Owns which notes belong to the page shown now. */

/** The part of an address that names a page: hash routes count, plain anchors do not. */
export function routeOf(url: string): string {
  try {
    const { pathname, search, hash } = new URL(url, location.href);
    return pathname + search + (/^#[!/]/.test(hash) ? hash : '');
  } catch {
    return url;
  }
}
