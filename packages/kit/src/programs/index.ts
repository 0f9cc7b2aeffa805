/** Programs that end with this process; apart from the root, since few packages start any. */
export { startBound, tellGroup } from './bound-program.ts';
export type { BoundProgram } from './bound-program.ts';
