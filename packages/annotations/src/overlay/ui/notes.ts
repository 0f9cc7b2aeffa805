/** Owns the list of notes: those on this page, and those whose element is not there. */
import type { Actions } from '../actions.ts';
import type { Annotation } from '../../shapes.ts';
import { h } from './dom.ts';
import type { Panel } from './panel.ts';
import { openPanel } from './panel.ts';
import { badge } from './status.ts';

export interface NotesPanel extends Panel {
  update(notes: readonly Annotation[], missing: ReadonlySet<string>): void;
}

export function openNotes(top: HTMLElement, actions: Actions): NotesPanel {
  const content = h('div', { class: 'field' });
  const copy = h('button', { class: 'button', type: 'button', text: 'Copy', onclick: () => actions.copy() });
  const clear = h('button', {
    class: 'button danger',
    type: 'button',
    text: 'Clear all',
    onclick: actions.clear,
  });
  const panel = openPanel(top, {
    title: 'Notes',
    body: [content],
    footer: [h('span', { class: 'grow' }), copy, clear],
    onClose: actions.back,
  });
  let wasShown = false;
  return {
    ...panel,
    update(notes, missing) {
      const here = notes.filter(({ id }) => !missing.has(id));
      const away = notes.filter(({ id }) => missing.has(id));
      const focused = (content.getRootNode() as ShadowRoot).activeElement?.getAttribute('data-note'); // the overlay lives in one
      content.replaceChildren(
        ...(notes.length === 0
          ? [h('p', { class: 'soft', text: 'No notes yet. Pick an element to write the first.' })]
          : []),
        ...group('On this page', here, actions),
        ...group('Not on this page', away, actions),
      );
      for (const button of [copy, clear]) button.disabled = notes.length === 0;
      if (focused) content.querySelector<HTMLElement>(`[data-note="${focused}"]`)?.focus();
      else if (!wasShown) content.querySelector('button')?.focus();
      wasShown = true;
    },
  };
}

function group(title: string, notes: readonly Annotation[], actions: Actions): Node[] {
  if (notes.length === 0) return [];
  const items = notes.map((note) =>
    h(
      'li',
      {},
      h(
        'button',
        { type: 'button', 'data-note': note.id, onclick: () => actions.openThread(note.id) },
        badge(note),
        h('span', { text: `${note.number}. ${note.annotationText}`, dir: 'auto' }),
      ),
    ),
  );
  return [h('h3', { text: title }), h('ul', { class: 'list', 'aria-label': title }, ...items)];
}
