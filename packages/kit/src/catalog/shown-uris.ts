/** Documents that are shown under another URI: what definitions and results say of them is said in that URI too. */
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/server';

/** The URI that a document is shown under; undefined: its own. */
export type ShownUri = (uri: string) => string | undefined;

type Fields = Readonly<Record<string, unknown>>;

/** Metadata whose page for an app is shown elsewhere, in the place of today and in the older one; undefined: none is. */
export function metaInShownUris(meta: Fields, shownUri: ShownUri): Fields | undefined {
  const { ui } = meta;
  const flat = meta['ui/resourceUri'];
  const shownFlat = typeof flat === 'string' ? shownUri(flat) : undefined;
  const page = isFields(ui) ? ui['resourceUri'] : undefined;
  const shownPage = typeof page === 'string' ? shownUri(page) : undefined;
  if (shownFlat === undefined && shownPage === undefined) return undefined;
  return {
    ...meta,
    ...(shownFlat !== undefined && { 'ui/resourceUri': shownFlat }),
    ...(isFields(ui) && shownPage !== undefined && { ui: { ...ui, resourceUri: shownPage } }),
  };
}

/** A result whose links and embedded documents are as they are shown; what is no such thing passes as it is. */
export function resultInShownUris(result: CallToolResult, shownUri: ShownUri): CallToolResult {
  const { _meta: meta, content } = result;
  const renamed = isFields(meta) ? metaInShownUris(meta, shownUri) : undefined;
  return {
    ...result,
    ...(renamed !== undefined && { _meta: renamed }),
    // Another server wrote it, and nobody has looked at its blocks yet.
    ...(Array.isArray(content) && { content: content.map((block) => blockInShownUris(block, shownUri)) }),
  };
}

/** A prompt whose links and embedded documents are as they are shown. */
export function promptInShownUris(result: GetPromptResult, shownUri: ShownUri): GetPromptResult {
  const messages = result.messages.map((message) => ({
    ...message,
    content: blockInShownUris(message.content, shownUri),
  }));
  return { ...result, messages };
}

type Content = ReadResourceResult['contents'][number];

/** One content of a document, under the URI that it is shown under. */
export function contentInShownUris(content: Content, shownUri: ShownUri): Content {
  const meta = isFields(content._meta) ? metaInShownUris(content._meta, shownUri) : undefined;
  return { ...content, ...(meta !== undefined && { _meta: meta }), ...placeOf(content.uri, shownUri) };
}

type Block = CallToolResult['content'][number];

function blockInShownUris(block: Block, shownUri: ShownUri): Block {
  if (!isFields(block)) return block;
  const meta = isFields(block._meta) ? metaInShownUris(block._meta, shownUri) : undefined;
  const named = meta === undefined ? block : { ...block, _meta: meta };
  if (named.type === 'resource_link') return { ...named, ...placeOf(named.uri, shownUri) };
  if (named.type !== 'resource' || !isFields(named.resource)) return named;
  return { ...named, resource: { ...named.resource, ...placeOf(named.resource.uri, shownUri) } };
}

function placeOf(uri: unknown, shownUri: ShownUri): { uri?: string } {
  const shown = typeof uri === 'string' ? shownUri(uri) : undefined;
  return shown === undefined ? {} : { uri: shown };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
