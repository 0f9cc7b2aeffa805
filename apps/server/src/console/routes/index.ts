/** Every route of the console's API. */
import { accountRoutes } from './account.ts';
import { annotationRoutes } from './annotations.ts';
import { callRoutes } from './call.ts';
import { callerRoutes } from './callers.ts';
import { clientRoutes } from './clients.ts';
import { deskRoutes } from './desk.ts';
import { homeRoutes } from './home.ts';
import { liveRoutes } from './live.ts';
import { resourceRoutes } from './resources.ts';
import { runRoutes } from './runs.ts';
import { sessionRoutes } from './session.ts';
import { taskRoutes } from './tasks.ts';
import { toolRoutes } from './tools.ts';

export const ROUTES = [
  ...sessionRoutes,
  ...accountRoutes,
  ...toolRoutes,
  ...callRoutes,
  ...runRoutes,
  ...callerRoutes,
  ...resourceRoutes,
  ...clientRoutes,
  ...deskRoutes,
  ...homeRoutes,
  ...liveRoutes,
  ...taskRoutes,
  ...annotationRoutes,
];
