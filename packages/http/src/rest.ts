/** REST: routes as object literals, and everything that follows from them. Start reading at `route/define-routes.ts`. */
export { docsPageOf } from './openapi/docs-page.ts';
export { openApiOf } from './openapi/openapi.ts';
export { ERROR_STATUS } from './refusal.ts';
export { csvLine, guardFormula } from './respond/csv-line.ts';
export type { CheckCurrent } from './respond/etag.ts';
export {
  bare,
  created,
  download,
  eventStream,
  feedStream,
  nothing,
  one,
  ownAnswer,
  page,
  pageBody,
  whole,
} from './route/answer.ts';
export { defineRoutes } from './route/define-routes.ts';
export type { RestOptions, RouteExchange } from './route/define-routes.ts';
export { freshSignIn, requireFresh } from './route/authorize.ts';
export type { SignedIn } from './session/signed-in.ts';
export { errorBody, toRefusal } from './route/to-refusal.ts';
export { flag, idList, limitUpTo, pageFields, timeOrder } from './route/query.ts';
export { defineRouteFor } from './route/route.ts';
export type { Route, RouteFacts } from './route/route.ts';
export type { Download } from './streams/downloads.ts';
export type { Feed } from './streams/feed-streams.ts';
export { createRestTables } from './tables.ts';
export type { IdempotencyRow } from './tables.ts';
