/** Owns the panel of one note: what was said, its status, and what a person can do about it. */
import type { Actions } from '../actions.ts';
import { isLocal } from '../connection/state.ts';
import type { PageAnnotation, Reply } from '../../shapes.ts';
import { h, icon } from './dom.ts';
import { ICONS } from './icons.ts';
import type { Panel } from './panel.ts';
import { openPanel } from './panel.ts';
import { badge } from './status.ts';
import { targetDetails } from './target.ts';

export interface ThreadPanel extends Panel {
  note(): PageAnnotation;
  update(note: PageAnnotation): void;
  send(): void;
}

export function openThread(
  top: HTMLElement,
  note: PageAnnotation,
  actions: Actions,
  anchor: () => DOMRect | undefined,
): ThreadPanel {
  let shown = note;
  let isEditing = false;
  const lead = h('span');
  const said = h('ul', { class: 'said', 'aria-label': 'Messages' });
  const buttons = h('div', { class: 'row grow tools' });
  const text = h('textarea', {
    'aria-label': 'Reply',
    placeholder: 'Reply',
    rows: '2',
    maxlength: '10000',
    dir: 'auto',
  });
  const reopen = h('input', { type: 'checkbox' });
  const reopens = h('label', { class: 'check soft' }, reopen, 'Reopen the note with this reply');
  const submit = h(
    'button',
    { class: 'button main', type: 'button', disabled: true, 'aria-label': 'Send reply' },
    icon(ICONS.send),
  );
  const send = (): void => {
    const message = text.value.trim();
    if (message === '') return;
    actions.reply(shown.id, message, !reopens.hidden && reopen.checked);
    text.value = '';
    submit.disabled = true;
  };
  text.addEventListener('input', () => (submit.disabled = text.value.trim() === ''));
  submit.addEventListener('click', send);

  const update = (next: PageAnnotation): void => {
    // Of a long thread only the end is here, so its length says nothing.
    const isNews = next.replies.at(-1)?.id !== shown.replies.at(-1)?.id || next.status !== shown.status;
    // A reply to an agent that works reaches it; reopening would take the note from it.
    if (isNews || shown === next) reopen.checked = isClosed(next) && next.replies.at(-1)?.author === 'agent';
    shown = next;
    lead.replaceChildren(badge(next));
    text.disabled = isLocal(next);
    reopens.hidden = next.status === 'pending' || isLocal(next);
    if (!isEditing) said.replaceChildren(firstMessage(next), ...next.replies.map(message));
    // The newest words and the place to answer are at the end.
    if (isNews && !isEditing) text.scrollIntoView({ block: 'end' });
    const hadFocus = buttons.contains((buttons.getRootNode() as ShadowRoot).activeElement); // the overlay lives in one
    buttons.replaceChildren(...actionButtons(next, actions, edit));
    if (hadFocus) text.focus();
  };
  const edit = (): void => {
    const field = h('textarea', {
      'aria-label': 'Edit note',
      value: shown.annotationText,
      dir: 'auto',
      maxlength: '10000',
    });
    isEditing = true;
    const save = (): void => {
      isEditing = false;
      if (field.value.trim() !== '') actions.edit(shown.id, { annotationText: field.value.trim() });
      update(shown);
    };
    const done = h('button', { class: 'button', type: 'button', text: 'Save', onclick: save });
    said.firstElementChild?.replaceChildren(field, done);
    field.focus();
  };
  const panel = openPanel(top, {
    title: `Note ${note.number}`,
    lead,
    anchor,
    body: [...targetDetails(note, false), said, text, reopens],
    footer: [buttons, submit],
    onClose: actions.back,
  });
  update(note);
  panel.place();
  if (note.replies.length > 0) text.scrollIntoView({ block: 'end' });
  return { ...panel, note: () => shown, update, send };
}

function isClosed({ status }: PageAnnotation): boolean {
  return status === 'resolved' || status === 'dismissed';
}

function firstMessage({ annotationText, createdAt, intent, severity }: PageAnnotation): HTMLElement {
  return said('mine', `You, ${intent}, ${severity}`, createdAt, annotationText);
}

function message({ author, authorName, message: text, createdAt }: Reply): HTMLElement {
  // Somebody of the team has a name; whoever writes on the page has none.
  return author === 'user' && authorName === undefined
    ? said('mine', 'You', createdAt, text)
    : said('', authorName ?? 'Agent', createdAt, text);
}

function said(className: string, who: string, at: string, text: string): HTMLElement {
  const time = new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return h(
    'li',
    { class: className },
    h('b', {}, `${who} `, h('time', { datetime: at, text: time })),
    h('div', { dir: 'auto', text }),
  );
}

function actionButtons(note: PageAnnotation, actions: Actions, edit: () => void): Node[] {
  if (isLocal(note)) return [h('span', { class: 'soft', text: 'Waits for the server' })];
  const small = (name: string, path: string, run: () => void, look = 'ghost'): HTMLElement =>
    h('button', { class: look, type: 'button', 'aria-label': name, title: name, onclick: run }, icon(path));
  const review = h(
    'button',
    { class: 'button', type: 'button', onclick: () => actions.openPreview(note.id) },
    icon(ICONS.diff),
    note.status === 'diff_proposed' ? 'Review change' : 'Show change',
  );
  return [
    ...(note.diff === undefined ? [] : [review]),
    h('span', { class: 'grow' }),
    ...(note.status === 'pending' ? [small('Edit', ICONS.edit, edit)] : []),
    ...(note.status === 'pending' ? [] : [small('Reopen', ICONS.reopen, () => actions.reopen(note.id))]),
    small('Copy as markdown', ICONS.copy, () => actions.copy([note])),
    ...(isClosed(note) ? [] : [small('Delete', ICONS.trash, () => actions.remove(note.id))]),
  ];
}
