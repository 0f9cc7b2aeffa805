/** The toolsets that every Parley has: one line each, loaded when their code is needed. */
import { agentSettings } from '@parley/agent/settings';
import { annotationSettings } from '@parley/annotations/settings';
import { feedbackSettings } from '@parley/feedback/settings';
import type { Settings } from '@parley/kit';
import type { ServedToolset } from './start/served-toolset.ts';

interface OwnToolset {
  readonly load: () => Promise<ServedToolset>;
  /** Its options, which every command line reads before any code of a toolset is loaded. */
  readonly settings?: Settings;
}

/** All of them, in their order. */
export const OWN_TOOLSETS: readonly OwnToolset[] = [
  { load: async () => (await import('./parley/index.ts')).parleyToolset },
  { load: async () => (await import('@parley/tasks')).tasksToolset },
  { load: async () => (await import('@parley/mesh')).meshToolset },
  { load: async () => (await import('@parley/agent')).agentToolset, settings: agentSettings },
  {
    load: async () => (await import('@parley/annotations')).annotationsToolset,
    settings: annotationSettings,
  },
  { load: async () => (await import('@parley/feedback')).feedbackToolset, settings: feedbackSettings },
];

/** Loads them all. */
export function loadOwnToolsets(): Promise<ServedToolset[]> {
  return Promise.all(OWN_TOOLSETS.map(({ load }) => load()));
}
