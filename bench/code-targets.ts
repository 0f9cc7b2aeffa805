/** Owns the targets of code navigation: what P15 promises, and whether the figures keep it. */
import type { CodeFigures } from './code.ts';
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';

const FILES = 2000;

/** Judges the first index and a query after it. */
export function judgeCode(code: CodeFigures | undefined): Verdict[] {
  return [
    ruled(
      {
        id: 'P15',
        what: `first symbol search over ${FILES} files`,
        limit: 10_000,
        better: 'under',
        unit: ' ms',
      },
      code && code.firstSeconds * 1000,
      code && noteOn(code, `${Math.round(code.bytes / 1024)} KiB of code`),
    ),
    ruled(
      { id: 'P15', what: `symbol search over ${FILES} files p50`, limit: 20, better: 'under', unit: ' ms' },
      code?.symbols.p50Ms,
      code && noteOn(code, `p99 ${code.symbols.p99Ms} ms; references p50 ${code.references.p50Ms} ms`),
    ),
  ];
}

function noteOn({ files }: CodeFigures, text: string): Note {
  return { text: `${files} files; ${text}`, isBroken: files < FILES };
}
