/** Owns the short message at the bottom, with at most one thing to do about it. */
import { h } from './dom.ts';

/** Shows one message at a time. */
export type Toast = (
  text: string,
  action?: { readonly label: string; readonly run: () => void },
  lastsMs?: number,
) => void;

const LASTS_MS = 3_500;

/** Toasts on the top layer, spoken too. */
export function createToast(top: HTMLElement, say: (text: string) => void): Toast {
  let shown: HTMLElement | undefined;
  let timer = 0;
  const hide = (): void => {
    clearTimeout(timer);
    shown?.remove();
    shown = undefined;
  };
  return (text, action, lastsMs = LASTS_MS) => {
    hide();
    const run = (): void => {
      hide();
      action?.run();
    };
    shown = h(
      'div',
      { class: 'toast' },
      h('span', { text }),
      action && h('button', { type: 'button', text: action.label, onclick: run }),
    );
    top.append(shown);
    say(text);
    timer = window.setTimeout(hide, lastsMs);
  };
}
