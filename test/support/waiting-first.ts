/** Owns the order of test files: those that start processes and wait begin first, so that none of them is left alone at the end. */
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

const WAITING = /\/(?:bench|test\/(?:console|e2e|faults|gateway|product|vite))\//;

export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the runner named it
    const sorted = await super.sort(files);
    return [...sorted.filter(isWaiting), ...sorted.filter((file) => !isWaiting(file))];
  }
}

function isWaiting({ moduleId }: TestSpecification): boolean {
  return WAITING.test(moduleId);
}
