/** Owns reading Vue components from the instances of development builds. */
import type { ReadComponent } from './found.ts';
import { mark, nearest, ownMark, place } from './found.ts';

interface Instance {
  readonly type: { readonly name?: string; readonly __name?: string; readonly __file?: string };
  readonly parent: Instance | null;
  readonly props?: Record<string, unknown>;
}

interface Made {
  readonly at: Element;
  readonly instance: Instance;
  /** Whose template made it; for what fills a slot that is not the one that shows it. */
  readonly owner: Instance;
}

function madeOf(element: Element): Made | undefined {
  return nearest(element, (at) => {
    const instance = mark(at, '__vueParentComponent') as Instance | undefined; // what Vue puts there
    const node = mark(at, '__vnode') as { readonly ctx?: Instance | null } | undefined; // and there
    return instance && { at, instance, owner: node?.ctx ?? instance };
  });
}

/** Reads name, ancestors, props and source. */
export const readVue: ReadComponent = (element) => {
  const made = madeOf(element);
  if (made === undefined) return null;
  const { instance } = made;
  const tree: string[] = [];
  for (let at = instance.parent; at !== null; at = at.parent) tree.unshift(nameOf(at) ?? 'Anonymous');
  const name = nameOf(instance);
  const file = made.owner.type.__file;
  const source = ownMark(made.at) ?? (file && place(file));
  return {
    ...(name !== undefined && { name }),
    tree,
    ...(instance.props && { inputs: { ...instance.props } }),
    ...(source && { source }),
  };
};

function nameOf({ type }: Instance): string | undefined {
  return type.name ?? type.__name ?? /([^/\\]+)\.vue$/.exec(type.__file ?? '')?.[1];
}
