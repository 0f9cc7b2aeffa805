/** The way in over HTTP: what every surface checks about a request before it does any work. */
export { readBytes } from './body-bytes.ts';
export type { BodyLimits } from './body-bytes.ts';
export { createFrontDoor } from './front-door.ts';
export type { AllowedNames, FrontDoor } from './front-door.ts';
export { parseJson, readJson } from './json-body.ts';
export { DEFAULT_INBOUND_LIMITS } from './limits.ts';
export type { InboundLimits } from './limits.ts';
export { Places } from './places.ts';
export type { PlaceLimit } from './places.ts';
export { HttpRefusal, REFUSED } from './refusal.ts';
export { DEFAULT_UNREAD_LIMITS, endOrDestroy, UnreadBytes } from './unread.ts';
export type { Outlet, UnreadLimits } from './unread.ts';
