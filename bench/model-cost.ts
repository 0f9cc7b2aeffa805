/** Owns P10: what a model pays to read the list of tools, and ten notes. */
import { describeOwn } from '../apps/server/src/start/describe.ts';
import { countTokens, shop, tokensOf } from '../test/product/ordinary-notes.ts';
import { ruled } from './verdict.ts';
import type { Verdict } from './verdict.ts';

/** Averages over the tools of all own toolsets, and one list of ten notes. */
export interface ModelCost {
  tools: number;
  toolBytes: number;
  toolTokens: number;
  outputBytes: number;
  /** The same for the tools that an owner sees without naming any. */
  everyday: { tools: number; toolBytes: number; toolTokens: number };
  noteTokens: number;
}

/** Counts what the built-in toolsets publish and what the annotation tools answer. */
export async function measureModelCost(): Promise<ModelCost> {
  const { catalog } = await describeOwn();
  const all = catalog.tools.map(({ json }) => json);
  const everyday = catalog.tools.filter(({ privileged }) => privileged !== 'by-name').map(({ json }) => json);
  await using scene = await shop();
  const notes = await scene.agent.raw.callTool({ name: 'get_all_pending', arguments: {} });
  return {
    tools: all.length,
    toolBytes: average(all, Buffer.byteLength),
    toolTokens: average(all, countTokens),
    outputBytes: average(all, outputBytes),
    everyday: {
      tools: everyday.length,
      toolBytes: average(everyday, Buffer.byteLength),
      toolTokens: average(everyday, countTokens),
    },
    noteTokens: tokensOf(notes),
  };
}

/** Judges the averages and the notes. */
export function judgeModelCost(cost: ModelCost | undefined): Verdict[] {
  const rule = { id: 'P10', better: 'lower' } as const;
  const everyday = cost && {
    text: `${cost.tools} tools; the ${cost.everyday.tools} of every day ${cost.everyday.toolBytes} bytes, ${cost.everyday.toolTokens} tokens`,
    isBroken: false,
  };
  return [
    ruled(
      { ...rule, what: 'tools/list, bytes per tool', limit: 950, unit: ' bytes' },
      cost?.toolBytes,
      everyday,
    ),
    ruled({ ...rule, what: 'tools/list, tokens per tool', limit: 240, unit: ' tokens' }, cost?.toolTokens),
    ruled({ ...rule, what: 'output schema, bytes per tool', limit: 300, unit: ' bytes' }, cost?.outputBytes),
    ruled({ ...rule, what: 'ten annotation notes', limit: 1200, unit: ' tokens' }, cost?.noteTokens),
  ];
}

function outputBytes(json: string): number {
  // Written by the catalog, which gives every tool of ours an output.
  const { outputSchema } = JSON.parse(json) as { outputSchema: object };
  return Buffer.byteLength(JSON.stringify(outputSchema));
}

function average(items: readonly string[], sizeOf: (item: string) => number): number {
  const total = items.reduce((sum, item) => sum + sizeOf(item), 0);
  return Number((total / items.length).toFixed(1));
}
