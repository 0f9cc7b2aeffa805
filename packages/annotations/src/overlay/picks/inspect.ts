/** Owns the inspect mode: what pointer and keyboard point at, and the pick that comes of it. */
import type { Pick } from '../capture/capture.ts';
import { elementAt, windowBox } from '../capture/tree.ts';
import type { FoundComponent } from '../source/found.ts';
import { h } from '../ui/dom.ts';
import type { Outlines } from '../ui/outline.ts';
import { areaPick, boxBetween, elementsIn, multiPick } from './area.ts';
import type { Step } from './element.ts';
import { firstElement, walk } from './element.ts';
import type { Gesture } from './pointer.ts';
import { watchPointer } from './pointer.ts';
import { selectTo, textPick } from './text.ts';

export interface InspectParts {
  readonly host: Element;
  readonly top: HTMLElement;
  readonly outlines: Outlines;
  readonly readComponent: (element: Element) => FoundComponent;
  readonly labelOf: (element: Element) => string;
  say(text: string): void;
  onPick(pick: Pick): void;
}

/** The mode, while it is on. */
export interface Inspect {
  step(step: Step): void;
  /** Adds the element shown to the picks, or takes it out. */
  toggle(): void;
  pick(): void;
  stop(): void;
}

/** Switches inspecting on. */
export function startInspect(parts: InspectParts, focused: Element | null): Inspect {
  let current: Element | null = null;
  let chosen: readonly Element[] = [];
  const count = h('span', { text: '' });
  const write = h('button', { type: 'button', text: 'Write note' });
  const hint = h('div', { class: 'hint', hidden: true }, count, write);
  parts.top.append(hint);

  const show = (element: Element | null): void => {
    current = element;
    const picked = chosen.map((one) => ({ box: windowBox(one) }));
    if (element === null) return parts.outlines.draw(picked);
    const { name, source } = parts.readComponent(element);
    const label = parts.labelOf(element);
    parts.outlines.draw([...picked, { box: windowBox(element) }], {
      name: name ? `${name} · ${label}` : label,
      source,
    });
  };
  const choose = (next: readonly Element[]): void => {
    chosen = next;
    hint.hidden = next.length === 0;
    count.textContent = `${next.length} picked. Enter or click to write.`;
    show(current);
  };
  const toggle = (element: Element | null = current): void => {
    if (element === null) return;
    choose(chosen.includes(element) ? chosen.filter((one) => one !== element) : [...chosen, element]);
    parts.say(`${chosen.length} picked`);
  };
  const pick = (element: Element | null = current): void => {
    const all = element === null || chosen.includes(element) ? chosen : [...chosen, element];
    const result = chosen.length > 0 ? multiPick(all) : element && { kind: 'element' as const, element };
    if (result) parts.onPick(result);
  };
  // Written from the button, the element that is only pointed at does not count.
  write.addEventListener('click', () => pick(null));

  const onGesture = (gesture: Gesture): void => {
    const { from, to } = gesture;
    const element = elementAt(to.x, to.y);
    switch (gesture.kind) {
      case 'hover':
        return element === current ? undefined : show(element);
      case 'click':
        return gesture.isShift ? toggle(element) : pick(element);
      case 'text':
        selectTo(gesture.caret, to.x, to.y);
        parts.outlines.clear();
        return gesture.isEnd ? done(textPick()) : undefined;
      case 'many': {
        const inside = elementsIn(boxBetween(from, to));
        if (gesture.isEnd) return done(multiPick(inside));
        const boxes = inside.map((one) => ({ box: windowBox(one) }));
        return parts.outlines.draw([...boxes, { box: boxBetween(from, to), look: 'soft' as const }]);
      }
      case 'area':
        if (gesture.isEnd) return done(areaPick(boxBetween(from, to)));
        return parts.outlines.draw([{ box: boxBetween(from, to), look: 'area' }]);
    }
  };
  const done = (result: Pick | undefined): void => {
    if (result) parts.onPick(result);
    else show(null);
  };
  const stopPointer = watchPointer(parts.host, onGesture);
  parts.say('Picking. Tab and arrows walk, Enter picks, Escape leaves.');

  return {
    step(step) {
      const next = current === null ? firstElement(focused) : walk(current, step);
      next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      show(next);
      parts.say(parts.labelOf(next));
    },
    toggle: () => toggle(),
    pick: () => pick(),
    stop() {
      stopPointer();
      hint.remove();
      parts.outlines.clear();
    },
  };
}
