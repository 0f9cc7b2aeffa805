/** Owns which live element each note is bound to, and notices when a framework gives the element to another row. */
import type { Annotation } from '../../shapes.ts';
import { equalsOf, rowOf, visibleText } from '../capture/text.ts';
import { findAgain } from './find.ts';
import type { RowTexts } from './identity.ts';
import { rowTextsOf } from './identity.ts';

interface Binding {
  element: Element | null;
  /** Where in its row the element stands, as child positions. */
  steps: readonly number[];
  row: RowTexts | undefined;
}

export interface Bindings {
  /** Binds a note to the element it was made on. */
  bind(id: string, element: Element): void;
  /** The element of a note now, searched when it is not held; null when it is not on the page. */
  resolve(note: Annotation): Element | null;
  /** Looks again after the page changed. */
  recheck(): void;
  /** Lets a note take over the element of its unsent copy. */
  rename(from: string, to: string): void;
  forget(isKept: (id: string) => boolean): void;
}

/** No bindings yet. */
export function createBindings(): Bindings {
  const bindings = new Map<string, Binding>();
  // Notes not found are searched again only after the page changed.
  let searched = new Set<string>();

  const bind = (id: string, element: Element): void => {
    bindings.set(id, { element, steps: stepsInRow(element), row: rowTextsOf(element) });
  };

  return {
    bind,
    resolve(note) {
      const held = bindings.get(note.id);
      if (held?.element?.isConnected) return held.element;
      if (searched.has(note.id)) return null;
      searched.add(note.id);
      const found = findAgain(note);
      if (found !== null) bind(note.id, found);
      else bindings.set(note.id, { element: null, steps: [], row: held?.row });
      return found;
    },
    recheck() {
      searched = new Set();
      for (const [id, binding] of bindings) {
        const { element, row } = binding;
        if (!element?.isConnected || row === undefined) continue;
        const now = rowTextsOf(element);
        if (now === undefined || now.own === row.own) binding.row = now ?? row;
        else if (!row.others.has(now.own)) binding.row = now;
        else moveToRow(binding, element, row.own);
        if (binding.element === null) bindings.set(id, binding);
      }
    },
    rename(from, to) {
      const held = bindings.get(from);
      if (held === undefined || bindings.get(to)?.element) return;
      bindings.set(to, held);
      bindings.delete(from);
    },
    forget(isKept) {
      for (const id of bindings.keys()) if (!isKept(id)) bindings.delete(id);
    },
  };
}

// The framework kept the element and gave it another row's content; the pin goes where the content went.
function moveToRow(binding: Binding, element: Element, text: string): void {
  const row = rowOf(element);
  const rows = row === null ? [] : equalsOf(row).filter((other) => visibleText(other, 400) === text);
  const moved = rows.length === 1 && rows[0] ? follow(rows[0], binding.steps) : null;
  binding.element = moved;
  if (moved !== null) binding.row = rowTextsOf(moved);
}

function stepsInRow(element: Element): number[] {
  const row = rowOf(element);
  const steps: number[] = [];
  if (row === null) return steps;
  for (let at: Element | null = element; at !== null && at !== row; at = at.parentElement) {
    steps.unshift([...(at.parentNode?.children ?? [])].indexOf(at));
  }
  return steps;
}

function follow(row: Element, steps: readonly number[]): Element | null {
  let at: Element | null = row;
  for (const step of steps) at = at?.children[step] ?? null;
  return at;
}
