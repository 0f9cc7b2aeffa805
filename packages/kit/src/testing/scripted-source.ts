/** A source of another kind than a toolset, whose parts a test gives to organizations and takes back. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Source, SourcePart } from '../catalog/source.ts';
import type { Change } from '../changes.ts';
import type { AnyToolset } from '../define/toolset.ts';
import { install } from '../define/toolset.ts';

/** A source under the hands of a test. */
export interface ScriptedSource extends Source {
  /** Gives an organization these toolsets instead of what it had, and tells that its tools have changed. */
  give(organizationId: string, ...toolsets: readonly AnyToolset[]): void;
  tell(change: Change): void;
  /** The organizations whose part had to be loaded, in order. */
  readonly loads: readonly string[];
}

/** Creates a source; the part of an organization is loaded when it is first asked for. */
export function scriptedSource(name = 'scripted', kind = 'connection'): ScriptedSource {
  // Versions are counted per organization, so that equal ones say nothing about equal parts.
  const given = new Map<string, SourcePart>();
  const loaded = new Map<string, SourcePart>();
  const listeners = new Set<(change: Change) => void>();
  const loads: string[] = [];
  const tell = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  return {
    name,
    kind,
    reach: 'organization',
    loads,
    tell,
    catalog: (organizationId) => loaded.get(organizationId),
    async prepare(organizationId) {
      loads.push(organizationId);
      // A real one reads a database, and others may come meanwhile.
      await turn();
      loaded.set(organizationId, given.get(organizationId) ?? { version: 0, toolsets: [] });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    give(organizationId, ...toolsets) {
      const version = Number(given.get(organizationId)?.version ?? 0) + 1;
      const part = { version, toolsets: toolsets.map((toolset) => install(toolset)) };
      given.set(organizationId, part);
      if (loaded.has(organizationId)) loaded.set(organizationId, part);
      tell({ kind: 'tools', organizationId });
    },
  };
}
