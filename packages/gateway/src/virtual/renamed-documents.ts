/** Documents that virtual MCPs show under another URI, from the one to the other. */
import { compileTemplate } from '@parley/kit';
import type { HeldResource } from './holdings.ts';

/** The URIs that a document of a connection is shown under besides its own. */
export function shownUrisOf(resources: readonly HeldResource[], own: string): string[] {
  return renamed(resources).flatMap(({ name, item }) => {
    if (item.template === undefined) return item.uri === own ? [name] : [];
    const variables = item.template.match(own);
    return variables === undefined ? [] : [compileTemplate(name).expand(variables)];
  });
}

/** The documents of connections that a URI stands for which is not their own. */
export function ownUriOf(
  resources: readonly HeldResource[],
  shown: string,
): { readonly connectionId: string; readonly uri: string }[] {
  return renamed(resources).flatMap(({ name, item, place }) => {
    const at = { connectionId: place.toolset };
    if (item.template === undefined) return name === shown ? [{ ...at, uri: item.uri }] : [];
    const variables = compileTemplate(name).match(shown);
    return variables === undefined ? [] : [{ ...at, uri: item.template.expand(variables) }];
  });
}

function renamed(resources: readonly HeldResource[]): HeldResource[] {
  return resources.filter(({ name, item }) => name !== item.uri);
}
