/** The tools of a toolset, found in the modules that define them. */
import type { AnyTool } from './tool.ts';

type Exported<Module> = Module extends unknown ? Module[keyof Module] : never;

/**
 * Every tool that the modules export, sorted by name; whatever else they export is passed over.
 *
 * @example
 * import * as posts from './tools/posts.ts';
 * const tools = toolsIn(posts, comments);
 */
export function toolsIn<const Modules extends readonly object[]>(
  ...modules: Modules
): readonly Extract<Exported<Modules[number]>, AnyTool>[] {
  const found = modules.flatMap((module) => Object.values(module)).filter(isTool);
  // Filtered to the tools among what the modules export.
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1)) as never;
}

function isTool(value: unknown): value is AnyTool {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'tool';
}
