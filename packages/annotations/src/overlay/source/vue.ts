/** Owns reading Vue components from the instances of development builds. */
import type { ReadComponent } from './found.ts';
import { mark, nearest, place } from './found.ts';

interface Instance {
  readonly type: { readonly name?: string; readonly __name?: string; readonly __file?: string };
  readonly parent: Instance | null;
  readonly props?: Record<string, unknown>;
}

/** Reads name, ancestors, props and file. */
export const readVue: ReadComponent = (element) => {
  const instance = nearest(element, (at) => mark(at, '__vueParentComponent') as Instance | undefined); // what Vue puts there
  if (instance === undefined) return null;
  const tree: string[] = [];
  for (let at = instance.parent; at !== null; at = at.parent) tree.unshift(nameOf(at) ?? 'Anonymous');
  const name = nameOf(instance);
  const file = instance.type.__file;
  return {
    ...(name !== undefined && { name }),
    tree,
    ...(instance.props && { inputs: { ...instance.props } }),
    ...(file !== undefined && { source: place(file) }),
  };
};

function nameOf({ type }: Instance): string | undefined {
  return type.name ?? type.__name ?? /([^/\\]+)\.vue$/.exec(type.__file ?? '')?.[1];
}
