/** Resources and prompts that come from outside: what is listed and what is read are kept word for word. */
import type {
  GetPromptResult,
  Prompt as WirePrompt,
  ReadResourceResult,
  Resource as WireResource,
  ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { Privileged } from '../access/resolver.ts';
import type { InputRequired } from '../call/tool-answer.ts';
import { compileAnyTemplate } from '../catalog/uri-template.ts';
import type { UriTemplate } from '../catalog/uri-template.ts';
import type { OutsideCall } from './outside-tool.ts';

interface OutsideGuard {
  readonly privileged?: Privileged;
  readonly unattended?: 'block';
  available?(services: unknown, caller: Caller): boolean;
  /** Decides in place of grants that name it, by nothing but the power of the caller. */
  heldBy?(caller: Caller): boolean;
  /** The URI or name that it is shown under, where that is not its own. */
  readonly shown?: string;
  /** Suggests values for a variable or an argument, knowing the others that are filled in already. */
  complete?(
    argument: string,
    typed: string,
    call: OutsideCall,
    filled: Readonly<Record<string, string>> | undefined,
  ): Promise<OutsideCompletion | string[]> | OutsideCompletion | string[];
  /** Nobody will answer the question that came with this state: lets go of what waits for it. */
  abandon?(requestState: string): void;
}

/** Suggestions with what their server says about them. */
export interface OutsideCompletion {
  readonly values: readonly string[];
  readonly total?: number | undefined;
  readonly hasMore?: boolean | undefined;
}

/** The literal `defineOutsideResource` takes. */
export interface OutsideResourceSpec extends OutsideGuard {
  /** As its server lists it, with a `uri` or a `uriTemplate`; grants name its `name`. */
  readonly definition: WireResource | ResourceTemplateType;
  /** Reads a URI of its own server, whatever it is shown as here. */
  read(uri: string, call: OutsideCall): Promise<ReadResourceResult | InputRequired>;
}

export interface OutsideResource extends OutsideResourceSpec {
  readonly kind: 'outside-resource';
  readonly name: string;
  readonly description: string;
  readonly uri: string;
  readonly template: UriTemplate | undefined;
}

/** Puts a foreign resource into the same catalog; throws when its template could stand for anything. */
export function defineOutsideResource(spec: OutsideResourceSpec): OutsideResource {
  const { definition } = spec;
  const defined = {
    ...spec,
    kind: 'outside-resource' as const,
    name: definition.name,
    description: definition.description ?? '',
  };
  if ('uri' in definition && typeof definition.uri === 'string')
    return { ...defined, uri: definition.uri, template: undefined };
  // One of the two kinds of definition, and not the one with a fixed URI.
  const { uriTemplate } = definition as ResourceTemplateType;
  return { ...defined, uri: uriTemplate, template: compileAnyTemplate(uriTemplate) };
}

/** The literal `defineOutsidePrompt` takes. */
export interface OutsidePromptSpec extends OutsideGuard {
  readonly definition: WirePrompt;
  get(args: Readonly<Record<string, string>>, call: OutsideCall): Promise<GetPromptResult | InputRequired>;
}

export interface OutsidePrompt extends OutsidePromptSpec {
  readonly kind: 'outside-prompt';
  readonly name: string;
}

/** Puts a foreign prompt into the same catalog. */
export function defineOutsidePrompt(spec: OutsidePromptSpec): OutsidePrompt {
  return { ...spec, kind: 'outside-prompt', name: spec.definition.name };
}
