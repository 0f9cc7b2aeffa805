/** What a request says about itself, cut to a length that every record, trace and tool can carry. */

import type { RequestInfo } from '../channel/call-context.ts';

const LONGEST_WORD = 128;
/** The longest name of a tool, prompt or resource in a record. */
export const LONGEST_NAME = 200;

/** Makes the info from the client's own words; the answer carries the whole id, everything else the short one. */
export function requestInfo(given: {
  readonly id: string | number;
  readonly era: RequestInfo['era'];
  readonly client: string | null | undefined;
  readonly traceparent?: string | undefined;
}): RequestInfo {
  const { id, era, client, traceparent } = given;
  return {
    id: shortened(String(id), LONGEST_WORD),
    era,
    client: client === null || client === undefined ? null : shortened(client, LONGEST_WORD),
    traceparent: traceparent && shortened(traceparent, LONGEST_WORD),
  };
}

/** The beginning of a text. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  // A slice alone would hold on to the whole text for as long as somebody holds the slice.
  return Buffer.from(text.slice(0, length), 'utf8').toString('utf8');
}
