/** The call of one tool of an upstream, and what its answer holds. */
import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { UpstreamAnswer } from '@parley/connections';
import { listTools } from './tool-list.ts';

type Outcome = Omit<UpstreamAnswer, 'ok'>;
type Result = Awaited<ReturnType<Client['callTool']>>;

/** Calls it; what the server refuses or fails at is told from a tool that it does not have. */
export async function callTool(
  client: Client,
  params: { readonly name: string; readonly arguments: Record<string, unknown> },
  options: RequestOptions,
): Promise<Outcome> {
  const result = await client.callTool(params, options).catch((error: unknown) => {
    if (ProtocolError.isInstance(error)) return undefined;
    throw error;
  });
  if (result !== undefined && result.isError !== true) return { outcome: 'answered', data: dataOf(result) };
  const tools = await listTools(client, options);
  const isThere = tools.some(({ name }) => name === params.name);
  return { outcome: isThere ? 'failed' : 'no_such_tool', data: undefined };
}

function dataOf({ structuredContent, content }: Result): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const [first] = content;
  if (first?.type !== 'text') return {};
  try {
    return JSON.parse(first.text) as unknown;
  } catch {
    return first.text;
  }
}
