/** Owns the tools that every bench server serves, so that all of them list and validate the same things. */
import * as z from 'zod';

/** One bench tool: the same object on the floor, on the SDK and on Parley. */
export interface BenchTool {
  name: string;
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
  run: (input: Record<string, unknown>) => Record<string, unknown>;
}

/** The hints of a tool that only reads, as every server lists them. */
export const readHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

const VERBS = ['Find', 'Read', 'Count', 'Compare', 'Export'];
const NOUNS = ['invoices', 'tickets', 'releases', 'contacts', 'shipments', 'reports', 'branches'];

const echo: BenchTool = {
  name: 'echo',
  description: 'Answer with the text that was sent.',
  input: z.object({ text: z.string().describe('The text to send back.') }),
  output: z.object({ text: z.string() }),
  run: (input) => ({ text: input['text'] }),
};

/** The first `count` tools: `echo`, then `tool_001`, `tool_002` and so on. */
export function benchTools(count: number): BenchTool[] {
  return [echo, ...Array.from({ length: count - 1 }, (_, index) => filler(index + 1))];
}

function filler(number: number): BenchTool {
  const verb = VERBS[number % VERBS.length];
  const noun = NOUNS[number % NOUNS.length];
  return {
    name: `tool_${String(number).padStart(3, '0')}`,
    description: `${verb} ${noun} of a project.`,
    input: z.object({
      project: z.string().describe('Project id.'),
      query: z.string().describe(`Words in the ${noun}.`),
      limit: z.number().int().min(1).max(100).describe('Most rows to return.'),
    }),
    output: z.object({ ok: z.boolean() }),
    run: () => ({ ok: true }),
  };
}

/** The definition as `tools/list` shows it. */
export function wireDefinition(tool: BenchTool) {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: z.toJSONSchema(tool.input, { io: 'input' }),
    annotations: readHints,
    outputSchema: z.toJSONSchema(tool.output),
  };
}
