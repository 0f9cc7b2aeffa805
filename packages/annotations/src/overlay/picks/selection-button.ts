/** Owns the small button beside selected text that begins a note about it. */
import type { Pick } from '../capture/capture.ts';
import { h, icon } from '../ui/dom.ts';
import { ICONS } from '../ui/icons.ts';
import { textPick } from './text.ts';

/** Shows the button while text is selected and `isWanted` holds. */
export function watchSelection(
  top: HTMLElement,
  isWanted: () => boolean,
  onPick: (pick: Pick) => void,
): () => void {
  const stop = new AbortController();
  const button = h('button', { class: 'selection', type: 'button', hidden: true }, icon(ICONS.notes), 'Note');
  button.setAttribute('aria-label', 'Write a note about the selected text');
  // The selection must live until the click.
  button.addEventListener('mousedown', (event) => event.preventDefault());
  button.addEventListener('click', () => {
    const pick = textPick();
    button.hidden = true;
    if (pick) onPick(pick);
  });
  top.append(button);
  const update = (): void => {
    const pick = isWanted() ? textPick() : undefined;
    button.hidden = pick?.box === undefined || pick.box.width === 0;
    if (!pick?.box) return;
    const x = Math.max(8, Math.min(pick.box.x + pick.box.width / 2 - 32, innerWidth - 80));
    const y = pick.box.y > 44 ? pick.box.y - 38 : pick.box.y + pick.box.height + 8;
    button.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  };
  let isDown = false;
  const on = (type: string, run: () => void): void =>
    addEventListener(type, run, { capture: true, passive: true, signal: stop.signal });
  on('pointerdown', () => (isDown = true));
  on('pointerup', () => {
    isDown = false;
    setTimeout(update);
  });
  on('scroll', update);
  document.addEventListener('selectionchange', () => isDown || update(), { signal: stop.signal });
  return () => {
    stop.abort();
    button.remove();
  };
}
