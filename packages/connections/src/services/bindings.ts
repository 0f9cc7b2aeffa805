/** Bindings: what a connection must have to be used as something, matched against its known catalog. */
import { ToolError } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import * as z from 'zod';
import type { ConnectionTables } from '../schema.ts';
import type { UpstreamTool } from '../upstream.ts';

const collection = (noun: string, ...operations: string[]) =>
  operations.map((operation) => `COLLECTION_${noun}_${operation}`);

/** The bindings that have a name, by the tools they ask for. */
const WELL_KNOWN: Readonly<Record<string, readonly string[]>> = {
  LLM: [...collection('LLM', 'LIST', 'GET'), 'LLM_METADATA', 'LLM_DO_STREAM', 'LLM_DO_GENERATE'],
  // Servers whose assistants are fixed have no tools that change them.
  ASSISTANTS: collection('ASSISTANT', 'LIST', 'GET'),
  OBJECT_STORAGE: [
    'LIST_OBJECTS',
    'GET_OBJECT_METADATA',
    'GET_PRESIGNED_URL',
    'PUT_PRESIGNED_URL',
    'DELETE_OBJECT',
    'DELETE_OBJECTS',
  ],
};

const ToolShape = z.strictObject({
  inputSchema: z.record(z.string(), z.unknown()).optional(),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
});

const Shapes = z
  .record(z.string().min(1).max(200), ToolShape)
  .refine((tools) => Object.keys(tools).length <= 50, { error: 'must have at most 50 tools' });

/** A well-known name, or tools with the fields that their schemas must have; published as any object. */
export const Binding = z.union([z.string().max(64), z.record(z.string(), z.unknown()).pipe(Shapes)]);
export type Binding = z.output<typeof Binding>;

type Shapes = Readonly<z.output<typeof Shapes>>;

function shapesOf(binding: Binding): Shapes {
  if (typeof binding !== 'string') return binding;
  const name = binding.toUpperCase();
  const tools = Object.hasOwn(WELL_KNOWN, name) ? WELL_KNOWN[name] : undefined;
  if (tools === undefined)
    throw new ToolError(
      'invalid',
      `binding: there is no binding "${binding}". Use one of: ${Object.keys(WELL_KNOWN).join(', ')}`,
    );
  return Object.fromEntries(tools.map((tool) => [tool, {}]));
}

/** The well-known bindings that a catalog has all tools of. */
export function wellKnownBindingsOf(tools: readonly UpstreamTool[]): string[] {
  const names = new Set(tools.map(({ name }) => name));
  return Object.entries(WELL_KNOWN)
    .filter(([, wanted]) => wanted.every((tool) => names.has(tool)))
    .map(([name]) => name);
}

/** The connections of an organization whose known catalog has everything that a binding asks for. */
export async function connectionsWith(
  from: Queryable,
  organizationId: string,
  binding: Binding,
): Promise<string[]> {
  const shapes = shapesOf(binding);
  const names = Object.keys(shapes);
  if (names.length === 0) throw new ToolError('invalid', 'binding: must name at least one tool');
  const rows = await from
    .db<ConnectionTables>()
    .selectFrom('tool_pins')
    .select(['connection_id', 'tool_name', 'definition'])
    .where('organization_id', '=', organizationId)
    .where('tool_name', 'in', names)
    .where('state', '<>', 'removed')
    .execute();
  const fitting = rows.filter(({ tool_name, definition }) =>
    fits(fromJson(definition), shapes[tool_name] ?? {}),
  );
  const found = Map.groupBy(fitting, ({ connection_id }) => connection_id);
  return [...found].filter(([, tools]) => tools.length === names.length).map(([id]) => id);
}

function fits(tool: UpstreamTool, { inputSchema, outputSchema }: z.output<typeof ToolShape>): boolean {
  return hasFields(tool.inputSchema, inputSchema) && hasFields(tool.outputSchema, outputSchema);
}

/** True when every field that is asked for is there with the type that is asked for. */
function hasFields(
  schema: Readonly<Record<string, unknown>> | undefined,
  wanted: Readonly<Record<string, unknown>> | undefined,
): boolean {
  const fields = propertiesOf(schema);
  return Object.entries(propertiesOf(wanted)).every(([name, field]) => {
    if (!Object.hasOwn(fields, name)) return false;
    const [is, asked] = [typeOf(fields[name]), typeOf(field)];
    return is === undefined || asked === undefined || JSON.stringify(is) === JSON.stringify(asked);
  });
}

function propertiesOf(schema: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const { properties } = schema ?? {};
  return typeof properties === 'object' && properties !== null ? { ...properties } : {};
}

function typeOf(schema: unknown): unknown {
  return typeof schema === 'object' && schema !== null && 'type' in schema ? schema.type : undefined;
}
