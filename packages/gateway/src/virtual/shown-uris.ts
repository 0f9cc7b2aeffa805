/** Documents that a virtual MCP shows under another URI: what its tools say of them is said in that URI too. */
import type { OutsideTool, ToolAnswer } from '@parley/kit';
import { compileAnyTemplate, isToolResult } from '@parley/kit';
import { isObject } from '../messages.ts';
import type { HeldResource } from './holdings.ts';

/** The URI that a document of a member is shown under; undefined: its own. */
export type ShownUri = (uri: string) => string | undefined;

/** The renaming of a member's documents; undefined when all of them keep their URI. */
export function renamesOf(
  renamed: readonly { readonly held: HeldResource; readonly shown: string }[],
): ShownUri | undefined {
  if (renamed.length === 0) return undefined;
  const fixed = new Map<string, string>();
  const templates: ShownUri[] = [];
  for (const { held, shown } of renamed) {
    if (held.item.template === undefined) {
      fixed.set(held.name, shown);
      continue;
    }
    // The same variables in another pattern.
    const [before, after] = [compileAnyTemplate(held.name), compileAnyTemplate(shown)];
    templates.push((uri) => {
      const variables = before.match(uri);
      return variables && after.expand(variables);
    });
  }
  return (uri) => {
    const known = fixed.get(uri);
    if (known !== undefined) return known;
    for (const shownBy of templates) {
      const shown = shownBy(uri);
      if (shown !== undefined) return shown;
    }
    return undefined;
  };
}

/** The URIs that a document of a connection is shown under besides its own. */
export function shownUrisOf(resources: readonly HeldResource[], own: string): string[] {
  return resources.flatMap(({ name, item }) => {
    if (name === item.uri) return [];
    if (item.template === undefined) return item.uri === own ? [name] : [];
    const variables = item.template.match(own);
    return variables === undefined ? [] : [compileAnyTemplate(name).expand(variables)];
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** The tool, with the URIs that its definition and its results name as they are shown. */
export function speakingOf(tool: OutsideTool, shownUri: ShownUri): OutsideTool {
  const { definition } = tool;
  const meta = definition?._meta ?? tool._meta;
  const renamed = meta === undefined ? undefined : metaWith(meta, shownUri);
  return {
    ...tool,
    ...(renamed !== undefined &&
      (definition === undefined ? { _meta: renamed } : { definition: { ...definition, _meta: renamed } })),
    call: async (args, call) => resultWith(await tool.call(args, call), shownUri),
  };
}

/** The page of an app that a tool names, in the place of today and in the older one. */
function metaWith(meta: Fields, shownUri: ShownUri): Fields | undefined {
  const { ui } = meta;
  const flat = meta['ui/resourceUri'];
  const shownFlat = typeof flat === 'string' ? shownUri(flat) : undefined;
  const page = isObject(ui) ? ui.resourceUri : undefined;
  const shownPage = typeof page === 'string' ? shownUri(page) : undefined;
  if (shownFlat === undefined && shownPage === undefined) return undefined;
  return {
    ...meta,
    ...(shownFlat !== undefined && { 'ui/resourceUri': shownFlat }),
    ...(isObject(ui) && shownPage !== undefined && { ui: { ...ui, resourceUri: shownPage } }),
  };
}

function resultWith(answer: ToolAnswer, shownUri: ShownUri): ToolAnswer {
  if (!isToolResult(answer)) return answer;
  const meta = answer._meta === undefined ? undefined : metaWith(answer._meta, shownUri);
  return {
    ...answer,
    ...(meta !== undefined && { _meta: meta }),
    content: answer.content.map((block) => {
      if (block.type === 'resource_link') return { ...block, uri: shownUri(block.uri) ?? block.uri };
      if (block.type !== 'resource') return block;
      const { resource } = block;
      return { ...block, resource: { ...resource, uri: shownUri(resource.uri) ?? resource.uri } };
    }),
  };
}
