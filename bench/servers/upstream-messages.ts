/** Owns what an upstream of the bench answers: the least that an MCP server of either era can say. */
import { benchTools, wireDefinition } from '../tools.ts';

/** What an upstream is. */
export interface Upstream {
  era: '2026' | '2025';
  tools: number;
  /** Put before every name, so that many upstreams can stand side by side. */
  prefix: string;
}

interface Message {
  id?: number | string;
  method: string;
  params?: { name?: string; arguments?: { text?: unknown } };
}

const INFO = '"serverInfo":{"name":"upstream","version":"1.0.0"},"capabilities":{"tools":{}}';

/** Answers one message; undefined for a notice, which has no answer. */
export function answersOf({ era, tools, prefix }: Upstream): (text: string) => string | undefined {
  const isModern = era === '2026';
  const complete = isModern ? '"resultType":"complete",' : '';
  const cache = isModern ? ',"ttlMs":3600000,"cacheScope":"private"' : '';
  const listed = benchTools(tools).map(wireDefinition);
  const named = listed.map((tool) => ({ ...tool, name: `${prefix}${tool.name}` }));
  const list = `{${complete}"tools":${JSON.stringify(named)}${cache}}`;
  const opening = isModern
    ? { 'server/discover': `{${complete}"supportedVersions":["2026-07-28"],${INFO}${cache}}` }
    : { initialize: `{"protocolVersion":"2025-11-25",${INFO}}` };
  const results: Readonly<Record<string, string>> = { ...opening, 'tools/list': list, ping: `{${complete}}` };
  return (text) => {
    // the only peers are the bench and what it measures, which send well-formed messages
    const { id, method, params } = JSON.parse(text) as Message;
    if (id === undefined) return undefined;
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
    if (method === 'tools/call') {
      const output = JSON.stringify({ text: params?.arguments?.text });
      const content = `[{"type":"text","text":${JSON.stringify(output)}}]`;
      return `${head}"result":{${complete}"content":${content},"structuredContent":${output}}}`;
    }
    const result = results[method];
    if (result !== undefined) return `${head}"result":${result}}`;
    return `${head}"error":{"code":-32601,"message":"Method not found"}}`;
  };
}
