/** Inbound limits with their defaults. */
import type { Caller } from '@parley/kit';
import type { InboundLimits, PlaceLimit } from '@parley/http';
import { DEFAULT_INBOUND_LIMITS } from '@parley/http';

/** How much one request, one caller and one process may take. */
export interface Limits extends InboundLimits {
  readonly sessionsPerCaller: number;
  readonly sessionIdleMs: number;
  /** Resources that one 2025 session may watch, and the length of each URI. */
  readonly watchesPerSession: number;
  readonly watchedUriBytes: number;
  /** Messages in one JSON-RPC batch; the SDK takes no more either. */
  readonly batchMessages: number;
  /** Open connections of the process. */
  readonly connections: number;
  readonly streamsPerCaller: number;
  readonly streamsPerOrganization: number;
  readonly streamsPerProcess: number;
  /** Requests per second of one caller, and how many may come at once. */
  readonly ratePerSecond: number;
  readonly rateBurst: number;
  /** The same for tools that reach outside or run things. */
  readonly heavyRatePerSecond: number;
  readonly heavyRateBurst: number;
  readonly failedCredentialsPerMinute: number;
}

/** The defaults of the security specification. */
export const DEFAULT_LIMITS: Limits = {
  ...DEFAULT_INBOUND_LIMITS,
  sessionsPerCaller: 64,
  sessionIdleMs: 30 * 60_000,
  watchesPerSession: 1000,
  watchedUriBytes: 2048,
  batchMessages: 100,
  connections: 10_000,
  streamsPerCaller: 64,
  streamsPerOrganization: 512,
  streamsPerProcess: 1024,
  ratePerSecond: 100,
  rateBurst: 200,
  heavyRatePerSecond: 20,
  heavyRateBurst: 40,
  failedCredentialsPerMinute: 10,
};

/** The name under which the places of the whole process are counted. */
export const PROCESS = 'process';

/** Whose places a stream of a caller takes. */
export function streamPlaces({ id, organizationId }: Caller, limits: Limits): PlaceLimit[] {
  return [
    [`caller ${id}`, limits.streamsPerCaller],
    [`organization ${organizationId}`, limits.streamsPerOrganization],
    [PROCESS, limits.streamsPerProcess],
  ];
}
