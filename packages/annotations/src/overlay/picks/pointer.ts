/** Owns the pointer while inspecting: page clicks are swallowed, drags become gestures. */
import { innerRoot } from '../capture/tree.ts';
import type { Caret } from './text.ts';
import { caretAt } from './text.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** What the pointer does, in window coordinates. */
export type Gesture = { readonly from: Point; readonly to: Point } & (
  | { readonly kind: 'hover' }
  | { readonly kind: 'click'; readonly isShift: boolean }
  | { readonly kind: 'text'; readonly caret: Caret; readonly isEnd: boolean }
  | { readonly kind: 'many' | 'area'; readonly isEnd: boolean }
);

interface Drag {
  readonly from: Point;
  readonly kind: 'many' | 'area' | 'text';
  readonly caret: Caret | undefined;
  hasMoved: boolean;
}

const DRAG_PX = 6;
const CLICK_FOLLOWS_MS = 300;
const SWALLOWED = [
  'mousedown',
  'mouseup',
  'click',
  'dblclick',
  'auxclick',
  'touchstart',
  'touchend',
  'dragstart',
  'contextmenu',
] as const;

/** Watches the page and its same-origin frames until the returned function is called. */
export function watchPointer(host: Element, onGesture: (gesture: Gesture) => void): () => void {
  const stop = new AbortController();
  const swallowed = new AbortController();
  let drag: Drag | undefined;
  let isLifting = false;

  const onPointer = (event: PointerEvent, to: Point): void => {
    if (event.type === 'pointerdown') {
      const caret = event.altKey || event.shiftKey ? undefined : caretAt(to.x, to.y);
      const kind = event.altKey ? 'area' : caret === undefined ? 'many' : 'text';
      drag = { from: to, kind, caret, hasMoved: false };
      return;
    }
    if (event.type === 'pointercancel') {
      drag = undefined;
      return;
    }
    const isEnd = event.type === 'pointerup';
    if (drag === undefined) {
      if (!isEnd) onGesture({ kind: 'hover', from: to, to });
      return;
    }
    const { from, kind, caret } = drag;
    drag.hasMoved ||= Math.hypot(to.x - from.x, to.y - from.y) > DRAG_PX;
    const { hasMoved } = drag;
    if (isEnd) drag = undefined;
    if (!hasMoved) {
      if (isEnd) onGesture({ kind: 'click', from, to, isShift: event.shiftKey });
    } else if (kind !== 'text') onGesture({ kind, from, to, isEnd });
    else if (caret !== undefined) onGesture({ kind, caret, from, to, isEnd });
  };

  const listen = (view: Window, offset: () => Point): void => {
    const options = { capture: true, passive: false, signal: stop.signal };
    const swallowing = { ...options, signal: swallowed.signal };
    const isOwn = (event: Event): boolean => event.composedPath().includes(host);
    for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const) {
      view.addEventListener(
        type,
        (event) => {
          if (isOwn(event)) return;
          event.stopImmediatePropagation();
          const { x, y } = offset();
          isLifting = event.type === 'pointerup';
          onPointer(event, { x: event.clientX + x, y: event.clientY + y });
          isLifting = false;
        },
        options,
      );
    }
    for (const type of SWALLOWED) {
      view.addEventListener(
        type,
        (event) => {
          if (isOwn(event)) return;
          event.stopImmediatePropagation();
          event.preventDefault();
        },
        swallowing,
      );
    }
  };
  listen(window, () => ({ x: 0, y: 0 }));
  for (const frame of document.querySelectorAll('iframe')) {
    const view = innerRoot(frame) && frame.contentWindow;
    if (!view) continue;
    listen(view, () => {
      const box = frame.getBoundingClientRect();
      return { x: box.x + frame.clientLeft, y: box.y + frame.clientTop };
    });
  }
  return () => {
    stop.abort();
    // The click of the pick itself is still to come and is not for the page.
    if (isLifting) setTimeout(() => swallowed.abort(), CLICK_FOLLOWS_MS);
    else swallowed.abort();
  };
}
