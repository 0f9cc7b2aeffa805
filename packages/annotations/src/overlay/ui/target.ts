/** Owns how the target of a note is described in panels. */
import type { Captured } from '../../shapes.ts';
import { h } from './dom.ts';

const SHOWN_INPUTS = 5;

/** Component, source, element, selection and the first inputs. */
export function targetDetails(captured: Captured, hasInputs: boolean): Node[] {
  const rows: [string, string | undefined][] = [
    [
      'Target',
      captured.targets && captured.kind !== 'area' ? `${captured.targets.length} elements` : captured.element,
    ],
    ['Area', captured.kind === 'area' ? areaText(captured) : undefined],
    ['Component', captured.componentName],
    ['Source', captured.sourceFile],
    ['Template', captured.templateFile],
    ...(hasInputs
      ? Object.entries(captured.inputs ?? {})
          .slice(0, SHOWN_INPUTS)
          .map(([name, value]): [string, string] => [name, JSON.stringify(value)])
      : []),
  ];
  const list = h('dl', { class: 'meta' });
  for (const [name, value] of rows) {
    if (value) list.append(h('dt', { text: name }), h('dd', { text: value, title: value }));
  }
  const { selectionText } = captured;
  return [
    list,
    ...(selectionText
      ? [
          h('blockquote', {
            class: 'quote',
            text: selectionText,
            dir: 'auto',
            'aria-label': 'Selected text',
            tabindex: '0',
          }),
        ]
      : []),
  ];
}

function areaText({ boundingBox: { width, height }, targets }: Captured): string {
  return `${Math.round(width)} x ${Math.round(height)} px, ${targets?.length ?? 0} elements`;
}
