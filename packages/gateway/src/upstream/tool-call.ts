/** The call of one tool of an upstream, and what its answer holds. */
import type { UpstreamAnswer } from '@parley/connections';
import { isObject } from '../messages.ts';
import type { Asked } from './asking.ts';
import { UpstreamFault } from './link.ts';
import { listTools } from './tool-list.ts';

type Outcome = Omit<UpstreamAnswer, 'ok'>;
type Result = Readonly<Record<string, unknown>>;

/** Calls it; what the server refuses or fails at is told from a tool that it does not have. */
export async function callTool(
  upstream: Asked,
  params: { readonly name: string; readonly arguments: Record<string, unknown> },
): Promise<Outcome> {
  const result = await upstream.request('tools/call', params).catch((error: unknown) => {
    if (error instanceof UpstreamFault && error.kind === 'rpc') return undefined;
    throw error;
  });
  if (result !== undefined && result.isError !== true) return { outcome: 'answered', data: dataOf(result) };
  const tools = await listTools(upstream);
  const isThere = tools.some(({ name }) => name === params.name);
  return { outcome: isThere ? 'failed' : 'no_such_tool', data: undefined };
}

function dataOf({ structuredContent, content }: Result): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  if (!isObject(first) || first.type !== 'text' || typeof first.text !== 'string') return {};
  try {
    return JSON.parse(first.text) as unknown;
  } catch {
    return first.text;
  }
}
