/** The demo: a small company with a year and a half of feedback. Start reading at `seed.ts`. */
export { seedDemo } from './seed.ts';
export type { DemoHost } from './seed.ts';
