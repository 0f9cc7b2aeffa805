/** Where tools, resources and prompts come from: toolsets of this program, and whatever else has some. */
import type { Change } from '../changes.ts';
import type { Installed } from '../define/toolset.ts';

/** What a source has for an organization. */
export interface SourcePart {
  /** Another one whenever anything in the part is another. */
  readonly version: string | number;
  /** Each is what grants name and what a URL serves alone. */
  readonly toolsets: readonly Installed[];
}

/** A place that tools, resources and prompts come from. */
export interface Source {
  /** Unlike that of any other source of an engine. */
  readonly name: string;
  /** `toolset`: code of this program, whose names win. Any other kind gives way where names collide. */
  readonly kind: string;
  /** Everybody has the same part, for good; or every organization has a part of its own, which may change. */
  readonly reach: 'everybody' | 'organization';
  /** The part of an organization, from memory: it is asked for with every request. Undefined: not loaded yet. */
  catalog(organizationId: string): SourcePart | undefined;
  /** Loads the part; awaited before the first request of an organization is served. */
  prepare?(organizationId: string): Promise<void>;
  /** True when changes may have been missed: the part is loaded again before the next request is served. */
  isBehind?(organizationId: string): boolean;
  /** Resolves when lists are worth giving out, though not everything is known; undefined: they are. */
  settled?(organizationId: string): Promise<void> | undefined;
  /** Tells of new versions and of documents that have changed. Returns the function that ends it. */
  onChange?(listener: (change: Change) => void): () => void;
}

/** A toolset of this program as a source: one part, the same for everybody. */
export function toolsetSource(installed: Installed): Source {
  const part = { version: 1, toolsets: [installed] };
  return { name: installed.toolset.name, kind: 'toolset', reach: 'everybody', catalog: () => part };
}
