/** The shapes of what an upstream lists: one that does not fit is left out alone, with the reason. */
import type { Definition, Dropped, UpstreamTool } from '@parley/connections';
import type { Skill } from '@parley/kit';
import { unkeepableIn } from '@parley/kit';
import * as z from 'zod';
import { keepable } from '../keepable.ts';
import { MAX_DEFINITION_BYTES, MAX_DEPTH } from '../limits.ts';

/** What is listed. */
export type ListKind = Exclude<Dropped['kind'], 'server'>;

const anyObject = z.record(z.string(), z.unknown());
const name = z.string().min(1).max(200);
const title = z.string().max(1000).optional();
const description = z.string().max(50_000).optional();
const uri = z.string().min(1).max(4096);

export const ToolShape = z.object({
  name,
  title,
  description,
  inputSchema: z.looseObject({ type: z.literal('object') }),
  outputSchema: anyObject.optional(),
  annotations: anyObject.optional(),
  icons: z.array(z.unknown()).max(20).optional(),
  execution: anyObject.optional(),
  _meta: anyObject.optional(),
}) satisfies z.ZodType<UpstreamTool>;

const ResourceShape = z.looseObject({ uri, name: z.string().max(1000), title, description });
const TemplateShape = z.looseObject({ uriTemplate: uri, name: z.string().max(1000), title, description });
const PromptShape = z.looseObject({
  name,
  title,
  description,
  arguments: z
    .array(z.looseObject({ name, title, description, required: z.boolean().optional() }))
    .max(200)
    .optional(),
});

const SKILL_FILE = '/SKILL.md';
const MOST_FILES = 512;
const MOST_BYTES = 16 * 1024 * 1024;
const SkillFile = z.object({
  uri: z.string().min(1).max(1000),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/, { error: 'is no digest' }),
  size: z.int().min(0).max(MOST_BYTES),
});
const SkillShape = z
  .object({
    uri: z.string().min(1).max(500).endsWith(SKILL_FILE),
    frontmatter: z.looseObject({ name, description: z.string().max(50_000) }),
    resources: z.union([z.literal('dynamic'), z.array(SkillFile).min(1).max(MOST_FILES)]),
  })
  .refine(({ uri: own, frontmatter }) => own.endsWith(`/${frontmatter.name}${SKILL_FILE}`), {
    error: 'Its folder has another name than the skill.',
  })
  .refine(({ uri: own, resources }) => resources === 'dynamic' || isWhole(own, resources), {
    error: 'Its resources are not all in its folder, each once and with SKILL.md, or are too large.',
  }) satisfies z.ZodType<Skill>;

function isWhole(own: string, files: readonly z.output<typeof SkillFile>[]): boolean {
  const folder = own.slice(0, -SKILL_FILE.length + 1);
  const uris = new Set(files.map((file) => file.uri));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const isInside = files.every((file) => file.uri.startsWith(folder));
  return isInside && uris.has(own) && uris.size === files.length && bytes <= MOST_BYTES;
}

/** How each kind is asked for, what it must look like, and what makes it one of its kind. */
export const LISTS = {
  tools: { method: 'tools/list', field: 'tools', shape: ToolShape, key: 'name' },
  resources: { method: 'resources/list', field: 'resources', shape: ResourceShape, key: 'uri' },
  templates: {
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    shape: TemplateShape,
    key: 'uriTemplate',
  },
  prompts: { method: 'prompts/list', field: 'prompts', shape: PromptShape, key: 'name' },
  skills: { method: 'skills/list', field: 'skills', shape: SkillShape, key: 'uri' },
} as const satisfies Record<
  ListKind,
  { method: string; field: string; shape: z.ZodType<Definition>; key: string }
>;

/** The definition, or why it is none. */
export function checked<T>(shape: z.ZodType<T>, given: unknown): { readonly data: T } | { reason: string } {
  if (!isShallow(given)) return { reason: `It is nested deeper than ${MAX_DEPTH} levels.` };
  if (Buffer.byteLength(JSON.stringify(given) ?? '') > MAX_DEFINITION_BYTES)
    return { reason: `It has more than ${MAX_DEFINITION_BYTES} bytes.` };
  // One text that no database takes would keep the whole catalog as it was.
  const unkeepable = unkeepableIn(given);
  if (unkeepable !== undefined) return { reason: keepable(unkeepable).slice(0, 200) };
  const { data, error } = shape.safeParse(given);
  if (data !== undefined) return { data };
  const [issue] = error?.issues ?? [];
  return { reason: `${issue?.path.join('.').slice(0, 100)}: ${issue?.message}` };
}

/** True when nothing lies deeper than code that walks through it can go. */
export function isShallow(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}
