/** Owns reading Angular components through the debug API of development builds. */
import type { ReadComponent } from './found.ts';
import { nearest } from './found.ts';

interface DebugApi {
  getComponent?(element: Element): object | null;
  getOwningComponent?(element: Element | object): object | null;
  getDirectiveMetadata?(component: object): { inputs?: Record<string, unknown> } | null;
}

/** Files by class name, which only the dev server knows. */
export type ClassFiles = Readonly<Record<string, { readonly file: string; readonly template?: string }>>;

/** Reads name, ancestors and inputs; files come from the given map. */
export function readAngular(files: () => ClassFiles): ReadComponent {
  return (element) => {
    const api = (globalThis as { ng?: DebugApi }).ng; // where development builds put it
    if (api?.getComponent === undefined) return null;
    const component = nearest(element, (at) => attempt(() => api.getComponent?.(at)));
    if (component === undefined) return null;
    const name = className(component);
    const tree: string[] = [];
    for (
      let owner = attempt(() => api.getOwningComponent?.(component));
      owner !== undefined && tree.length < 50;
      owner = attempt(() => api.getOwningComponent?.(owner))
    ) {
      tree.unshift(className(owner));
    }
    const known = files()[name];
    return {
      name,
      tree,
      inputs: inputsOf(api, component),
      ...(known && { source: known.file, ...(known.template && { template: known.template }) }),
    };
  };
}

function className(component: object): string {
  return component.constructor.name.replace(/^_/, '');
}

function inputsOf(api: DebugApi, component: object): Record<string, unknown> {
  const names = Object.keys(attempt(() => api.getDirectiveMetadata?.(component))?.inputs ?? {});
  const values = component as Record<string, unknown>; // read by name
  return Object.fromEntries(
    names.map((name) => {
      const value = values[name];
      // Signal inputs are functions without parameters.
      return [
        name,
        typeof value === 'function' && value.length === 0 ? attempt(() => (value as () => unknown)()) : value,
      ];
    }),
  );
}

// The debug API throws for elements outside of an Angular view.
function attempt<T>(read: () => T | null | undefined): T | undefined {
  try {
    return read() ?? undefined;
  } catch {
    return undefined;
  }
}
