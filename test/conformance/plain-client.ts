/** One call of a tool without a client library, for setting a server up. */

const VERSION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol';

/** Calls a tool and returns its structured answer; throws what the server says when it failed. */
export async function callTool<Output>(
  url: string,
  key: string,
  call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
): Promise<Output> {
  const _meta = { [`${PREFIX}/protocolVersion`]: VERSION, [`${PREFIX}/clientCapabilities`]: {} };
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': call.name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...call, _meta } }),
  });
  const text = await answer.text();
  // Whatever else it may be, it is shown in full.
  const { result } = JSON.parse(text) as { result?: { isError?: boolean; structuredContent?: Output } };
  if (result?.isError === true || result?.structuredContent === undefined) throw new Error(text);
  return result.structuredContent;
}
