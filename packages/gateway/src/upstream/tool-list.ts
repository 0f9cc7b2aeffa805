/** The tools of an upstream: all pages, each definition looked at before it is kept. */
import type { UpstreamTool } from '@parley/connections';
import * as z from 'zod';
import type { Asked } from './asking.ts';
import { BadUpstream } from './faults.ts';
import { MAX_DEPTH, MAX_PAGES, MAX_TOOLS } from './limits.ts';

const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(4096).optional() });

const anyObject = z.record(z.string(), z.unknown());

const Definition = z.object({
  name: z.string().min(1).max(200),
  title: z.string().max(1000).optional(),
  description: z.string().max(50_000).optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  outputSchema: anyObject.optional(),
  annotations: anyObject.optional(),
  _meta: anyObject.optional(),
});

/** Every tool with a valid definition; one that has none is left out, and so is the second of a name. */
export async function listTools(upstream: Asked): Promise<UpstreamTool[]> {
  const { tools: offered } = await upstream.capabilities();
  if (offered === undefined) return [];
  const tools = new Map<string, UpstreamTool>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let seen = 0;
  for (;;) {
    const params = cursor === undefined ? {} : { cursor };
    const { data: page } = Page.safeParse(await upstream.request('tools/list', params));
    if (page === undefined) throw new BadUpstream('The server lists its tools in a way that is not MCP.');
    seen += page.tools.length;
    if (seen > MAX_TOOLS) throw new BadUpstream(`The server lists more than ${MAX_TOOLS} tools.`);
    for (const given of page.tools) {
      const { data } = isShallow(given) ? Definition.safeParse(given) : {};
      if (data !== undefined && !tools.has(data.name)) tools.set(data.name, data);
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return [...tools.values()];
    if (cursors.has(cursor) || cursors.size >= MAX_PAGES)
      throw new BadUpstream('The server lists its tools without an end.');
    cursors.add(cursor);
  }
}

/** True when nothing lies deeper than code that walks through it can go. */
function isShallow(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}
