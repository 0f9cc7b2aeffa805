/** Owns the pins on the page: one loop reads all places, then writes those that changed. */
import type { PageAnnotation } from '../../shapes.ts';
import { parentOf, windowBox } from '../capture/tree.ts';
import { routeOf } from '../route.ts';
import { localId } from '../connection/state.ts';
import { h } from '../ui/dom.ts';
import { badgeIcon, spokenStatus } from '../ui/status.ts';
import type { Bindings } from './bindings.ts';

export interface PinParts {
  readonly layer: HTMLElement;
  readonly bindings: Bindings;
  onOpen(id: string): void;
  onHover(note: PageAnnotation | undefined): void;
  /** Called after pins moved to or from the list of those not on this page. */
  onPlaces(): void;
}

export interface Pins {
  show(notes: readonly PageAnnotation[]): void;
  /** The notes of this route whose element is not there. */
  missing(): ReadonlySet<string>;
  /** The button of a note's pin, while it is shown. */
  button(id: string): HTMLElement | undefined;
  /** Looks at the page again in the next frame. */
  wake(didPageChange?: boolean): void;
  close(): void;
}

interface Pin {
  note: PageAnnotation;
  readonly button: HTMLButtonElement;
  element: Element | null;
  clips: readonly Element[];
  place: string;
}

const CALM_FRAMES = 30;
const CALM_MS = 250;
const PIN_PX = 26;

/** Starts the loop; it slows down while nothing moves. */
export function createPins({ layer, bindings, onOpen, onHover, onPlaces }: PinParts): Pins {
  const pins = new Map<string, Pin>();
  let notes: readonly PageAnnotation[] = [];
  let missing = new Set<string>();
  let route = routeOf(location.href);
  let calmFrames = 0;
  let hasChanged = true;
  let frame = 0;
  let timer = 0;
  let isClosed = false;

  const tick = (): void => {
    frame = 0;
    timer = 0;
    if (isClosed) return;
    if (routeOf(location.href) !== route) {
      route = routeOf(location.href);
      hasChanged = true;
    }
    if (hasChanged) {
      hasChanged = false;
      bindings.recheck();
      rebind();
    }
    calmFrames = movePins() ? 0 : calmFrames + 1;
    schedule();
  };
  const schedule = (): void => {
    if (isClosed || frame !== 0 || timer !== 0) return;
    if (calmFrames < CALM_FRAMES && document.visibilityState === 'visible')
      frame = requestAnimationFrame(tick);
    else timer = window.setTimeout(tick, CALM_MS);
  };

  const rebind = (): void => {
    const here = notes.filter(({ url }) => routeOf(url) === route);
    const before = [...missing].join();
    missing = new Set();
    for (const note of here) {
      const pin = pins.get(note.id) ?? adopt(note) ?? makePin(note);
      const element = bindings.resolve(note);
      if (element !== pin.element)
        Object.assign(pin, { element, clips: element === null ? [] : clipsOf(element) });
      if (element === null) missing.add(note.id);
      dress(pin, note);
    }
    for (const [id, pin] of pins) {
      if (here.some((note) => note.id === id)) continue;
      pin.button.remove();
      pins.delete(id);
    }
    if ([...missing].join() !== before) onPlaces();
  };

  // A note that was shown unsent keeps its pin and its element when the server has numbered it.
  const adopt = (note: PageAnnotation): Pin | undefined => {
    const unsent = localId(note.clientId);
    const pin = pins.get(unsent);
    if (pin === undefined) return undefined;
    bindings.rename(unsent, note.id);
    pins.delete(unsent);
    pins.set(note.id, pin);
    return pin;
  };

  const makePin = (note: PageAnnotation): Pin => {
    const button = h('button', { class: 'pin', type: 'button', hidden: true });
    button.addEventListener('click', () => onOpen(pin.note.id));
    button.addEventListener('pointerenter', () => onHover(pin.note));
    button.addEventListener('pointerleave', () => onHover(undefined));
    layer.append(button);
    const pin: Pin = { note, button, element: null, clips: [], place: 'hidden' };
    pins.set(note.id, pin);
    return pin;
  };

  const movePins = (): boolean => {
    const stacked = new Map<Element, number>();
    // All reads come before all writes, so that the page is laid out at most once.
    const places = [...pins.values()].map((pin) => {
      if (pin.element === null) return { pin, place: 'hidden' };
      const index = stacked.get(pin.element) ?? 0;
      stacked.set(pin.element, index + 1);
      return { pin, place: placeOf(pin, index) };
    });
    let didMove = false;
    for (const { pin, place } of places) {
      if (pin.place === place) continue;
      didMove = true;
      pin.place = place;
      pin.button.hidden = place === 'hidden';
      if (place !== 'hidden') pin.button.style.transform = place;
    }
    return didMove;
  };

  const wake = (didPageChange = false): void => {
    hasChanged ||= didPageChange;
    calmFrames = 0;
    if (timer !== 0) clearTimeout(timer);
    timer = 0;
    schedule();
  };
  schedule();

  return {
    show(next) {
      notes = next;
      wake(true);
    },
    missing: () => missing,
    button: (id) => pins.get(id)?.button,
    wake,
    close() {
      isClosed = true;
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    },
  };
}

function dress(pin: Pin, note: PageAnnotation): void {
  pin.note = note;
  pin.button.dataset.note = note.id;
  const key = `${note.status} ${note.number} ${note.annotationText}`;
  if (pin.button.dataset.key === key) return;
  const isFirst = pin.button.dataset.key === undefined;
  pin.button.dataset.key = key;
  pin.button.dataset.status = note.status;
  pin.button.setAttribute(
    'aria-label',
    `Note ${note.number}, ${spokenStatus(note.status)}: ${note.annotationText}`,
  );
  pin.button.replaceChildren(badgeIcon(note.status), String(note.number));
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (!isFirst && !isCalm) pin.button.animate([{ opacity: 0.4 }, { opacity: 1 }], { duration: 300 });
}

function placeOf({ element, note, clips }: Pin, index: number): string {
  if (element === null) return 'hidden';
  const box = windowBox(element);
  if (box.width === 0 && box.height === 0) return 'hidden';
  const corner = note.kind === 'area' ? areaCorner(note, box) : { x: box.right, y: box.top };
  const anchor = { x: Math.min(corner.x, innerWidth - 2), y: corner.y };
  const isInside = (area: { left: number; right: number; top: number; bottom: number }): boolean =>
    anchor.x >= area.left - 1 &&
    anchor.x <= area.right + 1 &&
    anchor.y >= area.top - 1 &&
    anchor.y <= area.bottom;
  if (!isInside({ left: 0, top: -box.height, right: innerWidth, bottom: innerHeight })) return 'hidden';
  if (box.bottom < 0 || !clips.every((clip) => isInside(windowBox(clip)))) return 'hidden';
  const x = Math.max(2, Math.min(anchor.x - PIN_PX * 0.4 - index * (PIN_PX + 8), innerWidth - PIN_PX * 1.7));
  const y = Math.max(2, Math.min(anchor.y - PIN_PX * 0.65, innerHeight - PIN_PX));
  return `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
}

// The area keeps its place within the element that holds it.
function areaCorner(note: PageAnnotation, box: DOMRect): { x: number; y: number } {
  const { x, y, width, fixed } = note.boundingBox;
  const scroll = fixed ? { x: 0, y: 0 } : { x: scrollX, y: scrollY };
  return {
    x: Math.max(box.left, Math.min(x + width - scroll.x, box.right)),
    y: Math.max(box.top, Math.min(y - scroll.y, box.bottom)),
  };
}

function clipsOf(element: Element): Element[] {
  const clips: Element[] = [];
  for (
    let at = parentOf(element);
    at !== null && at.localName !== 'body' && at.localName !== 'html';
    at = parentOf(at)
  ) {
    if (getComputedStyle(at).overflow !== 'visible') clips.push(at);
  }
  return clips;
}
