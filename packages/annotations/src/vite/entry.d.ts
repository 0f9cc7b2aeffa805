/** What a project's own type check sees of the plugin; the sources are written for a newer target than most projects. */
import type { Plugin } from 'vite';

/** Options of `parley()`; none is needed. */
export interface ParleyOptions {
  /** A running Parley, such as `http://127.0.0.1:4680`; the dev server then opens no store of its own. */
  readonly server?: string;
  /** The page token that `parley start` prints; needed with `server` only. */
  readonly token?: string;
  /** The data folder, from the project root; `.parley` unless told. */
  readonly data?: string;
  /** The folder that source paths are counted from; Vite's root unless told. */
  readonly root?: string;
  /** Origins besides loopback and the dev server's own that may show the overlay. */
  readonly allowedOrigins?: readonly string[];
}

/**
 * Shows the overlay in every page of the dev server; a build is left as it is.
 *
 * @example plugins: [react(), parley()]
 */
export declare function parley(options?: ParleyOptions): Plugin[];
