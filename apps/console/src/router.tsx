/** Owns the addresses: one route per screen, each loaded when it is first wanted, with what is open in the path. */
import {
  Navigate,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { loadCode } from './api/load-code.ts';
import { Frame } from './frame/frame.tsx';
import { ScreenFault, ScreenMissing, ScreenPending } from './frame/screen-states.tsx';
import { SCREENS } from './screens.ts';

const FEEDBACK_START: string = '/feedback/inbox';

const rootRoute = createRootRoute({ component: Frame });

const screenRoutes = SCREENS.map((screen) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path: patternOf(screen.path),
    // What a newer version has replaced makes the router load the page anew, once somebody goes there.
    component: lazyRouteComponent(() => loadCode(screen.load), 'Screen'),
    staticData: { base: screen.path },
  }),
);

const feedbackRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/feedback',
  component: () => <Navigate to={FEEDBACK_START} search={(now) => now} replace />,
});

function patternOf(path: string): string {
  return path === '/' ? path : `${path}/{-$id}/{-$tab}`;
}

/** The router of the page; addresses start at /console. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([...screenRoutes, feedbackRoute]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingMs: 150,
  defaultPendingComponent: ScreenPending,
  defaultErrorComponent: ScreenFault,
  defaultNotFoundComponent: ScreenMissing,
  scrollRestoration: false,
  // Filters are plain words in the address, so that people can read and write them.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    );
    return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
