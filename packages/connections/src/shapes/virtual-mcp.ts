/** A virtual MCP as it is made, and as its readers see it. */
import { GivenId } from '@parley/kit';
import * as z from 'zod';
import { audit } from './connection.ts';
import { ToolOverrides } from './tool-override.ts';

// Published once for its three uses.
const names = z.array(z.string().min(1).max(2000)).max(2000).nullable().meta({ id: 'Names' });

const Child = z.strictObject({
  connection_id: GivenId,
  selected_tools: names.optional().describe('null: all'),
  selected_resources: names.optional().describe('URIs, * and **'),
  selected_prompts: names.optional(),
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,23}$/, { error: 'must be 1 to 24 letters, digits, _ and -' })
    .nullable()
    .optional()
    .describe('Before its names'),
  // Published in brief: what it takes is in the docs, and a wrong field is named.
  overrides: z
    .record(z.string(), z.unknown())
    .pipe(ToolOverrides)
    .nullable()
    .optional()
    .describe('By tool: title, description, stricter, defaults, fixed, resultBudget'),
});

export const VirtualMcpCreate = z.strictObject({
  title: z.string().min(1).max(255),
  description: z.string().max(2000).nullable().optional(),
  icon: z.string().max(2000).nullable().optional(),
  status: z.enum(['active', 'inactive']).optional(),
  metadata: z
    .strictObject({ instructions: z.string().max(20_000).nullable().optional() })
    .nullable()
    .optional(),
  connections: z.array(Child).max(200),
});
export type VirtualMcpCreate = z.output<typeof VirtualMcpCreate>;

export const VirtualMcpUpdate = VirtualMcpCreate.partial();
export type VirtualMcpUpdate = z.output<typeof VirtualMcpUpdate>;

export const VirtualMcp = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  status: z.enum(['active', 'inactive', 'error']),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  connections: z.array(
    z.object({
      connection_id: z.string(),
      selected_tools: z.array(z.string()).nullable(),
      selected_resources: z.array(z.string()).nullable(),
      selected_prompts: z.array(z.string()).nullable(),
      prefix: z.string().optional(),
      overrides: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  collisions: z
    .array(
      z.object({
        exposed_name: z.string(),
        connection_id: z.string(),
        upstream_name: z.string(),
        winner_connection_id: z.string(),
      }),
    )
    .optional(),
  notes: z.array(z.string()).optional(),
  ...audit,
});
export type VirtualMcp = z.output<typeof VirtualMcp>;
export type Member = VirtualMcp['connections'][number];
