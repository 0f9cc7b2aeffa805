/** What a virtual MCP shows of a member's tool otherwise than its server says. */
import * as z from 'zod';

/** The value of each hint that makes clients more careful. */
const STRICTER = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;

/** The hints of a stricter tool: one that destroys does more than read, whatever its server says of it. */
export function stricterHints(hint: keyof typeof STRICTER): Partial<Record<keyof typeof STRICTER, boolean>> {
  return { ...(hint === 'destructiveHint' && { readOnlyHint: false }), [hint]: STRICTER[hint] };
}

const values = z.record(z.string().min(1).max(200), z.unknown());

export const ToolOverride = z
  .strictObject({
    title: z.string().min(1).max(255),
    description: z.string().max(10_000),
    /** This hint gets the value that makes clients more careful; no hint can be made looser. */
    stricter: z.enum(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']),
    /** Arguments that hold where a call brings none. */
    defaults: values,
    /** Arguments that always hold, and that no caller sees. */
    fixed: values,
    /** Characters of text that a result may have. */
    resultBudget: z.int().min(1_000).max(10_000_000),
  })
  .partial();
export type ToolOverride = z.output<typeof ToolOverride>;

const MOST_BYTES = 256 * 1024;

/** Overrides by the name of the tool. */
export const ToolOverrides: z.ZodType<Record<string, ToolOverride>, Record<string, unknown>> = z
  .record(z.string().min(1).max(2000), ToolOverride)
  .refine((all) => Buffer.byteLength(JSON.stringify(all)) <= MOST_BYTES, {
    error: `must have at most ${MOST_BYTES} bytes`,
  });
