/** Owns keeping clicks and typing inside the overlay from the page, which could act on them or hold them back. */

/** Takes the overlay's own events off the page's way and hands them on inside its root. */
export function keepOwnEvents(host: Element): () => void {
  const stop = new AbortController();
  const options = { capture: true, signal: stop.signal };
  const isOwn = (event: Event): boolean => event.isTrusted && event.composedPath().includes(host);
  addEventListener(
    'click',
    (event) => {
      const [target] = event.composedPath();
      if (!isOwn(event) || !(target instanceof Element)) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      // The copy does what the click would have done, and ends at the overlay's root.
      target.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, composed: false }));
    },
    options,
  );
  addEventListener(
    'input',
    (event) => {
      if (!isOwn(event)) return;
      event.stopImmediatePropagation();
      event.composedPath()[0]?.dispatchEvent(new InputEvent('input', { bubbles: true, composed: false }));
    },
    options,
  );
  for (const type of ['keyup', 'keypress', 'focusin', 'focusout', 'paste', 'copy', 'cut'] as const) {
    addEventListener(type, (event) => isOwn(event) && event.stopImmediatePropagation(), options);
  }
  return () => stop.abort();
}
