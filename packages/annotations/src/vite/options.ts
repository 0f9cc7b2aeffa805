/** Owns the plugin's options and what they mean for one project. */
import { resolve } from 'node:path';

/** Options of `parley()`; none is needed. */
export interface ParleyOptions {
  /** A running Parley, such as `http://127.0.0.1:4680`; the dev server then opens no store of its own. */
  readonly server?: string;
  /** The page token that `parley start` prints; needed with `server` only. */
  readonly token?: string;
  /** The data folder, from the project root; `.parley` by default. */
  readonly data?: string;
  /** The folder that source paths are counted from; Vite's root by default. */
  readonly root?: string;
  /** Origins besides loopback and the dev server's own that may show the overlay. */
  readonly allowedOrigins?: readonly string[];
}

/** Where things are in the project that a dev server serves. */
export interface Project {
  /** What source paths are counted from. */
  readonly root: string;
  /** Vite's own root. */
  readonly served: string;
  readonly base: string;
  readonly publicDir: string;
  readonly dataDir: string;
}

/** Places of a project whose Vite configuration is resolved. */
export function projectOf(
  { root, data = '.parley' }: ParleyOptions,
  vite: { root: string; base: string; publicDir: string },
): Project {
  const base = URL.canParse(vite.base) ? new URL(vite.base).pathname : vite.base;
  return {
    root: resolve(vite.root, root ?? '.'),
    served: vite.root,
    base: base.startsWith('/') ? base : '/',
    publicDir: vite.publicDir,
    dataDir: resolve(vite.root, data),
  };
}

/** The host names of allowed origins; what is no origin is left out. */
export function hostsOf(origins: readonly string[] = []): string[] {
  return origins.filter((origin) => URL.canParse(origin)).map((origin) => new URL(origin).hostname);
}
