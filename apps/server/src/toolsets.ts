/** The toolsets that every Parley has: one line each, loaded when their code is needed. */
import type { AnyToolset } from '@parley/kit';

const OWN_TOOLSETS: readonly (() => Promise<AnyToolset>)[] = [
  async () => (await import('./parley/index.ts')).parleyToolset,
  async () => (await import('@parley/tasks')).tasksToolset,
  async () => (await import('@parley/annotations')).annotationsToolset,
  async () => (await import('@parley/feedback')).feedbackToolset,
];

/** Loads them all, in their order. */
export function loadOwnToolsets(): Promise<AnyToolset[]> {
  return Promise.all(OWN_TOOLSETS.map((load) => load()));
}
