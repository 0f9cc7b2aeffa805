/** Looking around in the code of a project. */
import * as z from 'zod';
import { SYMBOL_KINDS } from '../services/code/messages.ts';
import type { AgentServices } from '../services/index.ts';
import { defineTool } from './define-tool.ts';
import { text } from './texts.ts';

const available = ({ code }: AgentServices) => code !== undefined;

const errors = {
  no_project: 'There is no project to look in.',
  outside_project: 'The folder is in no project that you reach.',
  too_large: 'The project has too much code.',
};

const projectDir = text(4096)
  .optional()
  .describe('Id, root or subfolder of a project; your default project if absent');

const place = { file: z.string(), start_line: z.int(), end_line: z.int() };

export const codeSymbols = defineTool({
  name: 'corvid_code_symbols',
  title: 'Find symbols in code',
  description: 'Symbols whose name contains the query, ignoring case: top level and members.',
  effect: 'read',
  available,
  input: z.strictObject({
    query: text(200).describe('Part of the name'),
    project_dir: projectDir,
    kinds: z.array(z.enum(SYMBOL_KINDS)).max(SYMBOL_KINDS.length).optional().describe('Only these kinds'),
    limit: z.int().min(1).max(200).default(50),
  }),
  output: z.object({
    symbols: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(SYMBOL_KINDS),
        exported: z.boolean(),
        ...place,
        parent: z.string().optional(),
        member_count: z.int(),
      }),
    ),
    total: z.int(),
    truncated: z.boolean(),
    index: z.object({ files: z.int(), skipped: z.int(), age_ms: z.int() }),
  }),
  errors,
  async run({ query, project_dir, kinds, limit }, ctx, acting) {
    const { services, signal } = ctx;
    if (services.code === undefined) throw ctx.error('unavailable', OFF);
    const asked = { projectDir: project_dir, query, kinds, limit, signal };
    const { symbols, total, index } = await services.code.symbols(acting, asked);
    return {
      symbols: symbols.map(({ name, kind, exported, file, startLine, endLine, parent, memberCount }) => ({
        name,
        kind,
        exported,
        file,
        start_line: startLine,
        end_line: endLine,
        ...(parent !== undefined && { parent }),
        member_count: memberCount,
      })),
      total,
      truncated: total > symbols.length,
      index: { files: index.files, skipped: index.skipped, age_ms: index.ageMs },
    };
  },
});

export const findReferences = defineTool({
  name: 'corvid_find_references',
  title: 'Find references in code',
  description: 'Every place where a name stands as a whole word, case kept, and where it is defined.',
  effect: 'read',
  available,
  input: z.strictObject({
    symbol_name: text(200)
      .refine((name) => !/\s/.test(name), 'must have no white space')
      .describe('The name, taken literally'),
    project_dir: projectDir,
    limit: z.int().min(1).max(500).default(50),
  }),
  output: z.object({
    definitions: z.array(z.object({ ...place, kind: z.enum(SYMBOL_KINDS) })),
    references: z.array(z.object({ file: z.string(), line: z.int(), column: z.int(), text: z.string() })),
    total: z.int(),
    truncated: z.boolean(),
  }),
  errors,
  async run({ symbol_name: name, project_dir, limit }, ctx, acting) {
    const { services, signal } = ctx;
    if (services.code === undefined) throw ctx.error('unavailable', OFF);
    const asked = { projectDir: project_dir, name, limit, signal };
    const { definitions, references, total } = await services.code.references(acting, asked);
    return {
      definitions: definitions.map(({ file, kind, startLine, endLine }) => ({
        file,
        kind,
        start_line: startLine,
        end_line: endLine,
      })),
      references: [...references],
      total,
      truncated: total > references.length,
    };
  },
});

const OFF = 'Code navigation is off. Start the server with --code-index on.';
