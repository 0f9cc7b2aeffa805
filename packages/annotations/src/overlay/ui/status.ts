/** Owns how a status looks and sounds: colour, icon and words always together. */
import type { Annotation, AnnotationStatus } from '../../shapes.ts';
import { h, icon } from './dom.ts';
import { ICONS } from './icons.ts';

/** Badge colours of the specification. */
export const STATUS_COLOURS: Record<AnnotationStatus, string> = {
  pending: '#3b82f6',
  acknowledged: '#f59e0b',
  diff_proposed: '#8b5cf6',
  resolved: '#22c55e',
  dismissed: '#94a3b8',
};

const WORDS: Record<AnnotationStatus, string> = {
  pending: 'pending',
  acknowledged: 'acknowledged',
  diff_proposed: 'change proposed',
  resolved: 'resolved',
  dismissed: 'dismissed',
};

/** The status as it is read out. */
export function spokenStatus(status: AnnotationStatus): string {
  return WORDS[status];
}

export function badgeIcon(status: AnnotationStatus): SVGElement {
  return icon(status === 'diff_proposed' ? ICONS.diff : ICONS[status]);
}

/** A badge with icon and words. */
export function badge({ status }: Pick<Annotation, 'status'>): HTMLElement {
  return h('span', { class: 'badge', 'data-status': status }, badgeIcon(status), spokenStatus(status));
}
