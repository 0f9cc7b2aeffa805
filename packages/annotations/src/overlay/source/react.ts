/** Owns reading React components from the fibers of development builds. */
import type { FoundComponent, ReadComponent, SourcePaths } from './found.ts';
import { mark, nearest, ownMark, place } from './found.ts';
import { fileOfStack } from './stack.ts';

interface Fiber {
  readonly type?: unknown;
  readonly key?: string | null;
  readonly return?: Fiber | null;
  readonly alternate?: Fiber | null;
  readonly memoizedProps?: Record<string, unknown> | null;
  /** The component whose code made this one. */
  readonly _debugOwner?: Fiber | null;
  readonly _debugSource?: { fileName: string; lineNumber: number; columnNumber?: number } | null;
  readonly _debugStack?: { stack?: string } | null;
}

interface Made {
  readonly at: Element;
  readonly fiber: Fiber;
}

/** The element itself when React made it, or its nearest ancestor that React made, which holds it. */
function madeOf(element: Element): Made | undefined {
  return nearest(element, (at) => {
    const key = Object.keys(at).find(
      (name) => name.startsWith('__reactFiber$') || name.startsWith('__reactInternalInstance$'),
    );
    return key === undefined ? undefined : { at, fiber: mark(at, key) as Fiber }; // what React puts under that name
  });
}

/** Reads name, ancestors, props and source; `paths` is known where the dev server told it. */
export function readReact(paths: SourcePaths | undefined): ReadComponent {
  return (element) => {
    const made = madeOf(element);
    return made === undefined ? null : describe(made, paths);
  };
}

function describe(made: Made, paths: SourcePaths | undefined): FoundComponent {
  const { fiber } = made;
  const components: { name: string; fiber: Fiber }[] = [];
  for (let at: Fiber | null | undefined = fiber; at; at = at.return) {
    const name = nameOf(at.type);
    if (name !== undefined) components.push({ name, fiber: at });
  }
  const own = components[0];
  const source = ownMark(made.at) ?? markOfDrawing(made) ?? fileOf(fiber, paths);
  return {
    ...(own && {
      name: own.name,
      tree: components
        .slice(1)
        .map(({ name }) => name)
        .toReversed(),
    }),
    ...(own?.fiber.memoizedProps && { inputs: withoutChildren(own.fiber.memoizedProps) }),
    ...(source !== undefined && { source }),
  };
}

function withoutChildren(props: Record<string, unknown>): Record<string, unknown> {
  const { children: _children, ...inputs } = props;
  return inputs;
}

function nameOf(type: unknown): string | undefined {
  if (typeof type === 'function') return named(type);
  if (typeof type !== 'object' || type === null) return undefined;
  // memo and forwardRef wrap the component that has the name.
  return named(type) ?? nameOf(mark(type, 'type') ?? mark(type, 'render'));
}

function named(type: object): string | undefined {
  const name = mark(type, 'displayName') ?? mark(type, 'name');
  return typeof name === 'string' && name !== '' ? name : undefined;
}

// Parts of a drawing are never marked; those that the same component made belong to its drawing.
function markOfDrawing({ at, fiber }: Made): string | undefined {
  const svg = at.closest('svg');
  const drawing = svg && madeOf(svg);
  if (!drawing || drawing.at !== svg) return undefined;
  return isSame(drawing.fiber._debugOwner, fiber._debugOwner) ? ownMark(svg) : undefined;
}

// A component has two fibers that take turns.
function isSame(one: Fiber | null | undefined, other: Fiber | null | undefined): boolean {
  return !!one && !!other && (one === other || one.alternate === other);
}

/** The file whose code made the element, or used the library that did. Owners, since a parent may be a stranger's. */
function fileOf(fiber: Fiber, paths: SourcePaths | undefined): string | undefined {
  const { _debugSource: source } = fiber;
  if (source) return place(source.fileName, source.lineNumber, source.columnNumber);
  const seen = new Set<Fiber>();
  for (let at: Fiber | null | undefined = fiber; at && !seen.has(at); at = at._debugOwner) {
    seen.add(at);
    const file = fileOfStack(at._debugStack?.stack ?? '', paths);
    if (file !== undefined) return file;
  }
  return undefined;
}
