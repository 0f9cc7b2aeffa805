/** Owns the public list of the egress guard. */
export { plainEntry } from './allow-list.ts';
export { createEgress } from './egress.ts';
export type { Egress } from './egress.ts';
export { EgressError } from './errors.ts';
export type { EgressErrorCode } from './errors.ts';
export type { Lane } from './connections.ts';
export type { Line, LineAnswer, LineHead, LineReader, LineRequest } from './line.ts';
export { encodePathPart, joinPath } from './join-path.ts';
export { DEFAULT_EGRESS_LIMITS } from './policy.ts';
export type { EgressLimits, EgressPolicy, Resolve, ResolvedAddress } from './policy.ts';
export type { EgressInit } from './request.ts';
export type { EgressResponse } from './response.ts';
export { isNeverReached } from './target.ts';
export { isThisMachine } from './this-machine.ts';
