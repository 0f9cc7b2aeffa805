/** What a document becomes: the tools of a service, and how each of them is asked for over HTTP. */
import type { UpstreamTool } from '@parley/connections';

/** How the value of an argument is written into a path, a query, a header or a form. */
export interface Written {
  /** As the service calls it. */
  readonly name: string;
  readonly style: 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json';
  readonly explode: boolean;
}

/** An argument that goes into the address or the headers. */
export interface Input extends Written {
  /** As the tool calls it. */
  readonly property: string;
  readonly place: 'path' | 'query' | 'header';
}

/** What the body is made of: one argument, or a field of each of several. */
export type BodyPlan =
  | { readonly kind: 'json' | 'text'; readonly mediaType: string; readonly property: string }
  | {
      readonly kind: 'json-fields';
      readonly mediaType: string;
      readonly isRequired: boolean;
      readonly fields: readonly { readonly property: string; readonly name: string }[];
    }
  | {
      readonly kind: 'form';
      readonly fields: readonly (Written & { readonly property: string })[];
    };

/** Where the token of a connection goes. */
export type TokenPlace =
  | { readonly in: 'bearer' | 'basic' }
  | { readonly in: 'header' | 'query' | 'cookie'; readonly name: string };

/** The request behind a tool. */
export interface Plan {
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The address that paths begin with: origin and path, without a slash at the end. */
  readonly base: string;
  /** Begins with a slash; `{name}` stands for the input of that name in the path. */
  readonly path: string;
  readonly inputs: readonly Input[];
  readonly body: BodyPlan | null;
  /** Null: the operation needs none, and gets none. */
  readonly token: TokenPlace | null;
  /** True: the definition promises an object. */
  readonly hasOutput: boolean;
}

export interface ServiceTool {
  readonly definition: UpstreamTool;
  readonly plan: Plan;
}

/** Something of the document that became no tool, and why. */
export interface LeftOut {
  /** Such as `GET /pets`. */
  readonly what: string;
  readonly reason: string;
}

/** What is known of a service besides its tools. */
export interface ServiceHead {
  readonly info: { readonly name: string; readonly version: string; readonly title?: string };
  readonly instructions: string | null;
  readonly leftOut: readonly LeftOut[];
}

export interface Service extends ServiceHead {
  readonly tools: ReadonlyMap<string, ServiceTool>;
}

/** A document to be translated. */
export interface Source {
  readonly text: string;
  /** Where it was found. */
  readonly url: string;
  /** Where the service is, when its owner says so. */
  readonly server: string | null;
}

/** A document of which nothing can be made; the sentence says what to do. */
export class BadDocument extends Error {
  override readonly name = 'BadDocument';
}

/** Something that one operation needs and cannot have; the sentence says what. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

/** Arguments of which no request can be made; the sentence names the field. */
export class BadArguments extends Error {
  override readonly name = 'BadArguments';
}
