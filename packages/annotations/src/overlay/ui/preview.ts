/** Owns the panel that shows a proposed change and takes the person's answer. */
import type { Actions } from '../actions.ts';
import type { Annotation } from '../../shapes.ts';
import { h } from './dom.ts';
import type { Panel } from './panel.ts';
import { openPanel } from './panel.ts';
import { badge } from './status.ts';

const MAX_LINES = 3_000;

/** Opens the preview of a note's diff. */
export function openPreview(top: HTMLElement, note: Annotation, actions: Actions): Panel {
  const words = h('textarea', {
    'aria-label': 'Words to the agent',
    placeholder: 'Words to the agent (optional)',
    dir: 'auto',
    rows: '2',
    maxlength: '10000',
  });
  const answer = (isApproved: boolean) => (): void =>
    actions.answerDiff(note, isApproved, words.value.trim());
  const isOpen = note.status === 'diff_proposed';
  const counted = h('span', { class: 'soft grow', text: summary(note.diff ?? '') });
  return openPanel(top, {
    title: `Change for note ${note.number}`,
    isWide: true,
    lead: badge(note),
    body: [diffLines(note.diff ?? ''), ...(isOpen ? [words] : [])],
    footer: isOpen
      ? [
          counted,
          h('button', { class: 'button danger', type: 'button', text: 'Reject', onclick: answer(false) }),
          h('button', { class: 'button main', type: 'button', text: 'Approve', onclick: answer(true) }),
        ]
      : [counted, h('span', { class: 'soft', text: note.diffResponse ?? 'no longer open' })],
    onClose: actions.back,
  });
}

function diffLines(diff: string): HTMLElement {
  const lines = diff.replace(/\n$/, '').split('\n');
  const shown = lines.slice(0, MAX_LINES).map((text) => h('div', { class: lookOf(text), text: text || ' ' }));
  if (lines.length > MAX_LINES)
    shown.push(h('div', { class: 'hunk', text: `${lines.length - MAX_LINES} more lines` }));
  return h(
    'div',
    { class: 'diff', tabindex: '0', role: 'region', 'aria-label': 'Proposed change' },
    ...shown,
  );
}

function lookOf(line: string): string {
  if (/^(---|\+\+\+|diff |index )/.test(line)) return 'file';
  if (line.startsWith('@@')) return 'hunk';
  return line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : '';
}

function summary(diff: string): string {
  const looks = diff.split('\n').map(lookOf);
  const count = (look: string): number => looks.filter((one) => one === look).length;
  return `${count('add')} added, ${count('del')} removed`;
}
