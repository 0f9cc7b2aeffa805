/** The options that annotations read; known before their code is loaded. */
import type { Settings } from '@parley/kit';

export const annotationSettings = {
  noteLease: {
    flag: 'note-lease',
    kind: 'number',
    low: 1,
    high: 10_080,
    value: 'MINUTES',
    fallback: '30',
    help: 'A note of an agent that is silent for so long is pending again',
    section: 'reach',
  },
} as const satisfies Settings;
