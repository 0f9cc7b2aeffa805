/** A result that is too long for one answer: which parts of it are kept, and what stands in their place. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { isObject } from '../messages.ts';
import { BYTES, RESULT_META, shortened, wholeOf } from './shortened-result.ts';
import type { KeptPart } from './shortened-result.ts';

type Block = CallToolResult['content'][number];

interface KeptBytes {
  readonly uri: string;
  readonly size: number;
}

/** Characters of a text that is not shown whole. */
const BEGINNING = 50_000;
/** What a link with its note takes at most. */
const LINK_BYTES = 600;
/** More blocks than this are kept as one. */
const MOST_LINKS = 50;

/** The result within the limit: pictures and files become links, the largest first, then the text, at last everything. */
export async function fittedResult(
  result: CallToolResult,
  maxBytes: number,
  keep: (part: KeptPart) => Promise<string>,
): Promise<CallToolResult> {
  const { linked, kept } = await withLinks(result, maxBytes, keep);
  if (sizeOf(linked) <= maxBytes) return withKept(linked, kept);
  const text = wholeOf(linked, BEGINNING);
  const short = text && shortened(linked, text, BEGINNING, await keep(text));
  if (short !== undefined && sizeOf(short) <= maxBytes) return withKept(short, kept);
  const all = { text: JSON.stringify(result), mimeType: 'application/json', isStructureLong: true };
  const { isError } = result;
  const empty = { content: [], ...(isError !== undefined && { isError }) };
  return shortened(empty, all, BEGINNING, await keep(all));
}

async function withLinks(
  result: CallToolResult,
  maxBytes: number,
  keep: (part: KeptPart) => Promise<string>,
): Promise<{ readonly linked: CallToolResult; readonly kept: readonly KeptBytes[] }> {
  const content = [...result.content];
  const largestFirst = content
    .flatMap((block, index) => {
      const part = dataOf(block);
      return part === undefined || part.text.length < LINK_BYTES ? [] : [{ index, part }];
    })
    .toSorted((a, b) => b.part.text.length - a.part.text.length)
    .slice(0, MOST_LINKS);
  let size = sizeOf(result);
  const notes: string[] = [];
  const kept: KeptBytes[] = [];
  for (const { index, part } of largestFirst) {
    if (size <= maxBytes) break;
    const uri = await keep(part);
    const sizeBytes = Buffer.byteLength(part.text, 'base64');
    const mimeType = part.mimeType.slice(0, -BYTES.length);
    content[index] = linkTo(uri, mimeType, sizeBytes);
    notes.push(
      `[${mimeType} of ${sizeBytes} bytes is too long for an answer. Read it from ${uri}; it is kept for 24 hours.]`,
    );
    kept.push({ uri, size: sizeBytes });
    size -= part.text.length - LINK_BYTES;
  }
  if (kept.length === 0) return { linked: result, kept };
  return { linked: { ...result, content: [...content, { type: 'text', text: notes.join('\n') }] }, kept };
}

/** The result, with the word where its bytes are. */
function withKept(result: CallToolResult, kept: readonly KeptBytes[]): CallToolResult {
  if (kept.length === 0) return result;
  const own = result._meta?.[RESULT_META];
  const known = isObject(own) && 'shown' in own ? own : {};
  return { ...result, _meta: { ...result._meta, [RESULT_META]: { ...known, kept } } };
}

/** The bytes of a block, as base64. */
function dataOf(block: Block): KeptPart | undefined {
  if (block.type === 'image' || block.type === 'audio') return bytesAs(block.mimeType, block.data);
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  return bytesAs(block.resource.mimeType ?? 'application/octet-stream', block.resource.blob);
}

function bytesAs(mimeType: string, text: string): KeptPart {
  return { text, mimeType: `${mimeType}${BYTES}` };
}

function linkTo(uri: string, mimeType: string, size: number): Block {
  return { type: 'resource_link', uri, name: 'kept-result', mimeType, size };
}

function sizeOf(result: CallToolResult): number {
  return JSON.stringify(result).length;
}
