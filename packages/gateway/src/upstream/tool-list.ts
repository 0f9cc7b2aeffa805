/** The tools of an upstream: all pages, each definition looked at before it is kept. */
import type { UpstreamTool } from '@parley/connections';
import * as z from 'zod';
import type { Asked } from './asking.ts';
import { checked, ToolShape } from './discovery/shapes.ts';
import { BadUpstream } from './faults.ts';
import { MAX_ITEMS, MAX_PAGES } from './limits.ts';

const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(4096).optional() });

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
    if (seen > MAX_ITEMS) throw new BadUpstream(`The server lists more than ${MAX_ITEMS} tools.`);
    for (const given of page.tools) {
      const outcome = checked(ToolShape, given);
      if ('data' in outcome && !tools.has(outcome.data.name)) tools.set(outcome.data.name, outcome.data);
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return [...tools.values()];
    if (cursors.has(cursor) || cursors.size >= MAX_PAGES)
      throw new BadUpstream('The server lists its tools without an end.');
    cursors.add(cursor);
  }
}
