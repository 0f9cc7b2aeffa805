/** One exchange with a client: what came with the request besides what it asks for, cut to what a record can carry. */
import type { Channel, ClientCapabilities, LogLevel } from '../channel/channel.ts';
import type { Connection } from '../channel/connection.ts';
import type { RequestInfo } from '../define/context.ts';

/** Reads a header of the client's request. */
export type ReadHeader = (name: string) => string | undefined;

/** What came with one request. */
export interface Exchange {
  readonly info: RequestInfo;
  readonly signal: () => AbortSignal;
  /** Present when the request came over something that outlives it. */
  readonly connection?: Connection | undefined;
  /** Present when there is a channel that can ask by itself (a 2025 session, a task); absent: round trips. */
  readonly channel?: Channel;
  readonly capabilities?: ClientCapabilities;
  readonly requestState?: string | undefined;
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
  readonly progress?: Channel['progress'];
  readonly log?: Channel['log'];
  /**
   * A header of the client's request, by name; undefined without one, and always for those that are Parley's own
   * business. Apart from `info`, which is recorded and stored with tasks.
   */
  readonly header?: ReadHeader;
  /** The mildest level of messages that the client asked for; absent: it asked for none. */
  readonly logLevel?: LogLevel | undefined;
  /** Present when the call is the run of a task. */
  readonly task?: { readonly id: string; readonly prepared: unknown; readonly isFollowed: boolean };
}

const LONGEST_WORD = 128;
const LONGEST_HEADER = 8192;
// Credentials for Parley, its own labels, and what belongs to the transport: none of it is for another server.
const OWN_HEADERS =
  /^(?:authorization|proxy-.*|cookie|host|connection|content-.*|transfer-encoding|x-parley-.*|mcp-.*|sec-.*)$/;
/** The header whose labels go into the record of the call. */
export const PROPERTIES_HEADER = 'x-parley-properties';
/** The header with what the record of the call says of the client. */
export const CLIENT_HEADER = 'x-parley-client';
/** How many servers of this kind a request came through, signed by them: nobody gains by sending another. */
export const HOPS_HEADER = 'x-parley-hops';
/** The longest name of a tool, prompt or resource in a record. */
export const LONGEST_NAME = 200;

/** Makes the info from the client's own words; the answer carries the whole id, everything else the short one. */
export function requestInfo(given: {
  readonly id: string | number;
  readonly era: RequestInfo['era'];
  readonly client: string | null | undefined;
  readonly protocolVersion?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly properties?: string | undefined;
  readonly clientLabel?: string | undefined;
}): RequestInfo {
  const { id, era, client, protocolVersion, traceparent, properties, clientLabel } = given;
  return {
    id: shortened(String(id), LONGEST_WORD),
    era,
    client: client === null || client === undefined ? null : shortened(client, LONGEST_WORD),
    protocolVersion,
    traceparent: traceparent && shortened(traceparent, LONGEST_WORD),
    properties,
    clientLabel: clientLabel && shortened(clientLabel, LONGEST_WORD),
  };
}

/** The beginning of a text. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  // A slice alone would hold on to the whole text for as long as somebody holds the slice.
  return Buffer.from(text.slice(0, length), 'utf8').toString('utf8');
}

/** Lets code that stands for another server read headers of a request, but for those that no other server may see. */
export function headerReader(read: (lowerCaseName: string) => string | null | undefined): ReadHeader {
  return (name) => {
    const wanted = name.toLowerCase();
    if (OWN_HEADERS.test(wanted) && wanted !== HOPS_HEADER) return undefined;
    const value = read(wanted) ?? undefined;
    return value === undefined || value.length > LONGEST_HEADER ? undefined : value;
  };
}
