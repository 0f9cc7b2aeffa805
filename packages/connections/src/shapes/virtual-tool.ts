/** A virtual tool as it is made, and as its readers see it. */
import { GivenId } from '@parley/kit';
import * as z from 'zod';
import { audit } from './connection.ts';

const anyObject = z.record(z.string(), z.unknown());

export const ToolName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'must be 1 to 64 of A-Z, a-z, 0-9, _ and -' });

// It is shown as it is given, and no name that is shown begins with _; older tools may still have one.
const NewToolName = z.string().regex(/^[A-Za-z0-9-][A-Za-z0-9_-]{0,63}$/, {
  error: 'must be 1 to 64 of A-Z, a-z, 0-9, _ and -, and must not begin with _',
});

const Annotations: z.ZodType<Partial<Record<string, string | boolean>>, Record<string, unknown>> = z
  .strictObject({
    title: z.string().max(255),
    readOnlyHint: z.boolean(),
    destructiveHint: z.boolean(),
    idempotentHint: z.boolean(),
    openWorldHint: z.boolean(),
  })
  .partial();

export const VirtualToolCreate = z.strictObject({
  name: NewToolName,
  description: z.string().max(2000).nullable().optional(),
  inputSchema: anyObject.describe('JSON Schema'),
  outputSchema: anyObject.nullable().optional(),
  annotations: z
    .record(z.string(), z.unknown())
    .pipe(Annotations)
    .nullable()
    .optional()
    .describe('MCP tool annotations'),
  code: z.string().min(1).max(100_000).describe('export default (tools, args) => ...'),
  connection_dependencies: z.array(GivenId).max(200).optional().describe('Ids of connections it calls'),
});
export type VirtualToolCreate = z.output<typeof VirtualToolCreate>;

export const VirtualToolUpdate = VirtualToolCreate.partial();
export type VirtualToolUpdate = z.output<typeof VirtualToolUpdate>;

export const VirtualTool = z.object({
  id: z.string(),
  virtual_mcp_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  inputSchema: anyObject,
  outputSchema: anyObject.nullable(),
  annotations: anyObject,
  code: z.string(),
  connection_dependencies: z.array(z.string()),
  ...audit,
});
export type VirtualTool = z.output<typeof VirtualTool>;
