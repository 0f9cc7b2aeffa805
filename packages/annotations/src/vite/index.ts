/** The Vite plugin: the overlay in every page of a dev server, and where each element was written. */
export { parley } from './plugin.ts';
export type { ParleyOptions } from './options.ts';
