/** Asks a running server what an address and a key are worth to a client. */
import { createEgress } from '@parley/kit/egress';
import * as z from 'zod';

/** What the server says: the number of tools that the key sees, or why there is none. */
export type Answer =
  | { readonly tools: number }
  | { readonly problem: 'key' | 'path' | 'silent' }
  | { readonly problem: 'status'; readonly status: number };

const VERSION = '2026-07-28';
const TIMEOUT_MS = 5000;
const MAX_BYTES = 4 * 1024 * 1024;

const KEY = /^[A-Za-z0-9_-]+$/;
const Listed = z.object({ result: z.object({ tools: z.array(z.unknown()) }) });

/** Lists the tools at an address with a key, as a client does. */
export async function askServer(url: URL, key: string): Promise<Answer> {
  if (!KEY.test(key)) return { problem: 'key' };
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const limits = { totalTimeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
  const egress = createEgress({ allow: [`${url.hostname}:${port}`], limits });
  try {
    // A redirect could lead a key elsewhere.
    const asked = { method: 'POST', headers: headersWith(key), body: LIST, redirect: 'manual' } as const;
    const answer = await egress.fetch(url.href, asked);
    const text = await answer.text();
    if (answer.status === 404) return { problem: 'path' };
    // The brake on guessing stops wrong keys only.
    const isRefused = answer.status === 401 || (answer.status === 429 && text.includes('credentials'));
    if (isRefused) return { problem: 'key' };
    if (answer.status !== 200) return { problem: 'status', status: answer.status };
    return { tools: Listed.parse(JSON.parse(text)).result.tools.length };
  } catch {
    return { problem: 'silent' };
  } finally {
    await egress.close();
  }
}

function headersWith(key: string): Record<string, string> {
  return {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': 'tools/list',
  };
}

const LIST = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'parley-doctor', version: '1' },
    },
  },
});
