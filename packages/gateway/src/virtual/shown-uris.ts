/** Documents that a virtual MCP shows under another URI: what its tools say of them is said in that URI too. */
import type { OutsideTool, ShownUri } from '@parley/kit';
import { compileAnyTemplate, isToolResult, metaInShownUris, resultInShownUris } from '@parley/kit';
import type { HeldResource } from './holdings.ts';

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

/** The tool, with the URIs that its definition and its results name as they are shown. */
export function speakingOf(tool: OutsideTool, shownUri: ShownUri): OutsideTool {
  const { definition } = tool;
  const meta = definition?._meta ?? tool._meta;
  const renamed = meta === undefined ? undefined : metaInShownUris(meta, shownUri);
  return {
    ...tool,
    ...(renamed !== undefined &&
      (definition === undefined ? { _meta: renamed } : { definition: { ...definition, _meta: renamed } })),
    async call(args, call) {
      const answer = await tool.call(args, call);
      return isToolResult(answer) ? resultInShownUris(answer, shownUri) : answer;
    },
  };
}
