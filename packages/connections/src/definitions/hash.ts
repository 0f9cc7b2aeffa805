/** The hash of what a person agrees to when they agree to a tool. */
import { createHash } from 'node:crypto';
import type { Skill } from '@parley/kit';
import { toJson } from '@parley/store';
import type { Definition, UpstreamTool } from '../upstream.ts';

/** Hashes of UI documents, by URI. */
export type DocumentHashes = Readonly<Record<string, string>>;

/**
 * The hash of name, words, schemas and hints, whatever the order of their keys; of a tool with a UI also what says
 * which one, and the hash of that document, since a frame that changes is another tool. So is one that stands for
 * another request to a service.
 */
export function definitionHash(tool: UpstreamTool, documents: DocumentHashes = {}, request?: string): string {
  const behind = request === undefined ? [] : [{ request }];
  return digest(toJson(sorted([tool.name, ...restOf(tool, documents), ...behind])));
}

/** The same without the name: equal ones differ in nothing else. */
export function namelessHash(tool: UpstreamTool): string {
  return digest(toJson(sorted(restOf(tool, {}))));
}

function restOf(tool: UpstreamTool, documents: DocumentHashes): unknown[] {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  const skill = skillOf(tool);
  const plain = [
    title,
    description,
    inputSchema,
    outputSchema,
    annotations,
    ...(skill === undefined ? [] : [skill]),
  ];
  const ui = uiOf(tool);
  if (ui === undefined) return plain;
  const uri = uiUriOf(tool);
  const document = uri !== undefined && Object.hasOwn(documents, uri) ? documents[uri] : null;
  const template = templateOf(tool);
  return [...plain, ui, document, ...(template === undefined || template === ui ? [] : [template])];
}

const SKILL = 'parley/skill';

/** A skill as pins know it: under the URI of its SKILL.md, with all that it says of itself and of its documents. */
export function pinnedSkill({ uri, frontmatter, resources }: Skill): UpstreamTool {
  const { name: title, description } = frontmatter;
  const inputSchema = { type: 'object' };
  return { name: uri, title, description, inputSchema, _meta: { [SKILL]: { frontmatter, resources } } };
}

/** What a pinned skill says. */
export function skillOf({ _meta = {} }: UpstreamTool): unknown {
  return _meta[SKILL];
}

/** The scheme of pages for apps; nothing else is read for one. */
export const UI_SCHEME = 'ui://';

/** The hash of a page for an app: its contents, and what it may reach, as it is listed and as it is read. */
export function documentHash(contents: unknown, listed: Definition | undefined): string {
  const pages = (Array.isArray(contents) ? contents : []).map((content: unknown) => {
    const { uri, mimeType, text, blob, _meta } = fieldsOf(content);
    return [uri, mimeType, text, blob, fieldsOf(_meta)['ui']];
  });
  return digest(toJson(sorted([pages, fieldsOf(listed?.['_meta'])['ui']])));
}

/** True when a page is the one that stood behind the definition of a tool when that was hashed. */
export function isDocumentOf(tool: { definition: UpstreamTool; hash: string }, hash: string): boolean {
  const uri = uiUriOf(tool.definition);
  return uri !== undefined && definitionHash(tool.definition, { [uri]: hash }) === tool.hash;
}

/** True when a request is the one that stood behind the definition of a tool when that was hashed. */
export function isRequestOf(tool: { definition: UpstreamTool; hash: string }, request: string): boolean {
  return definitionHash(tool.definition, {}, request) === tool.hash;
}

function fieldsOf(value: unknown): Definition {
  // An object has fields, whatever they are.
  return typeof value === 'object' && value !== null ? (value as Definition) : {};
}

/** What a tool says of its UI. */
export function uiOf(tool: UpstreamTool): unknown {
  const { _meta = {} } = tool;
  return _meta['ui'] ?? _meta['ui/resourceUri'] ?? templateOf(tool);
}

/** The same in the words of clients that had apps before the protocol did. */
export function templateOf({ _meta = {} }: UpstreamTool): unknown {
  return _meta['openai/outputTemplate'];
}

/** The document of its UI. */
export function uiUriOf(tool: UpstreamTool): string | undefined {
  const { _meta = {} } = tool;
  const { ui } = _meta;
  const nested = typeof ui === 'object' && ui !== null && 'resourceUri' in ui ? ui.resourceUri : undefined;
  const uri = nested ?? _meta['ui/resourceUri'];
  if (typeof uri === 'string') return uri;
  const template = templateOf(tool);
  // Elsewhere it is no document of the server, and only its address is agreed to.
  return typeof template === 'string' && template.startsWith(UI_SCHEME) ? template : undefined;
}

/** The value with the keys of every object in order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** Of a value, in whatever order its keys stand. */
export function valueDigest(value: unknown): string {
  return digest(toJson(sorted(value)));
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
