/** A detail as a row holds it: input, output, and the rest of it only where there is any, so that most rows bind few values. */
import type { CallDetail } from './record-table.ts';

/** The columns beside the id. */
export interface PackedDetail {
  readonly input: string | null;
  readonly output: string | null;
  /** JSON of what else there is; null: nothing, and input and output are whole. */
  readonly more: string | null;
}

export const DETAIL_COLUMNS = ['input', 'output', 'more'] as const satisfies readonly (keyof PackedDetail)[];

type More = Partial<Omit<CallDetail, 'input' | 'output'>>;

export function packDetail(detail: CallDetail): PackedDetail {
  const { input, output, message, bytesIn, bytesOut, upstreamUs, traceId, properties } = detail;
  const isWhole = bytesIn === bytesOf(input) && bytesOut === bytesOf(output);
  const hasMore = message !== null || upstreamUs !== null || traceId !== null || properties !== null;
  if (isWhole && !hasMore) return { input, output, more: null };
  return {
    input,
    output,
    more: JSON.stringify({ message, bytesIn, bytesOut, upstreamUs, traceId, properties }),
  };
}

export function unpackDetail({ input, output, more }: PackedDetail): CallDetail {
  // Only `packDetail` writes it.
  const rest = more === null ? undefined : (JSON.parse(more) as More);
  return {
    input,
    output,
    message: rest?.message ?? null,
    bytesIn: rest === undefined ? bytesOf(input) : (rest.bytesIn ?? null),
    bytesOut: rest === undefined ? bytesOf(output) : (rest.bytesOut ?? null),
    upstreamUs: rest?.upstreamUs ?? null,
    traceId: rest?.traceId ?? null,
    properties: rest?.properties ?? null,
  };
}

function bytesOf(text: string | null): number | null {
  return text === null ? null : Buffer.byteLength(text);
}
