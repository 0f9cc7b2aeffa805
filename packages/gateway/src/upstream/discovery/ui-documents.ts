/** The pages for apps that tools name: read with the lists, so that a tool is held when its page is another. */
import type { Definition, Dropped, UpstreamTool } from '@parley/connections';
import { documentHash, UI_SCHEME, uiUriOf } from '@parley/connections';
import { cleaned } from '../clean-result.ts';
import { MAX_UI_DOCUMENTS } from '../limits.ts';
import { UpstreamFault } from '../link.ts';
import type { AskPage } from './pages.ts';

export interface UiDocuments {
  /** Those whose page can be told. */
  readonly tools: readonly UpstreamTool[];
  /** Hashes by URI; undefined: no tool has a page. */
  readonly documents: Readonly<Record<string, string>> | undefined;
}

/** What stands for a page that its server does not have; one that appears later is another. */
const MISSING = 'missing';

/** Reads each page once. A tool whose page is none, or one too many, is left out. */
export async function uiDocuments(
  ask: AskPage,
  {
    tools,
    resources,
  }: { readonly tools: readonly UpstreamTool[]; readonly resources: readonly Definition[] },
  dropped: Dropped[],
): Promise<UiDocuments> {
  const documents: Record<string, string> = {};
  const kept: UpstreamTool[] = [];
  let count = 0;
  for (const tool of tools) {
    const uri = uiUriOf(tool);
    const isKnown = uri === undefined || Object.hasOwn(documents, uri);
    const reason = isKnown ? undefined : refusal(uri, count);
    if (reason !== undefined) {
      dropped.push({ kind: 'tools', name: tool.name, reason });
      continue;
    }
    kept.push(tool);
    if (isKnown) continue;
    count += 1;
    documents[uri] = await hashOf(ask, uri, resources);
  }
  return { tools: kept, documents: count === 0 ? undefined : documents };
}

function refusal(uri: string, count: number): string | undefined {
  if (!uri.startsWith(UI_SCHEME)) return `Its page for an app is no document of ${UI_SCHEME}.`;
  if (count >= MAX_UI_DOCUMENTS) return `There are more than ${MAX_UI_DOCUMENTS} pages for apps.`;
  return undefined;
}

async function hashOf(ask: AskPage, uri: string, resources: readonly Definition[]): Promise<string> {
  try {
    const { contents } = await ask('resources/read', { uri });
    const listed = resources.find((resource) => resource['uri'] === uri);
    // As it is passed on, so that the two can be compared.
    return documentHash(cleaned(contents, []), listed);
  } catch (error) {
    if (error instanceof UpstreamFault && error.kind === 'rpc') return MISSING;
    throw error;
  }
}
