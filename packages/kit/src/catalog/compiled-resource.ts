/** One resource as the catalog holds it: its wire definition, and what reads and completes it. */
import type {
  ReadResourceResult,
  Resource as WireResource,
  ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { guardOf } from '../access/availability.ts';
import type { Guarded } from '../access/resolver.ts';
import type { Call } from '../call/call.ts';
import { badAnswer, outsideContext, throughRounds } from '../call/outside.ts';
import { refuseUnspecified } from '../call/spec-shape.ts';
import type { ContextCall } from '../channel/call-context.ts';
import { CallContext } from '../channel/call-context.ts';
import type { OutsideCompletion, OutsidePrompt, OutsideResource } from '../define/outside-document.ts';
import type { AnyPrompt } from '../define/prompt.ts';
import type { AnyResource, Completer, ResourceContent } from '../define/resource.ts';
import type { Skill } from '../define/skill.ts';
import type { ShownUri } from './shown-uris.ts';
import { contentInShownUris } from './shown-uris.ts';
import type { UriTemplate } from './uri-template.ts';
import { compileAnyTemplate } from './uri-template.ts';

/** As many suggestions as one answer may have. */
export const MOST_COMPLETIONS = 100;

type Variables = Readonly<Record<string, string>>;

/** What a read gives: the contents, and what a server of its own says besides. */
export interface Reading {
  readonly [field: string]: unknown;
  readonly contents: readonly ResourceContent[];
}

/** Suggests values for a variable or an argument. */
export type Complete = (
  argument: string,
  typed: string,
  call: ContextCall,
  filled?: Readonly<Record<string, string>>,
) => Promise<OutsideCompletion>;

/** A resource ready to be listed, guarded and read. */
export interface CatalogResource extends Guarded {
  /** The URI, or the pattern of a template, as it is shown. */
  readonly uri: string;
  readonly template: UriTemplate | undefined;
  readonly mimeType: string | undefined;
  readonly definition: WireResource | ResourceTemplateType;
  read(uri: string, variables: Variables, call: Call): Promise<Reading>;
  /** True: its server completes its variables. */
  readonly completes?: boolean;
  complete: Complete;
  /** The same under another URI. */
  renamed(uri: string): CatalogResource;
  /** The same, which names other documents by the URIs that they are shown under. */
  speaking(shownUri: ShownUri): CatalogResource;
  /** True: no list shows it, though it can be read. */
  readonly unlisted?: boolean;
  /** The skill whose SKILL.md it is, in the URIs of its own server. */
  readonly skill?: Skill;
  /** The URI of its own server; undefined for a template. */
  readonly ownFixedUri: string | undefined;
  /** True: it is shown under another URI than its own. */
  readonly isRenamed: boolean;
  /** What its own server calls a URI that is shown here. */
  ownUri(uri: string, variables: Variables): string;
  /** What a URI of its own is shown as; undefined when that is the same, or when it is no URI of this resource. */
  aliasOf(uri: string): string | undefined;
}

/** Compiles a resource; `shown` is the URI it is shown under, when that is not its own. */
export function compileResource(
  resource: (AnyResource | OutsideResource) & { readonly shown?: string },
  toolset: string,
  services: unknown,
  shown = resource.shown ?? resource.uri,
  shownUri?: ShownUri,
): CatalogResource {
  const own = resource.template;
  const isRenamed = shown !== resource.uri;
  const isOutside = resource.kind === 'outside-resource';
  const template = own !== undefined && isRenamed ? renamedTemplate(own, shown) : own;
  const ownUriOf = (uri: string, variables: Variables) =>
    isRenamed ? (own?.expand(variables) ?? resource.uri) : uri;
  return {
    ...guardOf(resource, { name: resource.name, toolset, services }),
    uri: shown,
    ownFixedUri: own === undefined ? resource.uri : undefined,
    isRenamed,
    ...(isOutside && resource.unlisted === true && { unlisted: true }),
    ...(isOutside && resource.skill !== undefined && { skill: resource.skill }),
    template,
    mimeType: resource.kind === 'resource' ? resource.mimeType : undefined,
    definition: resourceDefinition(resource, shown),
    async read(uri, variables, call) {
      if (resource.kind === 'resource') {
        return { contents: [await resource.read(variables, new CallContext(call, services))].flat() };
      }
      const ownUri = ownUriOf(uri, variables);
      return throughRounds(call, services, {
        enter: (outside) => resource.read(ownUri, outside),
        finished: (answer) => readingOf(answer, { ownUri, uri, shownUri }),
        abandon: (state) => resource.abandon?.(state),
      });
    },
    ownUri: ownUriOf,
    ...(own !== undefined &&
      resource.kind === 'outside-resource' &&
      resource.complete !== undefined && { completes: true }),
    complete: completeWith(resource, services),
    renamed: (uri) => compileResource(resource, toolset, services, uri, shownUri),
    speaking: (uris) => compileResource(resource, toolset, services, shown, uris),
    aliasOf(uri) {
      if (!isRenamed) return undefined;
      if (own === undefined) return uri === resource.uri ? shown : undefined;
      const variables = own.match(uri);
      return variables && template?.expand(variables);
    },
  };
}

/** The template under another pattern; what its own one would not take is not taken either. */
function renamedTemplate(own: UriTemplate, shown: string): UriTemplate {
  const template = compileAnyTemplate(shown);
  return {
    ...template,
    match(uri) {
      const variables = template.match(uri);
      return variables !== undefined && own.match(own.expand(variables)) !== undefined
        ? variables
        : undefined;
    },
  };
}

function resourceDefinition(
  resource: AnyResource | OutsideResource,
  shown: string,
): WireResource | ResourceTemplateType {
  const place = resource.template === undefined ? { uri: shown } : { uriTemplate: shown };
  if (resource.kind !== 'resource') return { ...resource.definition, ...place };
  const { name, title, description, mimeType, _meta } = resource;
  return {
    ...place,
    name,
    title,
    description,
    ...(mimeType !== undefined && { mimeType }),
    ...(_meta !== undefined && { _meta }),
  };
}

/** What another server gave for a read, under the URI that the client asked for. */
async function readingOf(
  answer: Readonly<Record<string, unknown>>,
  { ownUri, uri, shownUri }: { ownUri: string; uri: string; shownUri: ShownUri | undefined },
): Promise<Reading> {
  if (
    !Array.isArray(answer.contents) ||
    answer.contents.some((content) => typeof content !== 'object' || !content)
  )
    throw badAnswer('contents is not a list of objects');
  await refuseUnspecified('ReadResourceResult', answer);
  // Just looked at, field by field.
  const { contents, ...rest } = answer as ReadResourceResult;
  return {
    ...rest,
    // As clients know them, but for fields that the wire may leave undefined.
    contents: contents.map((content) =>
      content.uri === ownUri ? { ...inShownUris(content, shownUri), uri } : inShownUris(content, shownUri),
    ) as ResourceContent[],
  };
}

type Content = ReadResourceResult['contents'][number];

function inShownUris(content: Content, shownUri: ShownUri | undefined): Content {
  return shownUri === undefined ? content : contentInShownUris(content, shownUri);
}

/** Completes with what a definition has for it. */
export function completeWith(
  item: AnyResource | AnyPrompt | OutsideResource | OutsidePrompt,
  services: unknown,
): Complete {
  return async (argument, typed, call, filled) => {
    if (item.kind === 'outside-resource' || item.kind === 'outside-prompt') {
      const given = await item.complete?.(argument, typed, outsideContext(call, services), filled);
      return completionOf(given ?? []);
    }
    const completers: Readonly<Record<string, Completer<unknown>>> = item.complete ?? {};
    const completer = Object.hasOwn(completers, argument) ? completers[argument] : undefined;
    return counted(completer === undefined ? [] : await completer(typed, new CallContext(call, services)));
  };
}

/** Suggestions that are all there are. */
function counted(values: readonly string[]): OutsideCompletion {
  return { values, total: values.length, hasMore: values.length > MOST_COMPLETIONS };
}

function completionOf(given: OutsideCompletion | string[]): OutsideCompletion {
  const { values, total, hasMore } = Array.isArray(given) ? counted(given) : given;
  if (!Array.isArray(values) || values.some((value) => typeof value !== 'string'))
    throw badAnswer('completions are not a list of texts');
  return {
    // Just looked at, one by one.
    values: values as string[],
    ...(Number.isSafeInteger(total) && { total }),
    ...(typeof hasMore === 'boolean' && { hasMore }),
  };
}
