/** The shorter form of a result: the beginning of its text, what was left out, and where that is. */
import type { CallToolResult } from '@modelcontextprotocol/server';

/** Where an answer tells what was kept of it. */
export const RESULT_META = 'parley/result';

/** The end of a type whose text is the base64 of bytes. */
export const BYTES = ';base64';

/** What is kept: text, or the base64 of bytes, whose type says so at its end. */
export interface KeptPart {
  readonly text: string;
  readonly mimeType: string;
}

export interface Whole extends KeptPart {
  /** True: the structure of the result is over the budget, so that it cannot stay. */
  readonly isStructureLong: boolean;
}

/** The text of a result that is over the budget, or its structure where only that is; undefined: neither is. */
export function wholeOf({ content, structuredContent }: CallToolResult, budget: number): Whole | undefined {
  const text = content.flatMap((block) => textOf(block) ?? []).join('\n\n');
  const structure = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  if (text.length <= budget && structure.length <= budget) return undefined;
  const isStructureLong = structure.length > budget;
  return text.length > budget
    ? { text: text.toWellFormed(), mimeType: 'text/plain', isStructureLong }
    : { text: structure.toWellFormed(), mimeType: 'application/json', isStructureLong };
}

export function textOf(block: CallToolResult['content'][number]): string | undefined {
  if (block.type === 'text') return block.text;
  return block.type === 'resource' && 'text' in block.resource ? block.resource.text : undefined;
}

/** The result with the beginning of its text, and a link to the rest; no URI: the rest is lost. */
export function shortened(
  { structuredContent, ...result }: CallToolResult,
  { text, mimeType, isStructureLong }: Whole,
  budget: number,
  uri: string | undefined,
): CallToolResult {
  const shown = boundary(text, budget);
  const rest =
    uri === undefined
      ? 'The rest could not be kept; ask for less.'
      : `Read the rest from ${uri}?from=${shown}&to=${Math.min(text.length, shown + budget)} and on; it is kept for 24 hours.`;
  const note = `[The first ${shown} of ${text.length} characters. ${rest}]`;
  const others = result.content.filter((block) => textOf(block) === undefined);
  return {
    ...result,
    ...(structuredContent !== undefined && !isStructureLong && { structuredContent }),
    content: [
      { type: 'text', text: `${text.slice(0, shown)}\n\n${note}` },
      ...others,
      ...(uri === undefined
        ? []
        : [
            {
              type: 'resource_link' as const,
              uri,
              name: 'kept-result',
              description: 'The whole result.',
              mimeType,
              size: Buffer.byteLength(text),
            },
          ]),
    ],
    _meta: {
      ...result._meta,
      [RESULT_META]: { size: text.length, shown, ...(uri !== undefined && { uri }) },
    },
  };
}

/** The place, or the one before it where a character of two halves would be cut. */
export function boundary(text: string, at: number): number {
  const code = at > 0 && at < text.length ? text.charCodeAt(at) : 0;
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
