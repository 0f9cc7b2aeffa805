/** Whether an override still fits the definition that it was written for. */
import { faultsAgainst, schemaCost } from '@parley/kit';
import type { ToolOverride } from '../shapes/tool-override.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Why an override cannot be applied to a tool with these inputs; undefined: it can. */
export async function misfitOf(
  { defaults = {}, fixed = {} }: ToolOverride,
  inputSchema: Schema,
): Promise<string | undefined> {
  const given = { ...defaults, ...fixed };
  const names = Object.keys(given);
  if (names.length === 0) return undefined;
  const { properties } = inputSchema;
  const known = typeof properties === 'object' && properties !== null ? properties : {};
  const unknown = names.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) return `it has no argument "${unknown}" now`;
  // An upstream wrote the schema: what may take long is found out with the first call, which has limits.
  if (schemaCost(inputSchema) === undefined) return undefined;
  try {
    // The other arguments come with the call.
    const faultOf = await faultsAgainst({ ...inputSchema, required: [] });
    return faultOf(given);
  } catch {
    return 'its input schema cannot be read';
  }
}
