/** What a plugin says about itself: checked field by field, since nothing makes it tell the truth. */
import type { Effect } from '@parley/kit';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import { checkedInputSchema } from './input-schema.ts';

/** What a plugin can be granted. */
export const CAPABILITIES = [
  'db:read',
  'network:outbound',
  'fs:project-dir',
  'agent:read',
  'session:read',
] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** A tool of a plugin. */
export interface PluginTool {
  /** As the plugin knows it. */
  readonly name: string;
  /** As everybody else knows it. */
  readonly fullName: string;
  readonly description: string;
  readonly effect: Effect;
  readonly external: boolean;
  readonly isBlocked: boolean;
  readonly inputSchema: Record<string, unknown> & { readonly type: 'object' };
}

/** A plugin, as far as it was believed. */
export interface PluginFacts {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly capabilities: readonly Capability[];
  readonly tools: readonly PluginTool[];
}

export const PLUGIN_NAME = /^[a-z][a-z0-9-]{0,49}$/;
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]{1,100})?$/;
const LONGEST_NAME = 100;
const MOST_TOOLS = 100;

const Manifest = z.object({
  name: z
    .string()
    .max(100)
    .regex(PLUGIN_NAME, 'must be lower case letters, digits and dashes, a letter first'),
  version: z.string().max(130).regex(VERSION, 'must be a version such as 1.2.3'),
  description: z.string().max(1000),
  author: z.string().max(200),
  capabilities: z.array(z.enum(CAPABILITIES)).max(20).default([]),
});

const Tool = z.object({
  name: z
    .string()
    .max(LONGEST_NAME)
    .regex(/^[a-z][a-z0-9_]*$/, 'must be lower case letters, digits and _, a letter first'),
  description: z.string().min(1).max(2000),
  effect: z.enum(['read', 'create', 'update', 'delete', 'run']),
  external: z.boolean().optional(),
  unattended: z.literal('block').optional(),
  inputSchema: z.unknown(),
});

const Described = z.object({ manifest: Manifest, tools: z.array(Tool).max(MOST_TOOLS) });

/** Reads what a process said about its plugin; throws `invalid` with the field that is wrong. */
export function readFacts(described: unknown): PluginFacts {
  const parsed = Described.safeParse(described);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ToolError(
      'invalid',
      `${issue?.path.join('.') ?? 'manifest'}: ${issue?.message ?? 'not valid'}`,
    );
  }
  const { manifest, tools } = parsed.data;
  const seen = new Set<string>();
  return {
    ...manifest,
    capabilities: [...new Set(manifest.capabilities)],
    tools: tools.map(({ name, description, unattended, external = false, ...tool }) => {
      const fullName = fullNameOf(manifest.name, name);
      if (fullName.length > LONGEST_NAME)
        throw new ToolError('invalid', `tools: ${fullName} has more than ${LONGEST_NAME} characters`);
      if (seen.has(fullName)) throw new ToolError('invalid', `tools: ${name} is there twice`);
      seen.add(fullName);
      return {
        ...tool,
        name,
        fullName,
        external,
        description: `[${manifest.name}] ${description}`,
        isBlocked: unattended === 'block',
        inputSchema: checkedInputSchema(tool.inputSchema, name),
      };
    }),
  };
}

function fullNameOf(plugin: string, tool: string): string {
  return `corvid_plugin_${plugin.replaceAll('-', '_')}_${tool}`;
}
