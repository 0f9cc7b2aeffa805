/** Owns the outlines and the label that show what is meant. */
import type { Box } from '../capture/capture.ts';
import { h } from './dom.ts';

/** A rectangle to be drawn. */
export interface Outlined {
  readonly box: Box;
  readonly look?: 'area' | 'soft';
}

/** What is drawn over the page. */
export interface Outlines {
  draw(
    outlined: readonly Outlined[],
    label?: { readonly name: string; readonly source?: string | undefined },
  ): void;
  clear(): void;
}

/** Draws on the given layer. */
export function createOutlines(layer: HTMLElement): Outlines {
  const label = h('div', { class: 'label', hidden: true });
  let boxes: HTMLElement[] = [];
  layer.append(label);
  const clear = (): void => {
    for (const box of boxes) box.remove();
    boxes = [];
    label.hidden = true;
  };
  return {
    clear,
    draw(outlined, said) {
      clear();
      boxes = outlined.slice(0, 60).map(({ box, look }) => {
        const element = h('div', { class: look === undefined ? 'outline' : `outline ${look}` });
        Object.assign(element.style, {
          width: `${box.width}px`,
          height: `${box.height}px`,
          transform: `translate(${box.x}px, ${box.y}px)`,
        });
        return element;
      });
      layer.prepend(...boxes);
      const last = outlined.at(-1)?.box;
      if (said === undefined || last === undefined) return;
      label.replaceChildren(said.name, ...(said.source ? [h('i', { text: said.source })] : []));
      label.hidden = false;
      const y = last.y >= 30 ? last.y - 28 : Math.min(last.y + last.height + 6, innerHeight - 30);
      const x = Math.max(8, Math.min(last.x, innerWidth - label.offsetWidth - 8));
      label.style.transform = `translate(${x}px, ${Math.max(4, y)}px)`;
    },
  };
}
