/** Owns the panel in which a note is written. */
import type { Draft } from '../actions.ts';
import type { Captured, Wish } from '../../shapes.ts';
import { h } from './dom.ts';
import type { Panel } from './panel.ts';
import { openPanel } from './panel.ts';
import { targetDetails } from './target.ts';

export interface AnnotateParts {
  readonly top: HTMLElement;
  readonly captured: Captured;
  readonly wish?: Partial<Wish>;
  readonly anchor: () => DOMRect | undefined;
  onSubmit(draft: Draft): void;
  /** Every change of the text, so that a reload does not lose it. */
  onChange(draft: Draft): void;
  onClose(): void;
}

export interface AnnotatePanel extends Panel {
  submit(): void;
  /** Asks before text is lost; true when it can close now. */
  mayClose(): boolean;
}

const INTENTS = ['change', 'fix', 'question', 'approve'] as const;
const SEVERITIES = ['important', 'blocking', 'suggestion'] as const;

/** Opens the panel beside the picked element. */
export function openAnnotate(parts: AnnotateParts): AnnotatePanel {
  const { captured, wish = {} } = parts;
  const text = h('textarea', {
    'aria-label': 'Your note',
    placeholder: 'What should change here?',
    dir: 'auto',
    maxlength: '10000',
    value: wish.annotationText ?? '',
  });
  const intent = choices('Intent', 'intent', INTENTS, wish.intent ?? 'change');
  const severity = choices('Severity', 'severity', SEVERITIES, wish.severity ?? 'important');
  const submit = h('button', { class: 'button main', type: 'button', text: 'Add note' });
  const ask = h('div', { class: 'warn row', role: 'alert', hidden: true });
  const draft = (): Draft => ({
    captured,
    wish: { annotationText: text.value.trim(), intent: intent.value(), severity: severity.value() },
  });
  const isBlank = (): boolean => text.value.trim() === '';
  const update = (): void => {
    submit.disabled = isBlank();
    ask.hidden = true;
    parts.onChange(draft());
  };
  const send = (): void => {
    if (!isBlank()) parts.onSubmit(draft());
  };
  text.addEventListener('input', update);
  submit.addEventListener('click', send);
  submit.disabled = isBlank();
  const keep = (): void => {
    ask.hidden = true;
    text.focus();
  };
  ask.append(
    h('span', { class: 'grow', text: 'Discard this note?' }),
    h('button', { class: 'button', type: 'button', text: 'Keep writing', onclick: keep }),
    h('button', { class: 'button danger', type: 'button', text: 'Discard', onclick: parts.onClose }),
  );
  const panel = openPanel(parts.top, {
    title: 'New note',
    anchor: parts.anchor,
    body: [...targetDetails(captured, true), text, intent.element, severity.element, ask],
    footer: [h('span', { class: 'soft grow', text: 'Ctrl+Enter adds' }), submit],
    onClose: () => mayClose() && parts.onClose(),
  });
  const mayClose = (): boolean => {
    if (isBlank() || !ask.hidden) return true;
    ask.hidden = false;
    ask.querySelector('button')?.focus();
    return false;
  };
  return { ...panel, submit: send, mayClose };
}

function choices<T extends string>(name: string, key: string, values: readonly T[], chosen: T) {
  const inputs = values.map((value) =>
    h('input', { type: 'radio', name: key, value, checked: value === chosen }),
  );
  const labels = inputs.map((input) =>
    h('label', {}, input, `${input.value[0]?.toUpperCase()}${input.value.slice(1)}`),
  );
  return {
    element: h(
      'fieldset',
      { class: 'field' },
      h('legend', { class: 'spoken', text: name }),
      h('div', { class: 'pill' }, ...labels),
    ),
    // The values are those given.
    value: () => (inputs.find(({ checked }) => checked)?.value ?? chosen) as T,
  };
}
