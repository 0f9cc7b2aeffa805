/** Owns reading React components from the fibers of development builds. */
import type { FoundComponent, ReadComponent } from './found.ts';
import { mark, nearest, place } from './found.ts';

interface Fiber {
  readonly type?: unknown;
  readonly key?: string | null;
  readonly return?: Fiber | null;
  readonly memoizedProps?: Record<string, unknown> | null;
  readonly _debugSource?: { fileName: string; lineNumber: number; columnNumber?: number } | null;
  readonly _debugStack?: { stack?: string } | null;
}

/** The fiber of an element or of its nearest ancestor that has one. */
export function fiberOf(element: Element): Fiber | undefined {
  return nearest(element, (at) => {
    const key = Object.keys(at).find(
      (name) => name.startsWith('__reactFiber$') || name.startsWith('__reactInternalInstance$'),
    );
    return key === undefined ? undefined : (mark(at, key) as Fiber); // what React puts under that name
  });
}

/** Reads name, ancestors, props and source. */
export const readReact: ReadComponent = (element) => {
  const fiber = fiberOf(element);
  if (fiber === undefined) return null;
  const components: { name: string; fiber: Fiber }[] = [];
  for (let at: Fiber | null | undefined = fiber; at; at = at.return) {
    const name = nameOf(at.type);
    if (name !== undefined) components.push({ name, fiber: at });
  }
  const own = components[0];
  const source = sourceOf(fiber);
  const found: FoundComponent = {
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
  return found;
};

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

function sourceOf(fiber: Fiber): string | undefined {
  for (let at: Fiber | null | undefined = fiber; at; at = at.return) {
    const source = at._debugSource;
    if (source) return place(source.fileName, source.lineNumber, source.columnNumber);
    const frame = at._debugStack?.stack?.split('\n').find((line) => isOwnCode(line));
    const file = /(https?:\/\/[^\s)]+?):\d+:\d+/.exec(frame ?? '')?.[1];
    // Lines of a stack are those of the compiled module, so only the file is told.
    if (file !== undefined) return place(file);
  }
  return undefined;
}

function isOwnCode(line: string): boolean {
  return /https?:\/\//.test(line) && !/node_modules|\/@|react-stack-|jsx-dev-runtime/.test(line);
}
