/** Owns the list of screens: path, words, place in the rail, and the module that loads when it is opened. */
import type { ComponentType } from 'react';
import type { RailName } from './api/types.ts';

/** One screen. `path` is what stands after /console. */
export interface ScreenEntry {
  readonly path: string;
  readonly title: string;
  /** The entry of the rail it belongs to. */
  readonly rail: RailName;
  /** Two keys in a row that go there. */
  readonly keys?: string;
  readonly load: () => Promise<{ readonly Screen: ComponentType }>;
}

/** All screens; those of one rail entry stand as tabs above each other's content. */
export const SCREENS: readonly ScreenEntry[] = [
  { path: '/', title: 'Home', rail: 'home', keys: 'g h', load: () => import('./screens/home/index.tsx') },
  {
    path: '/first-run',
    title: 'Get started',
    rail: 'home',
    load: () => import('./screens/first-run/index.tsx'),
  },
  {
    path: '/account',
    title: 'Your account',
    rail: 'home',
    load: () => import('./screens/account/index.tsx'),
  },
  {
    path: '/annotations',
    title: 'Annotations',
    rail: 'annotations',
    keys: 'g a',
    load: () => import('./screens/annotations/index.tsx'),
  },
  {
    path: '/feedback/inbox',
    title: 'Inbox',
    rail: 'feedback',
    keys: 'g f',
    load: () => import('./screens/feedback/inbox/index.tsx'),
  },
  {
    path: '/feedback/boards',
    title: 'Boards',
    rail: 'feedback',
    load: () => import('./screens/feedback/boards/index.tsx'),
  },
  {
    path: '/feedback/roadmap',
    title: 'Roadmap',
    rail: 'feedback',
    load: () => import('./screens/feedback/roadmap/index.tsx'),
  },
  {
    path: '/feedback/changelog',
    title: 'Changelog',
    rail: 'feedback',
    load: () => import('./screens/feedback/changelog/index.tsx'),
  },
  {
    path: '/feedback/people',
    title: 'People',
    rail: 'feedback',
    load: () => import('./screens/feedback/people/index.tsx'),
  },
  {
    path: '/feedback/settings',
    title: 'Public pages',
    rail: 'feedback',
    load: () => import('./screens/feedback/settings/index.tsx'),
  },
  {
    path: '/feedback/import',
    title: 'Import',
    rail: 'feedback',
    load: () => import('./screens/feedback/import/index.tsx'),
  },
  {
    path: '/tasks',
    title: 'Tasks',
    rail: 'tasks',
    keys: 'g t',
    load: () => import('./screens/tasks/index.tsx'),
  },
  {
    path: '/agents',
    title: 'Agents',
    rail: 'agents',
    keys: 'g g',
    load: () => import('./screens/agents/index.tsx'),
  },
  {
    path: '/connections',
    title: 'Connections',
    rail: 'connections',
    keys: 'g c',
    load: () => import('./screens/connections/index.tsx'),
  },
  {
    path: '/virtual-mcps',
    title: 'Virtual MCPs',
    rail: 'connections',
    keys: 'g v',
    load: () => import('./screens/virtual-mcps/index.tsx'),
  },
  {
    path: '/tools',
    title: 'Tools',
    rail: 'tools',
    keys: 'g o',
    load: () => import('./screens/tools/index.tsx'),
  },
  {
    path: '/events',
    title: 'Events',
    rail: 'events',
    keys: 'g e',
    load: () => import('./screens/events/index.tsx'),
  },
  {
    path: '/monitoring',
    title: 'Monitoring',
    rail: 'monitoring',
    keys: 'g m',
    load: () => import('./screens/monitoring/index.tsx'),
  },
  {
    path: '/organization',
    title: 'Organization',
    rail: 'organization',
    keys: 'g s',
    load: () => import('./screens/organization/index.tsx'),
  },
];

/** What a rail entry is called. */
export const RAIL_TITLES: Readonly<Record<RailName, string>> = {
  home: 'Home',
  annotations: 'Annotations',
  feedback: 'Feedback',
  tasks: 'Tasks',
  agents: 'Agents',
  connections: 'Connections',
  tools: 'Tools',
  events: 'Events',
  monitoring: 'Monitoring',
  organization: 'Organization',
};

/** Reached from Home and from the menu of the person: no tabs. */
const ASIDE: ReadonlySet<string> = new Set(['/first-run', '/account']);

/** The screens of a rail entry; the first is where the entry leads. */
export function screensOf(rail: RailName): readonly ScreenEntry[] {
  return SCREENS.filter((screen) => screen.rail === rail && !ASIDE.has(screen.path));
}
