/** Progress in a terminal: one line that is drawn again and again; elsewhere one line per report. */
import type { Writable } from 'node:stream';

/** A stream that may be a terminal. */
export type MaybeTerminal = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Shows how far some work is. */
export interface ProgressLine {
  report(done: number, total?: number, message?: string): void;
  /** Leaves the line as it is, so that what is written next stands below it. */
  end(): void;
}

const WIDTH = 24;
const DEFAULT_COLUMNS = 80;
// Back to the start of the line; then what is left of an older, longer line is cleared.
const START = '\r';
const CLEAR_REST = '\u001B[K';

export function createProgressLine(output: MaybeTerminal): ProgressLine {
  let isOpen = false;
  return {
    report(done, total, message) {
      if (output.isTTY !== true) {
        const share = total === undefined ? String(done) : `${done} of ${total}`;
        output.write(`${share}${after(message)}\n`);
        return;
      }
      // A line that wraps cannot be drawn over; a terminal that does not know its width says 0.
      const columns = output.columns || DEFAULT_COLUMNS;
      const line = `${barOf(done, total)}${after(message)}`.slice(0, columns - 1);
      output.write(`${START}${line}${CLEAR_REST}`);
      isOpen = true;
    },
    end() {
      if (isOpen) output.write('\n');
      isOpen = false;
    },
  };
}

/** The bar with its percentage: `[####----] 50 %`; without a total only the count. */
export function barOf(done: number, total?: number): string {
  if (total === undefined || total <= 0) return String(done);
  const share = Math.min(1, Math.max(0, done / total));
  const filled = Math.round(share * WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${Math.round(share * 100)} %`;
}

function after(message: string | undefined): string {
  return message === undefined ? '' : `  ${message}`;
}
