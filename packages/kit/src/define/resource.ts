/** Readable documents with a URI: fixed ones and templates. */
import type { Caller } from '../access/caller.ts';
import type { Context } from './context.ts';
import { compileTemplate } from '../catalog/uri-template.ts';
import type { UriTemplate } from '../catalog/uri-template.ts';
import type { Privileged } from '../access/resolver.ts';

/** What a read gives back; `uri` and `mimeType` default to the resource's own. */
export type ResourceContent =
  | { readonly text: string; readonly uri?: string; readonly mimeType?: string }
  | { readonly blob: string; readonly uri?: string; readonly mimeType?: string };

/** Suggests values for one variable of a template or argument of a prompt. */
export type Completer<Services> = (typed: string, ctx: Context<Services>) => Promise<string[]> | string[];

/** The literal `defineResource` takes. */
export interface ResourceSpec<Services> {
  /** What grants name; unique within its toolset. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType?: string;
  /** Listed as it is. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** A fixed URI, or a template with `{variables}`. */
  readonly uri: string;
  readonly privileged?: Privileged;
  readonly unattended?: 'block';
  /** `agents`: only callers that act as an agent have it. */
  readonly callers?: 'agents';
  available?(services: Services, caller: Caller): boolean;
  readonly complete?: Readonly<Record<string, Completer<Services>>>;
  read(
    variables: Readonly<Record<string, string>>,
    ctx: Context<Services>,
  ): Promise<ResourceContent | ResourceContent[]> | ResourceContent | ResourceContent[];
}

export interface Resource<Services = unknown> extends ResourceSpec<Services> {
  readonly kind: 'resource';
  /** Present when the URI has variables. */
  readonly template: UriTemplate | undefined;
}

/** Any resource, whatever its services. */
// oxlint-disable-next-line typescript/no-explicit-any -- a heterogeneous list has no common services type
export type AnyResource = Resource<any>;

/** Defines a resource; a URI with `{variables}` becomes a template. */
export function defineResource<Services = unknown>(spec: ResourceSpec<Services>): Resource<Services> {
  const template = spec.uri.includes('{') ? compileTemplate(spec.uri) : undefined;
  return { ...spec, kind: 'resource', template };
}
