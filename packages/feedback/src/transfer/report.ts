/** How an import went, and how it tells on the way. */

/** One thing that is wrong with one row. */
export interface RowFault {
  readonly row: number;
  /** The sentence, beginning with the field where there is one. */
  readonly message: string;
}

/** What is told while an import runs. */
export interface ImportObserver {
  progress?(done: number, total: number): void;
  fault?(fault: RowFault): void;
}

/** What came of an import. */
export interface ImportReport {
  readonly kind: 'posts' | 'archive';
  readonly isDryRun: boolean;
  /** True when it was asked to stop before the end. */
  readonly isStopped: boolean;
  readonly rows: number;
  /** Written now, or, in a dry run, those that could be. */
  readonly imported: number;
  /** Written by an earlier run of the same import. */
  readonly skipped: number;
  readonly failed: number;
  /** The first faults; `failed` counts all rows that have any. */
  readonly faults: readonly RowFault[];
  readonly ignoredColumns: readonly string[];
  readonly newBoards: readonly string[];
  readonly newTags: readonly string[];
}

/** How many faults are told; more would help nobody. */
export const MAX_FAULTS = 1000;

/** Collects faults, and passes them on. */
export function createFaultList(observer: ImportObserver): {
  readonly faults: RowFault[];
  add(row: number, messages: readonly string[]): void;
} {
  const faults: RowFault[] = [];
  return {
    faults,
    add(row, messages) {
      for (const message of messages) {
        if (faults.length === MAX_FAULTS) return;
        const fault = { row, message };
        faults.push(fault);
        observer.fault?.(fault);
      }
    },
  };
}
