/** Keeps one result from flooding a client: past the limit it is kept and linked where that can be, else cut, and says so. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { OutsideResource } from '../define/outside-document.ts';
import { ERROR_CODE_META_KEY, errorResult, MAX_ERROR_CHARACTERS, ToolError } from './errors.ts';

/** Keeps what of a result does not fit one answer, for its caller to read. */
export interface LongResults {
  /** The result with links in place of what is too long; undefined: this caller could not read them, or nothing was kept. */
  fitted(
    caller: Caller,
    result: CallToolResult,
    maxBytes: number,
    from: { readonly toolset: string; readonly tool: string },
  ): Promise<CallToolResult | undefined>;
  /** True when something is kept for the caller under this URI. */
  holds(caller: Caller, uri: string): Promise<boolean>;
  /** What reads it. */
  readonly reader: OutsideResource;
}

const BROKEN_PROMISE =
  'The call is done, and is not to be repeated for this: its answer is too long for one result, so that the structure that its schema promises is left out.';

/** The fitted result; a client that waits for a structure would take one without it for broken, so it is told. */
export function withPromise(
  fitted: CallToolResult,
  whole: CallToolResult,
  isPromised: boolean,
): CallToolResult {
  const isKeptWord = whole.structuredContent === undefined || fitted.structuredContent !== undefined;
  if (!isPromised || isKeptWord || fitted.isError === true) return fitted;
  return {
    ...fitted,
    content: [{ type: 'text', text: BROKEN_PROMISE }, ...fitted.content],
    isError: true,
    _meta: { ...fitted._meta, [ERROR_CODE_META_KEY]: 'too_large' },
  };
}

/** Returns the result, or a short error result with its beginning when its text or data is larger than `maxBytes`. */
export function capResult(result: CallToolResult, maxBytes: number): CallToolResult {
  const first = result.content[0];
  const isSmall =
    result.content.length === 1 && first?.type === 'text' && first.text.length * 3 < maxBytes / 2;
  // The usual answer is one short text whose data is about as long, so nothing has to be measured.
  if (isSmall && result.structuredContent === undefined) return result;
  const sizeBytes =
    isSmall && first.text.startsWith('{') ? first.text.length * 2 : JSON.stringify(result).length;
  if (sizeBytes <= maxBytes) return result;
  const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  const note = `The answer has about ${sizeBytes} bytes; at most ${maxBytes} fit in one result. Ask for less (limit, cursor, filter). It begins:\n`;
  return errorResult(
    new ToolError(
      'too_large',
      note + text.slice(0, Math.min(MAX_ERROR_CHARACTERS, Math.floor(maxBytes / 4))),
    ),
  );
}
