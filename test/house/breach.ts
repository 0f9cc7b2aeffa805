/** A breach of the rules of the house, planted in a small workspace. */
import { expect } from 'vitest';
import { checkBoundaries } from '../../scripts/check/boundaries.ts';
import { checkWorkspace } from './workspace.ts';
import type { Files } from './workspace.ts';

/** Files that are added, and what the check must say of them. */
export interface Breach {
  readonly promise: string;
  readonly files: Files;
  readonly broken: readonly string[];
}

/** The opening sentence that every file needs. */
export const DOC = '/** Owns this. */\n';

export function expectBroken({ files, broken }: Breach): void {
  const { findings } = checkWorkspace(files, checkBoundaries);
  const seen = findings.map(({ rule, file, line }) => `${rule} ${file}:${line}`);
  expect(seen.toSorted()).toEqual(broken.toSorted());
}
