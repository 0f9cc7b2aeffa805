/** Keeps one result from flooding a client: past the limit the text is cut and says so. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { errorResult, MAX_ERROR_CHARACTERS, ToolError } from './errors.ts';

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
