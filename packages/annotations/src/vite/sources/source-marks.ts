/** Owns which transform a module gets, so that its elements can be led back to their source. */
import type { ComponentSource } from './angular.ts';
import { findComponents, keepComponents } from './angular.ts';
import type { Changed } from './insertions.ts';
import { markJsx } from './jsx.ts';
import { rootSveltePaths } from './svelte.ts';
import type { Parse } from './syntax-walk.ts';
import type { OfferingPlugin } from './vue.ts';
import { hasForeignTemplate, markVueTemplates } from './vue.ts';

/** The dev-only transforms of one dev server. */
export interface SourceMarks {
  /** Reaches into the frameworks' plugins that are there. */
  start(plugins: readonly OfferingPlugin[], root: string): void;
  /** Marks a module as it was written; undefined when it stays as it is. */
  mark(code: string, id: string, parse: Parse): Changed | undefined;
  /** Completes a compiled module; undefined when it stays as it is. */
  complete(code: string, id: string): { code: string; map: null } | undefined;
}

/** Makes the transforms; they remember what they saw of each file. */
export function createSourceMarks(): SourceMarks {
  const components = new Map<string, ComponentSource[]>();
  const foreignTemplates = new Set<string>();
  let root = '';

  function mark(code: string, id: string, parse: Parse): Changed | undefined {
    const [file = id, query] = id.split('?', 2);
    // A leading null character stands for a module that is in no file.
    if (file.startsWith('\0') || file.includes('/node_modules/')) return;
    if (query !== undefined && /\b(raw|url|worker)\b/.test(query)) return;
    if (/\.[jt]sx$/.test(file)) return markJsx(code, id, root, parse);
    if (file.endsWith('.vue') && query === undefined) {
      if (hasForeignTemplate(code)) foreignTemplates.add(file);
      else foreignTemplates.delete(file);
    }
    if (/(?<!\.d)\.ts$/.test(file)) {
      components.delete(file);
      if (code.includes('@Component')) components.set(file, findComponents(code, id, root, parse));
    }
  }

  return {
    start(plugins, projectRoot) {
      root = projectRoot;
      markVueTemplates(plugins, root, (file) => foreignTemplates.has(file));
      rootSveltePaths(plugins, root);
    },
    mark(code, id, parse) {
      try {
        return mark(code, id, parse);
      } catch {
        // What does not parse is for the project's own compiler to report.
        return undefined;
      }
    },
    complete(code, id) {
      const found = components.get(id.split('?', 1)[0] ?? id);
      if (found === undefined || found.length === 0) return undefined;
      return { code: code + keepComponents(found), map: null };
    },
  };
}
